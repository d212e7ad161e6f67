// Package jsonmember finds the members of a JSON object that has been decoded before, without decoding it again. It
// knows no problem documents, so that a store can use it.
package jsonmember

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader reads the members of one object in a JSON text, one after the other. It finds where each value ends and
// leaves the value itself unread: most of a large record is passed over from quote to quote. It never reads beyond the
// end of a text that was not decoded before, but takes more than JSON.
type Reader struct {
	text []byte
	at   int // what follows has not been read
	err  error

	nameStart, nameEnd, valueStart int
}

var errNoObject = errors.New("jsonmember: the text is no JSON object")

// Read returns a reader of the members of an object.
func Read(object []byte) Reader { return Reader{text: object} }

// Err returns why Next returned false; nil if the object has ended.
func (r *Reader) Err() error { return r.err }

// Next moves to the next member, and reports whether there is one.
func (r *Reader) Next() bool {
	opens := byte(',')
	if r.at == 0 {
		opens = '{'
	}
	switch c := r.token(); {
	case c == '}' && opens == ',':
		return false
	case c != opens:
		return r.fail()
	}
	r.at++
	if c := r.token(); c == '}' && opens == '{' {
		return false
	} else if c != '"' {
		return r.fail()
	}
	r.nameStart = r.at
	r.at = endOfString(r.text, r.at)
	r.nameEnd = r.at
	if r.token() != ':' {
		return r.fail()
	}
	r.at++
	r.token()
	r.valueStart = r.at
	r.at = EndOfValue(r.text, r.at)
	return r.at > r.valueStart || r.fail()
}

// Quoted returns the name of the member as written, in its quotes: a part of the text.
func (r *Reader) Quoted() []byte { return r.text[r.nameStart:r.nameEnd] }

// Name returns the name of the member.
func (r *Reader) Name() (string, error) {
	quoted := r.Quoted()
	if len(quoted) >= 2 && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	name, err := jsontext.AppendUnquote(nil, quoted)
	return string(name), err
}

// Is reports whether the member has a name.
func (r *Reader) Is(name string) bool {
	quoted := r.Quoted()
	if len(quoted) == len(name)+2 && string(quoted[1:len(quoted)-1]) == name {
		return true
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return false
	}
	written, err := r.Name()
	return err == nil && written == name
}

// Value returns the value of the member, as written: a part of the text.
func (r *Reader) Value() jsontext.Value { return r.text[r.valueStart:r.at:r.at] }

// token moves to what begins the next token and returns it; 0 at the end of the text.
func (r *Reader) token() byte {
	for ; r.at < len(r.text); r.at++ {
		if c := r.text[r.at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

func (r *Reader) fail() bool {
	r.err = errNoObject
	return false
}

// Find returns the value of a member of a JSON object, a part of its text; nil if there is no such member. The object
// has been decoded before. What follows the member is not read.
func Find(object []byte, name string) (jsontext.Value, error) {
	members := Read(object)
	for members.Next() {
		if members.Is(name) {
			return members.Value(), nil
		}
	}
	return nil, members.err
}

// Text returns the text that a member of a JSON object has; empty if there is no such member, or if its value is no
// text. The object has been decoded before. What follows the member is not read.
func Text(object []byte, name string) (string, error) {
	value, err := Find(object, name)
	if err != nil || value.Kind() != jsontext.KindString {
		return "", err
	}
	if end := len(value) - 1; end > 0 && value[end] == '"' && bytes.IndexByte(value, '\\') < 0 {
		return string(value[1:end]), nil
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err
}

// endOfString returns where the string that begins at start ends; the end of the text if it does not.
func endOfString(text []byte, start int) int {
	for i := start + 1; i < len(text); {
		quote := bytes.IndexByte(text[i:], '"')
		if quote < 0 {
			break
		}
		quote += i
		// A quote is part of the string if an odd number of backslashes precedes it.
		escapes := 0
		for quote-1-escapes >= i && text[quote-1-escapes] == '\\' {
			escapes++
		}
		if i = quote + 1; escapes%2 == 0 {
			return i
		}
	}
	return len(text)
}

// EndOfValue returns where the value that begins at start ends; the end of the text if it does not.
func EndOfValue(text []byte, start int) int {
	depth := 0
	for i := start; i < len(text); {
		switch text[i] {
		case '"':
			i = endOfString(text, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return len(text)
}
