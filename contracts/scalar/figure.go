package scalar

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// figures are the numbers that a string may have in the place of a JSON number.
var figures = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

var (
	errNoFigure   = errors.New("must be a number, or a string with its digits such as \"12.50\"")
	errLongFigure = fmt.Errorf("must be a number of at most %d characters", maxDigits)
)

// Figure is an amount of the desk: a number with its digits, which callers may also send as a string. It is written
// as a JSON number. The zero value is absent.
type Figure string

// UnmarshalJSON keeps the digits of a JSON number, or of a string.
func (f *Figure) UnmarshalJSON(b []byte) error {
	text, quoted, err := digitsOf(b)
	switch {
	case err != nil:
		return err
	case quoted && len(text) > maxDigits:
		return errLongFigure
	case quoted && !figures.MatchString(text):
		return errNoFigure
	}
	*f = Figure(text)
	return nil
}

// MarshalJSON writes a JSON number. It refuses what is none.
func (f Figure) MarshalJSON() ([]byte, error) { return Decimal(f).MarshalJSON() }

// Digits is a percentage, a rate or another number of the desk that is written as a string, which callers may also
// send as a JSON number. What a string has is kept whatever it is; who reads it says what is wrong with it. The zero
// value is absent.
type Digits string

// UnmarshalJSON keeps a string, or the digits of a JSON number.
func (d *Digits) UnmarshalJSON(b []byte) error {
	text, _, err := digitsOf(b)
	if err == nil {
		*d = Digits(text)
	}
	return err
}

// digitsOf returns the text of a JSON string, or the digits of a number, and reports whether it was a string.
func digitsOf(b []byte) (text string, quoted bool, err error) {
	switch value := jsontext.Value(b); value.Kind() {
	case jsontext.KindNull:
		return "", false, nil
	case jsontext.KindNumber:
		return string(b), false, nil
	case jsontext.KindString:
		raw, err := jsontext.AppendUnquote(nil, value)
		return string(raw), true, err
	}
	return "", false, errNoFigure
}
