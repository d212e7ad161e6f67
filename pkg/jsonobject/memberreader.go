package jsonobject

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// memberReader reads the members of one object in a JSON text, one after the other. It finds where each value ends
// and leaves the value itself unread: most of a large record is passed over from quote to quote. The text has been
// decoded before; of one that was not, it takes more than is JSON, and never reads beyond its end.
type memberReader struct {
	text []byte
	at   int   // what follows has not been read
	err  error // why next returned false, if not because the object has ended

	nameStart, nameEnd, valueStart int
}

var errNoObject = errors.New("jsonobject: the text is no JSON object")

// next moves to the next member, and reports whether there is one.
func (r *memberReader) next() bool {
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
	r.at = endOfValue(r.text, r.at)
	return r.at > r.valueStart || r.fail()
}

// name returns the name of the member.
func (r *memberReader) name() (string, error) {
	quoted := r.text[r.nameStart:r.nameEnd]
	if len(quoted) >= 2 && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	name, err := jsontext.AppendUnquote(nil, quoted)
	return string(name), err
}

// is reports whether the member has a name.
func (r *memberReader) is(name string) bool {
	quoted := r.text[r.nameStart:r.nameEnd]
	if len(quoted) == len(name)+2 && string(quoted[1:len(quoted)-1]) == name {
		return true
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return false
	}
	written, err := r.name()
	return err == nil && written == name
}

// value returns the value of the member, as written: a part of the text.
func (r *memberReader) value() jsontext.Value { return r.text[r.valueStart:r.at:r.at] }

// token moves to what begins the next token and returns it; 0 at the end of the text.
func (r *memberReader) token() byte {
	for ; r.at < len(r.text); r.at++ {
		if c := r.text[r.at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

func (r *memberReader) fail() bool {
	r.err = errNoObject
	return false
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

// endOfValue returns where the value that begins at start ends; the end of the text if it does not.
func endOfValue(text []byte, start int) int {
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
