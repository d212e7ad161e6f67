package bsonjson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// errTooDeep means that text has more levels than BSON may have.
var errTooDeep = errors.New("bsonjson: the text is nested too deep")

// encoder reads JSON text and appends BSON. It takes text that is not compact as well, which then comes back in another
// form.
type encoder struct {
	in  *jsontext.Decoder
	out []byte
	// unquoted is room for the name of a member.
	unquoted []byte
}

func newEncoder(text []byte) *encoder {
	// Text becomes a little longer in BSON. The first byte is the type.
	return &encoder{
		in:  jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true)),
		out: make([]byte, 1, len(text)+len(text)/4+64),
	}
}

// value reads a value and appends it. Its type becomes the byte of out at kind.
func (e *encoder) value(kind, depth int) error {
	switch next := e.in.PeekKind(); next {
	case '{':
		return e.container(kind, bson.TypeEmbeddedDocument, '}', depth)
	case '[':
		return e.container(kind, bson.TypeArray, ']', depth)
	default:
		text, err := e.in.ReadValue()
		if err != nil {
			return err
		}
		switch next {
		case '"':
			e.out[kind] = byte(bson.TypeString)
			start := len(e.out)
			if e.out, err = jsontext.AppendUnquote(append(e.out, 0, 0, 0, 0), text); err != nil {
				return err
			}
			binary.LittleEndian.PutUint32(e.out[start:], uint32(len(e.out)-start-4+1))
			e.out = append(e.out, 0)
		case 't', 'f':
			e.out[kind] = byte(bson.TypeBoolean)
			e.out = append(e.out, map[jsontext.Kind]byte{'t': 1, 'f': 0}[next])
		case 'n':
			e.out[kind] = byte(bson.TypeNull)
		default:
			e.number(kind, string(text))
		}
		return nil
	}
}

// container reads an object or an array. The elements of an array are named by their places.
func (e *encoder) container(kind int, as bson.Type, end jsontext.Kind, depth int) error {
	if depth == maxDepth {
		return errTooDeep
	}
	if _, err := e.in.ReadToken(); err != nil {
		return err
	}
	e.out[kind] = byte(as)
	start := len(e.out)
	e.out = append(e.out, 0, 0, 0, 0)
	for i := 0; e.in.PeekKind() != end; i++ {
		kind := len(e.out)
		e.out = append(e.out, 0)
		if as == bson.TypeArray {
			e.out = strconv.AppendInt(e.out, int64(i), 10)
		} else if err := e.name(); err != nil {
			return err
		}
		e.out = append(e.out, 0)
		if err := e.value(kind, depth+1); err != nil {
			return err
		}
	}
	e.out = endDocument(e.out, start)
	_, err := e.in.ReadToken()
	return err
}

// name reads the name of a member.
func (e *encoder) name() error {
	quoted, err := e.in.ReadValue()
	if err == nil {
		e.unquoted, err = jsontext.AppendUnquote(e.unquoted[:0], quoted)
	}
	e.out = appendName(e.out, e.unquoted)
	return err
}

// number appends a number: as int64, as Decimal128, or as text.
func (e *encoder) number(kind int, text string) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text != "-0" {
		e.out[kind] = byte(bson.TypeInt64)
		e.out = binary.LittleEndian.AppendUint64(e.out, uint64(n))
		return
	}
	if d, err := bson.ParseDecimal128(text); err == nil && decimalText(d) == text {
		high, low := d.GetBytes()
		e.out[kind] = byte(bson.TypeDecimal128)
		e.out = binary.LittleEndian.AppendUint64(e.out, low)
		e.out = binary.LittleEndian.AppendUint64(e.out, high)
		return
	}
	e.out[kind] = byte(bson.TypeEmbeddedDocument)
	e.out = appendKept(e.out, []byte(text))
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
