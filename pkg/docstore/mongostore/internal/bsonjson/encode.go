package bsonjson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// errOtherForm means that text is not compact JSON that BSON can hold as values.
var errOtherForm = errors.New("bsonjson: no compact JSON text")

// encoder reads JSON text once, from its beginning to its end, and appends BSON.
type encoder struct {
	text []byte
	at   int
	out  []byte
	// unquoted and quoted are room for a string with escapes.
	unquoted, quoted []byte
}

// value reads a value and appends it. Its type becomes the byte of out at kind.
func (e *encoder) value(kind, depth int) error {
	switch c := e.peek(); c {
	case '{':
		e.out[kind] = byte(bson.TypeEmbeddedDocument)
		return e.container('}', depth)
	case '[':
		e.out[kind] = byte(bson.TypeArray)
		return e.container(']', depth)
	case '"':
		value, err := e.string()
		if err != nil {
			return err
		}
		e.out[kind] = byte(bson.TypeString)
		e.out = appendString(e.out, value)
		return nil
	case 't':
		e.out[kind] = byte(bson.TypeBoolean)
		e.out = append(e.out, 1)
		return e.literal("true")
	case 'f':
		e.out[kind] = byte(bson.TypeBoolean)
		e.out = append(e.out, 0)
		return e.literal("false")
	case 'n':
		e.out[kind] = byte(bson.TypeNull)
		return e.literal("null")
	default:
		return e.number(kind)
	}
}

// peek returns the next byte, and 0 at the end, which begins nothing.
func (e *encoder) peek() byte {
	if e.at < len(e.text) {
		return e.text[e.at]
	}
	return 0
}

// skip reports whether c is next, and if so, goes beyond it.
func (e *encoder) skip(c byte) bool {
	if e.peek() != c {
		return false
	}
	e.at++
	return true
}

func (e *encoder) literal(name string) error {
	if !bytes.HasPrefix(e.text[e.at:], []byte(name)) {
		return errOtherForm
	}
	e.at += len(name)
	return nil
}

// container reads an object or an array, whose last byte is end. The elements of an array are named by their places.
func (e *encoder) container(end byte, depth int) error {
	if depth == maxDepth {
		return errOtherForm
	}
	e.at++
	start := len(e.out)
	e.out = append(e.out, 0, 0, 0, 0)
	for i := 0; !e.skip(end); i++ {
		if i > 0 && !e.skip(',') {
			return errOtherForm
		}
		kind := len(e.out)
		e.out = append(e.out, 0)
		if end == ']' {
			e.out = append(strconv.AppendInt(e.out, int64(i), 10), 0)
		} else if err := e.name(); err != nil {
			return err
		}
		if err := e.value(kind, depth+1); err != nil {
			return err
		}
	}
	e.out = endDocument(e.out, start)
	return nil
}

// name reads the name of a member and the colon after it.
func (e *encoder) name() error {
	name, err := e.string()
	if err != nil {
		return err
	}
	e.out = append(appendName(e.out, name), 0)
	if !e.skip(':') {
		return errOtherForm
	}
	return nil
}

// string reads a string and returns its value, which is valid until the next call.
func (e *encoder) string() ([]byte, error) {
	if !e.skip('"') {
		return nil, errOtherForm
	}
	start, escapes, ascii := e.at, false, true
	for ; ; e.at++ {
		switch c := e.peek(); {
		case c == '"':
			value := e.text[start:e.at]
			e.at++
			if !ascii && !utf8.Valid(value) {
				return nil, errOtherForm
			}
			if escapes {
				return e.unquote(e.text[start-1 : e.at])
			}
			return value, nil
		case c == '\\':
			escapes = true
			e.at++
		case c < ' ':
			return nil, errOtherForm
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
}

// unquote returns the value of a string with escapes, if it would be written in the same way again.
func (e *encoder) unquote(quoted []byte) (value []byte, err error) {
	if e.unquoted, err = jsontext.AppendUnquote(e.unquoted[:0], quoted); err != nil {
		return nil, errOtherForm
	}
	if e.quoted, err = jsontext.AppendQuote(e.quoted[:0], e.unquoted); err != nil || !bytes.Equal(e.quoted, quoted) {
		return nil, errOtherForm
	}
	return e.unquoted, nil
}

func appendString(out, value []byte) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(value)+1))
	return append(append(out, value...), 0)
}

// endDocument ends the document or array that begins at start, where its length is to stand.
func endDocument(out []byte, start int) []byte {
	out = append(out, 0)
	binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-start))
	return out
}
