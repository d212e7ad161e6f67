package bsonjson

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// errDamaged means that BSON ends too early, or that text is kept in another way than Encode keeps it.
var errDamaged = errors.New("bsonjson: the BSON is damaged")

// Decode returns the JSON text of a BSON value. The value may also be one that somebody has written with MongoDB's
// tools, as long as JSON has a form for it: a double or an int32 is a number.
func Decode(kind byte, data []byte) ([]byte, error) {
	text, err := appendValue(make([]byte, 0, len(data)), bson.RawValue{Type: bson.Type(kind), Value: data}, 0)
	if err != nil {
		return nil, err
	}
	return text, nil
}

// appendValue appends a value as JSON.
func appendValue(out []byte, value bson.RawValue, depth int) ([]byte, error) {
	intact := true
	switch value.Type {
	case bson.TypeEmbeddedDocument, bson.TypeArray:
		if depth > maxDepth {
			return nil, errors.New("bsonjson: the BSON is nested too deep")
		}
		if value.Type == bson.TypeArray {
			return appendElements(out, value.Value, depth)
		}
		return appendMembers(out, value.Value, depth)
	case bson.TypeString:
		var text string
		if text, intact = value.StringValueOK(); intact {
			return jsontext.AppendQuote(out, text)
		}
	case bson.TypeNull:
		out = append(out, "null"...)
	case bson.TypeBoolean:
		var is bool
		is, intact = value.BooleanOK()
		out = strconv.AppendBool(out, is)
	case bson.TypeInt32, bson.TypeInt64:
		var number int64
		number, intact = value.AsInt64OK()
		out = strconv.AppendInt(out, number, 10)
	case bson.TypeDouble:
		var number float64
		if number, intact = value.DoubleOK(); math.IsNaN(number) || math.IsInf(number, 0) {
			return nil, errors.New("bsonjson: a double that is no finite number has no form in JSON")
		}
		out = strconv.AppendFloat(out, number, 'g', -1, 64)
	case bson.TypeDecimal128:
		var number bson.Decimal128
		if number, intact = value.Decimal128OK(); number.IsNaN() || number.IsInf() != 0 {
			return nil, errors.New("bsonjson: a Decimal128 that is no finite number has no form in JSON")
		}
		out = append(out, decimalText(number)...)
	default:
		return nil, fmt.Errorf("bsonjson: a value of BSON's type %q has no form in JSON", value.Type)
	}
	if !intact {
		return nil, errDamaged
	}
	return out, nil
}

// decimalText returns a number as JavaScript and Go write it.
func decimalText(number bson.Decimal128) string { return strings.Replace(number.String(), "E", "e", 1) }

func appendElements(out []byte, array bson.RawArray, depth int) ([]byte, error) {
	values, err := array.Values()
	if err != nil {
		return nil, errDamaged
	}
	out = append(out, '[')
	for i, value := range values {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendValue(out, value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// appendMembers appends a document as an object, or the text that it keeps.
func appendMembers(out []byte, document bson.Raw, depth int) ([]byte, error) {
	members, err := document.Elements()
	if err != nil {
		return nil, errDamaged
	}
	out = append(out, '{')
	for i, member := range members {
		name, value := member.Key(), member.Value()
		if name == keptName {
			text, is := value.StringValueOK()
			if !is || len(members) > 1 {
				return nil, errDamaged
			}
			return append(out[:len(out)-1], text...), nil
		}
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, originalName(name)); err != nil {
			return nil, err
		}
		if out, err = appendValue(append(out, ':'), value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
