// Package scalar holds the scalar types of the interface as they travel: each reads what the interface allows, says
// in words what is wrong with anything else, and writes what it read without losing a digit. None writes what it would
// not read: marshalling such a value is an error.
//
// An absent member and null are the same. A type whose zero value cannot be sent (ID, Date, DateTime, Decimal, Integer,
// JSON) is used as it is, its zero value meaning absent; Int and the built-in types are used behind a pointer.
package scalar

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var null = []byte("null")

// JSON is a value whose members the interface does not show; it is kept and returned as sent. The zero value and
// null are absent.
type JSON jsontext.Value

// IsZero reports whether the value is absent.
func (j JSON) IsZero() bool { return len(j) == 0 || bytes.Equal(j, null) }

// UnmarshalJSON keeps the value.
func (j *JSON) UnmarshalJSON(b []byte) error {
	*j = append((*j)[:0], b...)
	return nil
}

// MarshalJSON writes the value as it was read.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return null, nil
	}
	return j, nil
}

func unquote(b []byte) (text string, err error) {
	err = json.Unmarshal(b, &text)
	return text, err
}
