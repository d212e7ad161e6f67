package jsonobject

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json/jsontext"
)

// Canonical writes a JSON value in one way: members sorted, strings with the shortest escapes, numbers by their exact
// value. RFC 8785 is not used because it passes numbers through binary floats, which would take two sums of money for
// one.
func Canonical(value []byte) ([]byte, error) {
	dec := decoder(value, uniqueNames)
	return appendCanonical(nil, dec)
}

// WithoutNulls returns a canonical text of a JSON value without the members of the object that are null; those of
// objects within it stay.
func WithoutNulls(canonical []byte) ([]byte, error) {
	if !bytes.HasPrefix(canonical, []byte("{")) || !bytes.Contains(canonical, []byte(":null")) {
		return canonical, nil
	}
	all, err := Members(canonical)
	if err != nil {
		return nil, err
	}
	return Of(slices.DeleteFunc(all, func(m Member) bool { return string(m.Value) == "null" })), nil
}

func appendCanonical(out []byte, dec *jsontext.Decoder) ([]byte, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case jsontext.KindBeginObject:
		return appendObject(out, dec)
	case jsontext.KindBeginArray:
		out = append(out, '[')
		for dec.PeekKind() != jsontext.KindEndArray {
			if out[len(out)-1] != '[' {
				out = append(out, ',')
			}
			if out, err = appendCanonical(out, dec); err != nil {
				return nil, err
			}
		}
		_, err = dec.ReadToken()
		return append(out, ']'), err
	case jsontext.KindString:
		return jsontext.AppendQuote(out, token.String())
	case jsontext.KindNumber:
		return append(out, canonicalNumber(token.String())...), nil
	default:
		return append(out, token.String()...), nil
	}
}

func appendObject(out []byte, dec *jsontext.Decoder) ([]byte, error) {
	var all []Member
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String()
		value, err := appendCanonical(nil, dec)
		if err != nil {
			return nil, err
		}
		all = append(all, Member{text, value})
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return append(out, Of(all)...), nil
}

// canonicalNumber writes the exact value of a literal in one way; one beyond the library's range stays as written.
func canonicalNumber(literal string) string {
	if short, is := canonicalInt(literal); is {
		return short
	}
	var d apd.Decimal
	if _, _, err := d.SetString(literal); err != nil {
		return literal
	}
	d.Reduce(&d)
	if d.IsZero() {
		return "0"
	}
	return d.Text('E')
}

// canonicalInt does so for the whole numbers that most numbers are, at a tenth of the cost.
func canonicalInt(literal string) (text string, is bool) {
	digits := strings.TrimPrefix(literal, "-")
	if digits == "0" {
		return "0", true
	}
	if len(digits) > 18 || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	exponent := len(digits) - 1
	written := strings.TrimRight(digits, "0")
	out := make([]byte, 0, len(literal)+4)
	out = append(out, literal[:len(literal)-len(digits)]...)
	out = append(out, written[0])
	if len(written) > 1 {
		out = append(append(out, '.'), written[1:]...)
	}
	return string(strconv.AppendInt(append(out, 'E', '+'), int64(exponent), 10)), true
}

// Equal reports whether two JSON texts are the same value.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := Canonical(a)
	y, errY := Canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
