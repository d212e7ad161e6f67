// Package scalar holds the scalar types of the interface as they travel: each reads what the interface allows, says
// in words what is wrong with anything else, and writes what it read without losing a digit. None writes what it would
// not read: marshalling such a value is an error.
//
// An absent member and null are the same. A type whose zero value cannot be sent (ID, Date, DateTime, Decimal,
// Integer, JSON) is used as it is, its zero value meaning absent; Int and the built-in types are used behind a
// pointer.
package scalar

import (
	"bytes"
	"errors"
	"strings"
	"time"

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
	// The caller's own name of the record: 1 to 100 characters, unique in its organisation and resource.
	ExternalReference Since[string] `json:"externalReference,omitzero" reference:""`
	// Extensions are the members that the interface does not name. They are kept and returned as sent.
	Extensions jsontext.Value `json:",embed"`
}

// RecordID returns the identifier.
func (r *Record) RecordID() string { return string(r.ID) }

// SetRecordID sets the identifier that the exchange issues.
func (r *Record) SetRecordID(id string) { r.ID = ID(id) }

// The years of a DateTime, in UTC.
const (
	firstYear = 1
	lastYear  = 9999
)

var (
	errDate       = errors.New("must be a day of the calendar written YYYY-MM-DD")
	errDateTime   = errors.New("must be an RFC 3339 date and time with an offset, such as 2026-01-31T12:00:00Z")
	errLeapSecond = errors.New("must not be a leap second (:60), which cannot be kept; send :59 or the second after")
	errFiner      = errors.New("must not be finer than a nanosecond, nine digits after the point")
	errYear       = errors.New("must lie in the years 0001 to 9999, UTC")
)

// Date is a day, YYYY-MM-DD. The zero value is absent.
type Date string

// UnmarshalJSON reads a day of the calendar.
func (d *Date) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, null) {
		*d = ""
		return nil
	}
	text, err := unquote(b)
	if err != nil || !isDay(text) {
		return errDate
	}
	*d = Date(text)
	return nil
}

// MarshalJSON writes the day. It refuses what UnmarshalJSON does not read.
func (d Date) MarshalJSON() ([]byte, error) {
	if d == "" {
		return null, nil
	}
	if !isDay(string(d)) {
		return nil, errDate
	}
	return []byte(`"` + d + `"`), nil
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// DateOf returns the day of an instant in a time zone.
func DateOf(t time.Time, zone *time.Location) Date { return Date(t.In(zone).Format(time.DateOnly)) }

// DateTime is an instant, to the nanosecond. It is read as RFC 3339 with any offset and written in UTC. The zero
// DateTime is absent. Every instant is a value, 0001-01-01T00:00:00Z included, although it is the zero time.Time.
type DateTime struct {
	instant time.Time
	present bool
}

// Instant returns t as a DateTime, in UTC and without the monotonic clock.
func Instant(t time.Time) DateTime { return DateTime{t.UTC().Round(0), true} }

// Time returns the instant in UTC; the zero time.Time if d is absent.
func (d DateTime) Time() time.Time { return d.instant }

// IsZero reports whether the instant is absent.
func (d DateTime) IsZero() bool { return !d.present }

// Before reports whether d is before other. Both must be present.
func (d DateTime) Before(other DateTime) bool { return d.instant.Before(other.instant) }

// String returns the instant as it is written, empty if it is absent.
func (d DateTime) String() string {
	if !d.present {
		return ""
	}
	return d.instant.Format(time.RFC3339Nano)
}

// UnmarshalJSON reads an RFC 3339 instant. It refuses one that it could not keep as it is: a leap second, a fraction
// finer than a nanosecond, and a year outside 0001 to 9999 in UTC.
func (d *DateTime) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, null) {
		*d = DateTime{}
		return nil
	}
	text, err := unquote(b)
	if err != nil {
		return errDateTime
	}
	t, err := parseRFC3339(text)
	if err != nil {
		return err
	}
	*d = Instant(t)
	if !d.InRange() {
		return errYear
	}
	return nil
}

// MarshalJSON writes RFC 3339 in UTC. It refuses a year that UnmarshalJSON does not read.
func (d DateTime) MarshalJSON() ([]byte, error) {
	if !d.present {
		return null, nil
	}
	if !d.InRange() {
		return nil, errYear
	}
	return d.instant.AppendFormat(nil, `"`+time.RFC3339Nano+`"`), nil
}

// InRange reports whether the instant lies in the years 0001 to 9999, UTC, and so can be written. Only a computed
// instant does not.
func (d DateTime) InRange() bool {
	year := d.instant.Year()
	return year >= firstYear && year <= lastYear
}

// dateTimeForm is where an RFC 3339 instant has its digits (0) and its separators, up to the fraction; offsetForm is
// an offset other than Z.
const (
	dateTimeForm = "0000-00-00T00:00:00"
	offsetForm   = "+00:00"
)

// parseRFC3339 reads an instant strictly. time.Parse alone would also take an hour of one digit, a comma before the
// fraction and an offset of any size, and would cut a fraction after nine digits.
func parseRFC3339(text string) (time.Time, error) {
	text = strings.ToUpper(text) // RFC 3339 allows a lower-case t and z
	if len(text) <= len(dateTimeForm) || !hasForm(text[:len(dateTimeForm)], dateTimeForm) {
		return time.Time{}, errDateTime
	}
	rest := text[len(dateTimeForm):]
	if rest[0] == '.' {
		digits := len(rest) - 1 - len(strings.TrimLeft(rest[1:], "0123456789"))
		if digits == 0 {
			return time.Time{}, errDateTime
		}
		if digits > 9 && strings.Trim(rest[10:1+digits], "0") != "" {
			return time.Time{}, errFiner
		}
		rest = rest[1+digits:]
	}
	if rest != "Z" {
		// Hours to 23 and minutes to 59: two digits compare as the numbers they are.
		if len(rest) != len(offsetForm) || !hasForm("+"+rest[1:], offsetForm) || rest[0] != '+' && rest[0] != '-' ||
			rest[1:3] > "23" || rest[4:] > "59" {
			return time.Time{}, errDateTime
		}
	}
	if text[17:19] == "60" {
		return time.Time{}, errLeapSecond
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, errDateTime
	}
	return t, nil
}

// hasForm reports whether text has a digit where form has 0, and elsewhere what form has.
func hasForm(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		if isDigit := text[i] >= '0' && text[i] <= '9'; form[i] == '0' && !isDigit ||
			form[i] != '0' && text[i] != form[i] {
			return false
		}
	}
	return true
}
