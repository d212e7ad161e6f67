package scalar

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNotNumber = errors.New("must be a number")
	errNotInt    = errors.New("must be a whole number")
	errNotInt64  = errors.New("must be a whole number of at most 64 bits")
)

// Int is a whole number of 64 bits. It is read from any JSON number with an integral value (12, 12.0, 1.2e1).
type Int int64

// UnmarshalJSON reads a JSON number with an integral value.
func (i *Int) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*i = Int(v)
		return nil
	}
	whole, err := parseWhole(b, 19, errNotInt64)
	if err != nil {
		return err
	}
	if !whole.IsInt64() {
		return errNotInt64
	}
	*i = Int(whole.Int64())
	return nil
}

// maxDigits is the greatest number of characters of a number in a body. It also limits an Integer, so that every
// number in a response can be sent back.
const maxDigits = 64

var errLongInteger = fmt.Errorf("must be a whole number of at most %d digits", maxDigits)

// Integer is a whole number beyond 64 bits: a sum. It is read like an Int, holds up to 64 characters (a sign and its
// digits), and has one form for each value, so that two are compared with ==. The zero value is absent.
type Integer string

// IntegerOf returns a whole number as an Integer.
func IntegerOf(v *big.Int) Integer { return Integer(v.String()) }

// UnmarshalJSON reads a JSON number with an integral value.
func (i *Integer) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, null) {
		*i = ""
		return nil
	}
	whole, err := parseWhole(b, maxDigits, errLongInteger)
	if err != nil {
		return err
	}
	*i = IntegerOf(whole)
	_, err = i.MarshalJSON()
	return err
}

// MarshalJSON writes the digits. It refuses what UnmarshalJSON does not read.
func (i Integer) MarshalJSON() ([]byte, error) {
	if i == "" {
		return null, nil
	}
	if len(i) > maxDigits {
		return nil, errLongInteger
	}
	if v, ok := new(big.Int).SetString(string(i), 10); !ok || v.String() != string(i) {
		return nil, errNotInt
	}
	return []byte(i), nil
}

// parseWhole reads a JSON number with an integral value of up to a number of digits, beyond which it returns tooLong.
func parseWhole(b []byte, digits int64, tooLong error) (*big.Int, error) {
	if !isNumber(b) {
		return nil, errNotInt
	}
	var d apd.Decimal
	if _, _, err := d.SetString(string(b)); err != nil {
		return nil, tooLong
	}
	// Reducing first keeps a literal such as 10e99999 from being written out.
	d.Reduce(&d)
	if d.Exponent < 0 {
		return nil, errNotInt
	}
	if d.NumDigits()+int64(d.Exponent) > digits {
		return nil, tooLong
	}
	whole, ok := new(big.Int).SetString(d.Text('f'), 10)
	if !ok {
		return nil, errNotInt
	}
	return whole, nil
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
		return errNotNumber
	}
	return nil
}

// MarshalJSON writes the literal. It refuses what is no number.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return null, nil
	}
	if !isNumber([]byte(d)) {
		return nil, errNotNumber
	}
	return []byte(d), nil
}

func isNumber(b []byte) bool { return jsontext.Value(b).Kind() == jsontext.KindNumber }
