// Package bsonjson keeps JSON text as BSON, so that MongoDB's tools, aggregations and change streams can read it, and
// returns the same text, byte for byte.
//
//	JSON                        BSON
//	object, array               document, array; members in their order
//	string, true, false, null   string, boolean, null
//	number                      int64 if it is an integer that fits;
//	                            Decimal128 if that returns the same text;
//	                            else {"%json": "<the number as it was written>"}
//
// A Decimal128 has 34 digits and an exponent, and distinguishes 1.1 from 1.10 and 0 from -0. It does not distinguish
// 1e5 from 1E5 or from 1.0e05: what it returns is written as by JavaScript and Go, with an exponent where the value
// is below 0.000001 or where zeros would have to be invented, so 420.50, 0.000001, 1.5e-7 and 1e+21 are Decimal128,
// and 1E5 keeps its text.
//
// In the name of a member "%25" stands for %, "%2E" for a dot, "%24" for a $ that comes first and "%00" for the
// character NUL, and "%" alone is the empty name, because BSON or MongoDB's queries do not take these. So no member
// of the JSON text can be confused with %json.
//
// The text must be compact: without spaces between its parts, and with a backslash in strings only where JSON demands
// one, in its short form where there is one, else as \u00 and lower-case digits. Package rest stores no other text.
// Text that is not compact, is nested deeper than MongoDB allows, or is several times larger in BSON is kept whole:
// {"%json": "<the text>"}.
//
// Encode reads its own result: what does not come back as it was is kept as text.
//
// The driver's extended JSON would leave nearly all of it: it reads 1.10 as a double, and takes a member named
// $numberLong for a number, so that other text comes back.
package bsonjson

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// keptName is the name of the only member of a document that holds JSON text as it was written.
const keptName = "%json"

const (
	// maxDepth is the greatest number of levels of objects and arrays that become levels of BSON. MongoDB allows 100;
	// the record around the text takes one of them.
	maxDepth = 96
	// BSON that is longer than roomySize may be at most maxGrowth quarters as long as the text. An array of digits
	// would become seven times as long as it is in JSON, and MongoDB bounds the length of a document.
	roomySize, maxGrowth = 64 << 10, 7
)

// Text is JSON text that is a value in BSON.
type Text []byte

// MarshalBSONValue implements bson.ValueMarshaler. It fails if the text is no UTF-8.
func (t Text) MarshalBSONValue() (kind byte, data []byte, err error) { return Encode(t) }

// UnmarshalBSONValue implements bson.ValueUnmarshaler. It fails on values that Encode does not make and that have no
// form in JSON.
func (t *Text) UnmarshalBSONValue(kind byte, data []byte) (err error) {
	*t, err = Decode(kind, data)
	return err
}

// Encode returns JSON text as a BSON value: its type, and its bytes. It fails if the text is no UTF-8.
func Encode(text []byte) (kind byte, data []byte, err error) {
	e := newEncoder(text)
	if err := e.value(0, 0); err == nil && (len(e.out) <= roomySize || len(e.out)/maxGrowth <= len(text)/4) {
		kind, data = e.out[0], e.out[1:]
		// What is not compact comes back in another form.
		if back, err := Decode(kind, data); err == nil && bytes.Equal(back, text) {
			return kind, data, nil
		}
	}
	if !utf8.Valid(text) {
		return 0, nil, errors.New("bsonjson: the text is no UTF-8")
	}
	return byte(bson.TypeEmbeddedDocument), appendKept(nil, text), nil
}

// appendKept appends the document that holds text as it is.
func appendKept(out, text []byte) []byte {
	start := len(out)
	out = append(out, 0, 0, 0, 0, byte(bson.TypeString))
	out = append(out, keptName...)
	out = append(out, 0)
	out = appendString(out, text)
	return endDocument(out, start)
}
