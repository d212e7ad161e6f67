// Package scalar holds the scalar types of the interface as they travel: each reads what the interface allows, says
// in words what is wrong with anything else, and writes what it read without losing a digit. None writes what it would
// not read: marshalling such a value is an error.
//
// An absent member and null are the same. A type whose zero value cannot be sent (ID, Date, DateTime, Decimal, Integer,
// JSON) is used as it is, its zero value meaning absent; Int and the built-in types are used behind a pointer.
package scalar

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
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

// ID is a UUID, in lower case. A reference that is no UUID is kept as it was sent: it names nothing. The zero value is
// absent; an empty string names nothing either, and is the same.
type ID string

// UnmarshalJSON reads a string.
func (id *ID) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, null) {
		*id = ""
		return nil
	}
	text, err := unquote(b)
	if err != nil {
		return errors.New("must be a string")
	}
	if parsed, ok := ParseID(text); ok {
		text = parsed.String()
	}
	*id = ID(text)
	return nil
}

// UUID returns the identifier, and whether it is a UUID.
func (id ID) UUID() (uuid.UUID, bool) { return ParseID(string(id)) }

// ParseID reads the one textual form of a UUID that the interface uses: 36 characters, hyphenated, either case.
func ParseID(s string) (uuid.UUID, bool) {
	if len(s) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(s)
	return id, err == nil
}

// Record is what every resource has.
type Record struct {
	// The identifier that the exchange issues to the record.
	ID ID `json:"id,omitzero"`
	// Extensions are the members that the interface does not name. They are kept and returned as sent.
	Extensions jsontext.Value `json:",embed"`
}

// RecordID returns the identifier.
func (r *Record) RecordID() string { return string(r.ID) }

// SetRecordID sets the identifier that the exchange issues.
func (r *Record) SetRecordID(id string) { r.ID = ID(id) }
