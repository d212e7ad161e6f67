package jsonobject

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/problem"
)

// The bounds on the parts of a body. They hold for members that the interface does not name as well.
const (
	// MaxDepth is the most levels of nesting.
	MaxDepth = 64
	// MaxString is the most bytes of one string or member name: of its value in UTF-8, not of its escapes.
	MaxString = 64 * 1024
	// MaxNumber is the most characters of one number, as written.
	MaxNumber = 64
	// MaxElements is the most elements of one list.
	MaxElements = 10_000
	// MaxMembers is the most members of all objects together, and MaxAllElements the most elements of all lists
	// together. They bound the work: a body has room for ten times as many.
	MaxMembers     = 10_000
	MaxAllElements = 50_000
)

// scan reads a text once, without parsing it, so that parsing is never more work than the bounds allow. It takes
// whatever is no JSON; that is found when the text is parsed.
type scan struct {
	text []byte
	// nullElement says that a list has null as an element.
	nullElement bool

	depth int
	open  [MaxDepth]opened
	// members and elements count those of all objects and lists; an empty list counts as one element.
	members, elements int
}

// opened is an object or a list that has not ended.
type opened struct {
	list   bool
	start  int
	commas int
}

// bounds returns the problem of the first thing in the text that is beyond a bound, nil if nothing is.
func (s *scan) bounds() *problem.Error {
	for i := 0; i < len(s.text); {
		switch c := s.text[i]; {
		case c == '"':
			end, size := s.stringEnd(i)
			if size > MaxString {
				return s.beyond(i, fmt.Sprintf("is longer than %d bytes", MaxString))
			}
			i = end
			continue
		case c == '{' || c == '[':
			if s.depth == MaxDepth {
				return s.beyond(i, fmt.Sprintf("is nested deeper than %d levels", MaxDepth))
			}
			s.open[s.depth] = opened{list: c == '[', start: i}
			s.depth++
			if c == '[' {
				s.elements++
			}
		case c == '}' || c == ']':
			s.depth = max(s.depth-1, 0)
		case c == ',' && s.inList():
			list := &s.open[s.depth-1]
			if list.commas++; list.commas == MaxElements {
				return s.beyond(list.start, fmt.Sprintf("has more than %d elements", MaxElements))
			}
			s.elements++
		case c == ':':
			s.members++
		case c == 'n' && s.inList():
			s.nullElement = true
		case c == '-' || c >= '0' && c <= '9':
			end := s.numberEnd(i)
			if end-i > MaxNumber {
				return s.beyond(i, fmt.Sprintf("is longer than %d characters", MaxNumber))
			}
			i = end
			continue
		}
		if s.members > MaxMembers {
			return at(problem.New(problem.Malformed, ""), "",
				fmt.Sprintf("has more than %d members, those of all objects in it included", MaxMembers))
		}
		if s.elements > MaxAllElements {
			return at(problem.New(problem.Malformed, ""), "",
				fmt.Sprintf("has lists with more than %d elements together", MaxAllElements))
		}
		i++
	}
	return nil
}

func (s *scan) inList() bool { return s.depth > 0 && s.open[s.depth-1].list }

// stringEnd returns where a string that begins at start ends, and the bytes of its value, as far as they are in bounds.
func (s *scan) stringEnd(start int) (end, size int) {
	i := start + 1
	// Most strings have no escape.
	if quote := bytes.IndexByte(s.text[i:], '"'); quote >= 0 && bytes.IndexByte(s.text[i:i+quote], '\\') < 0 {
		return i + quote + 1, quote
	}
	for ; i < len(s.text) && size <= MaxString; size++ {
		switch c := s.text[i]; {
		case c == '"':
			return i + 1, size
		case c != '\\':
			i++
		case i+6 <= len(s.text) && s.text[i+1] == 'u':
			size += escaped(s.text[i+2:i+6]) - 1
			i += 6
		default:
			i += 2
		}
	}
	return i, size
}

// escaped returns how many bytes of UTF-8 the four digits of a \u escape stand for. Each half of a surrogate pair
// stands for two of its four.
func escaped(digits []byte) int {
	r := rune(0)
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 1 // no escape, as parsing will find
		}
		r = r<<4 | rune(c)
	}
	switch {
	case r < 0x80:
		return 1
	case r < 0x800, r >= 0xd800 && r < 0xe000:
		return 2
	default:
		return 3
	}
}

// numberEnd returns where a number that begins at start ends.
func (s *scan) numberEnd(start int) int {
	for i := start; i < len(s.text); i++ {
		if c := s.text[i]; (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E' {
			return i
		}
	}
	return len(s.text)
}

// beyond returns the problem of a value that begins at an offset and is beyond a bound.
func (s *scan) beyond(offset int, reason string) *problem.Error {
	return at(problem.New(problem.Malformed, ""), pointerAt(s.text, offset), reason)
}

// pointerAt returns the JSON pointer of the value that begins at an offset, or of the last one before it.
func pointerAt(body []byte, offset int) jsontext.Pointer {
	dec := decoder(body, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := dec.ReadToken(); err != nil || dec.InputOffset() > int64(offset) {
			return dec.StackPointer()
		}
	}
}
