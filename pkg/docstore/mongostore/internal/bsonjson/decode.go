package bsonjson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// errTruncated means that BSON ends too early or says so of itself.
var errTruncated = errors.New("bsonjson: the BSON is damaged")

// Decode returns the JSON text of a BSON value. The value may also be one that somebody has written with MongoDB's
// tools, as long as JSON has a form for it: a double or an int32 is a number.
func Decode(kind byte, data []byte) ([]byte, error) {
	d := decoder{data: data, out: make([]byte, 0, len(data))}
	if err := d.value(bson.Type(kind), 0); err != nil {
		return nil, err
	}
	if len(d.data) > 0 {
		return nil, errTruncated
	}
	return d.out, nil
}

// decoder reads BSON once and appends JSON text.
type decoder struct {
	// data is what has not been read.
	data []byte
	out  []byte
}

// value reads a value of a type and appends it.
func (d *decoder) value(kind bson.Type, depth int) error {
	switch kind {
	case bson.TypeEmbeddedDocument, bson.TypeArray:
		return d.container(kind == bson.TypeArray, depth)
	case bson.TypeString:
		text, err := d.string()
		if err != nil {
			return err
		}
		return d.quote(text)
	case bson.TypeNull:
		d.out = append(d.out, "null"...)
		return nil
	case bson.TypeBoolean:
		b, err := d.take(1)
		if err != nil {
			return err
		}
		d.out = strconv.AppendBool(d.out, b[0] != 0)
		return nil
	default:
		return d.number(kind)
	}
}

// take reads n bytes.
func (d *decoder) take(n int) ([]byte, error) {
	if n < 0 || n > len(d.data) {
		return nil, errTruncated
	}
	taken := d.data[:n]
	d.data = d.data[n:]
	return taken, nil
}

func (d *decoder) number(kind bson.Type) error {
	size := 8
	switch kind {
	case bson.TypeInt64, bson.TypeDouble:
	case bson.TypeInt32:
		size = 4
	case bson.TypeDecimal128:
		size = 16
	default:
		return fmt.Errorf("bsonjson: a value of BSON's type %q has no form in JSON", kind)
	}
	b, err := d.take(size)
	if err != nil {
		return err
	}
	switch kind {
	case bson.TypeInt64:
		d.out = strconv.AppendInt(d.out, int64(binary.LittleEndian.Uint64(b)), 10)
	case bson.TypeInt32:
		d.out = strconv.AppendInt(d.out, int64(int32(binary.LittleEndian.Uint32(b))), 10)
	case bson.TypeDouble:
		f := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return errors.New("bsonjson: a double that is no finite number has no form in JSON")
		}
		d.out = strconv.AppendFloat(d.out, f, 'g', -1, 64)
	case bson.TypeDecimal128:
		n, ok := decodeDecimal(binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b))
		if !ok {
			return errors.New("bsonjson: a Decimal128 that is no finite number has no form in JSON")
		}
		d.out = n.append(d.out)
	}
	return nil
}

// string reads the value of a string.
func (d *decoder) string() ([]byte, error) {
	size, err := d.take(4)
	if err != nil {
		return nil, err
	}
	text, err := d.take(int(int32(binary.LittleEndian.Uint32(size))))
	if err != nil || len(text) == 0 || text[len(text)-1] != 0 {
		return nil, errTruncated
	}
	return text[:len(text)-1], nil
}

// container reads a document or an array.
func (d *decoder) container(array bool, depth int) error {
	if depth > maxDepth {
		return errors.New("bsonjson: the BSON is nested too deep")
	}
	if len(d.data) < 5 {
		return errTruncated
	}
	content, err := d.take(int(int32(binary.LittleEndian.Uint32(d.data))))
	if err != nil || len(content) < 5 || content[len(content)-1] != 0 {
		return errTruncated
	}
	inner := decoder{data: content[4 : len(content)-1], out: d.out}
	if array {
		err = inner.elements(depth)
	} else {
		err = inner.members(depth)
	}
	d.out = inner.out
	return err
}

func (d *decoder) elements(depth int) error {
	d.out = append(d.out, '[')
	for first := true; len(d.data) > 0; first = false {
		if !first {
			d.out = append(d.out, ',')
		}
		kind, _, err := d.head()
		if err != nil {
			return err
		}
		if err := d.value(kind, depth+1); err != nil {
			return err
		}
	}
	d.out = append(d.out, ']')
	return nil
}

// members reads the members of a document, or the text that it keeps.
func (d *decoder) members(depth int) error {
	for first := true; len(d.data) > 0; first = false {
		kind, name, err := d.head()
		if err != nil {
			return err
		}
		if string(name) == keptName {
			text, err := d.string()
			if err != nil || kind != bson.TypeString || !first || len(d.data) > 0 {
				return errTruncated
			}
			d.out = append(d.out, text...)
			return nil
		}
		if first {
			d.out = append(d.out, '{')
		} else {
			d.out = append(d.out, ',')
		}
		if err := d.quote(originalName(name)); err != nil {
			return err
		}
		d.out = append(d.out, ':')
		if err := d.value(kind, depth+1); err != nil {
			return err
		}
		if len(d.data) == 0 {
			d.out = append(d.out, '}')
			return nil
		}
	}
	d.out = append(d.out, "{}"...)
	return nil
}

// head reads the type and the name of an element.
func (d *decoder) head() (kind bson.Type, name []byte, err error) {
	end := bytes.IndexByte(d.data[1:], 0)
	if end < 0 {
		return 0, nil, errTruncated
	}
	head, err := d.take(end + 2)
	return bson.Type(head[0]), head[1 : end+1], err
}

// quote appends a string.
func (d *decoder) quote(text []byte) (err error) {
	ascii := true
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			d.out, err = jsontext.AppendQuote(d.out, text)
			return err
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if !ascii && !utf8.Valid(text) {
		return errors.New("bsonjson: a string is no UTF-8")
	}
	d.out = append(append(append(d.out, '"'), text...), '"')
	return nil
}
