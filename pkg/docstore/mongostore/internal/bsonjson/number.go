package bsonjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// number reads a number and appends it: as int64, as Decimal128, or as text.
func (e *encoder) number(kind int) error {
	text, integer := numberAt(e.text[e.at:])
	if text == nil {
		return errOtherForm
	}
	e.at += len(text)
	if integer && !bytes.Equal(text, []byte("-0")) {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			e.out[kind] = byte(bson.TypeInt64)
			e.out = binary.LittleEndian.AppendUint64(e.out, uint64(n))
			return nil
		}
	}
	if d, ok := parseDecimal(text); ok {
		var room [64]byte
		if bytes.Equal(d.append(room[:0]), text) {
			high, low := d.encode()
			e.out[kind] = byte(bson.TypeDecimal128)
			e.out = binary.LittleEndian.AppendUint64(e.out, low)
			e.out = binary.LittleEndian.AppendUint64(e.out, high)
			return nil
		}
	}
	e.out[kind] = byte(bson.TypeEmbeddedDocument)
	e.out = appendKept(e.out, text)
	return nil
}

// numberAt returns the JSON number that text begins with, and whether it has neither a fraction nor an exponent. It
// returns nil if there is none.
func numberAt(text []byte) (number []byte, integer bool) {
	i := 0
	at := func() byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	digits := func() bool {
		start := i
		for at() >= '0' && at() <= '9' {
			i++
		}
		return i > start
	}
	if at() == '-' {
		i++
	}
	if at() == '0' {
		i++
	} else if !digits() {
		return nil, false
	}
	integer = true
	if at() == '.' {
		i++
		integer = false
		if !digits() {
			return nil, false
		}
	}
	if at() == 'e' || at() == 'E' {
		i++
		integer = false
		if at() == '+' || at() == '-' {
			i++
		}
		if !digits() {
			return nil, false
		}
	}
	return text[:i], integer
}

// decimal is a number that Decimal128 holds: the coefficient high<<64 + low, times a power of ten.
type decimal struct {
	negative  bool
	high, low uint64
	exponent  int
}

// The bounds and the layout of Decimal128.
const (
	maxDigits                = 34
	minExponent, maxExponent = -6176, 6111
	signBit                  = 63
	exponentBit              = 49
)

// parseDecimal returns a JSON number as a decimal, if that has enough digits and exponents for it.
func parseDecimal(text []byte) (d decimal, ok bool) {
	if text[0] == '-' {
		d.negative = true
		text = text[1:]
	}
	digits, fraction := 0, false
	for i, c := range text {
		switch c {
		case '.':
			fraction = true
			continue
		case 'e', 'E':
			exponent, err := strconv.ParseInt(string(text[i+1:]), 10, 16)
			if err != nil {
				return d, false
			}
			d.exponent += int(exponent)
			return d, d.inRange()
		}
		if c != '0' || digits > 0 {
			if digits++; digits > maxDigits {
				return d, false
			}
			carry, low := bits.Mul64(d.low, 10)
			var more uint64
			d.low, more = bits.Add64(low, uint64(c-'0'), 0)
			d.high = d.high*10 + carry + more
		}
		if fraction {
			d.exponent--
		}
	}
	return d, d.inRange()
}

func (d decimal) inRange() bool { return d.exponent >= minExponent && d.exponent <= maxExponent }

func (d decimal) encode() (high, low uint64) {
	high = d.high | uint64(d.exponent-minExponent)<<exponentBit
	if d.negative {
		high |= 1 << signBit
	}
	return high, d.low
}

// decodeDecimal returns the decimal of a Decimal128. ok is false if that is no finite number, or is none that encode
// makes.
func decodeDecimal(high, low uint64) (d decimal, ok bool) {
	d = decimal{
		negative: high>>signBit == 1, high: high & (1<<exponentBit - 1), low: low,
		exponent: int(high>>exponentBit&(1<<14-1)) + minExponent,
	}
	return d, d.inRange()
}

// append appends the decimal as a JSON number.
func (d decimal) append(out []byte) []byte {
	if d.negative {
		out = append(out, '-')
	}
	var room [40]byte
	digits := d.digits(room[:0])
	// point is the number of digits before the decimal point.
	point := len(digits) + d.exponent
	switch {
	case d.exponent == 0:
		return append(out, digits...)
	case d.exponent < 0 && point > 0:
		return append(append(append(out, digits[:point]...), '.'), digits[point:]...)
	case d.exponent < 0 && point > -6:
		out = append(out, "0.000000"[:2-point]...)
		return append(out, digits...)
	}
	out = append(out, digits[0])
	if len(digits) > 1 {
		out = append(append(out, '.'), digits[1:]...)
	}
	out = append(out, 'e')
	if point > 0 {
		out = append(out, '+')
	}
	return strconv.AppendInt(out, int64(point-1), 10)
}

// digits appends the digits of the coefficient, without leading zeros.
func (d decimal) digits(out []byte) []byte {
	if d.high == 0 {
		return strconv.AppendUint(out, d.low, 10)
	}
	// high is less than 2^49, and so less than the divisor.
	const divisor, zeros = 1e17, 17
	front, back := bits.Div64(d.high, d.low, divisor)
	out = strconv.AppendUint(out, front, 10)
	tail := strconv.FormatUint(back, 10)
	for range zeros - len(tail) {
		out = append(out, '0')
	}
	return append(out, tail...)
}
