// Package scalar holds the scalar types of the interface as they travel: each reads what the interface allows, says
// in words what is wrong with anything else, and writes what it read without losing a digit.
//
// An absent member and null are the same. A type whose zero value cannot be sent (ID, Date, DateTime, Decimal, JSON)
// is used as it is, its zero value meaning absent; Int and the built-in types are used behind a pointer.
package scalar

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

var null = []byte("null")

// Int is a whole number. It is read from any JSON number with an integral value (12, 12.0, 1.2e1) that fits 64 bits.
type Int int64

var (
	errNotInt   = errors.New("must be a whole number")
	errNotInt64 = errors.New("must be a whole number of at most 64 bits")
)

// UnmarshalJSON reads a JSON number with an integral value.
func (i *Int) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*i = Int(v)
		return nil
	}
	if !isNumber(b) {
		return errNotInt
	}
	var d apd.Decimal
	if _, _, err := d.SetString(string(b)); err != nil {
		return errNotInt64
	}
	// Reducing first keeps a literal such as 10e99999 from being written out.
	d.Reduce(&d)
	if d.Exponent < 0 {
		return errNotInt
	}
	if d.NumDigits()+int64(d.Exponent) > 19 {
		return errNotInt64
	}
	v, err := d.Int64()
	if err != nil {
		return errNotInt64
	}
	*i = Int(v)
	return nil
}

// Decimal is a number with its digits as they were sent; it never becomes a binary float. The zero value is absent.
type Decimal string

// UnmarshalJSON keeps the literal of a JSON number.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	switch {
	case bytes.Equal(b, null):
		*d = ""
	case isNumber(b):
		*d = Decimal(b)
	default:
		return errors.New("must be a number")
	}
	return nil
}

// MarshalJSON writes the literal.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return null, nil
	}
	return []byte(d), nil
}

// Date is a day, YYYY-MM-DD. The zero value is absent.
type Date string

// UnmarshalJSON reads a day of the calendar.
func (d *Date) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, null) {
		*d = ""
		return nil
	}
	text, err := unquote(b)
	if err == nil {
		_, err = time.Parse(time.DateOnly, text)
	}
	if err != nil {
		return errors.New("must be a day of the calendar written YYYY-MM-DD")
	}
	*d = Date(text)
	return nil
}

// DateOf is the day of an instant, UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// DateTime is an instant, read as RFC 3339 with any offset and written in UTC. The zero value is absent.
type DateTime struct{ time.Time }

// Instant is the DateTime of t, in UTC and without the monotonic clock.
func Instant(t time.Time) DateTime { return DateTime{t.UTC().Round(0)} }

// UnmarshalJSON reads an RFC 3339 instant.
func (d *DateTime) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, null) {
		*d = DateTime{}
		return nil
	}
	text, err := unquote(b)
	if err == nil {
		// RFC 3339 allows a lower-case t and z.
		err = d.UnmarshalText([]byte(strings.ToUpper(text)))
	}
	if err != nil {
		return errors.New("must be an RFC 3339 date and time with an offset, such as 2026-01-31T12:00:00Z")
	}
	d.Time = d.UTC()
	if year := d.Year(); year < 1 || year > 9999 {
		return errors.New("must lie in the years 1 to 9999, UTC")
	}
	return nil
}

// MarshalJSON writes RFC 3339 in UTC.
func (d DateTime) MarshalJSON() ([]byte, error) {
	return d.UTC().AppendFormat(nil, `"`+time.RFC3339Nano+`"`), nil
}

// ID is a UUID, in lower case. A reference that is no UUID is kept as it was sent: it names nothing. The zero value
// is absent.
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

// UUID answers the identifier, and whether it is one.
func (id ID) UUID() (uuid.UUID, bool) { return ParseID(string(id)) }

// ParseID reads the one textual form of a UUID that the interface uses: 36 characters, hyphenated, either case.
func ParseID(s string) (uuid.UUID, bool) {
	if len(s) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(s)
	return id, err == nil
}

// JSON is a value whose members the interface does not show; it is kept and returned as sent. The zero value and
// null are absent.
type JSON jsontext.Value

// IsZero tells whether the value is absent.
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

func isNumber(b []byte) bool { return jsontext.Value(b).Kind() == jsontext.KindNumber }

func unquote(b []byte) (text string, err error) {
	err = json.Unmarshal(b, &text)
	return text, err
}
