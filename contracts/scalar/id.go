package scalar

import (
	"bytes"
	"errors"

	"github.com/google/uuid"
)

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
