// Package number makes record numbers that a person can read out, write down and mistype: a prefix, ten characters
// without I, L, O and U, and a check character that finds every single wrong character and nearly all transpositions.
//
// The characters are those of Crockford's base 32, which encoding/base32 writes. It has no check character.
package number

import (
	"strings"

	"github.com/google/uuid"
)

const (
	// alphabet is Crockford's base 32.
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	// checkAlphabet is the alphabet of ISO 7064, MOD 37,36.
	checkAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	length        = 10
)

// Of returns the number of the record with an id, such as POL-7K3M9-QXD2A-4. It is made from the last 50 bits of the
// id, which are random in a UUID of version 4 or 7. Two records may get the same number; only a unique index prevents
// that.
func Of(prefix string, id uuid.UUID) string {
	var bits uint64
	for _, b := range id[8:] {
		bits = bits<<8 | uint64(b)
	}
	var digits [length]byte
	for i := length - 1; i >= 0; i-- {
		digits[i] = alphabet[bits&31]
		bits >>= 5
	}
	code := string(digits[:])
	return prefix + "-" + code[:5] + "-" + code[5:] + "-" + string(check(prefix+code))
}

// Valid reports whether a number has the form of Of and the right check character, so that it can have been issued.
func Valid(prefix, number string) bool {
	body, isOurs := strings.CutPrefix(number, prefix+"-")
	if !isOurs || len(body) != length+3 || body[5] != '-' || body[11] != '-' {
		return false
	}
	code := body[:5] + body[6:11]
	for i := range len(code) {
		if strings.IndexByte(alphabet, code[i]) < 0 {
			return false
		}
	}
	return check(prefix+code) == body[12]
}

// check returns the check character of ISO 7064, MOD 37,36, over letters and digits.
func check(text string) byte {
	const modulus = 36
	p := modulus
	for i := range len(text) {
		p += strings.IndexByte(checkAlphabet, text[i])
		if p > modulus {
			p -= modulus
		}
		p = p * 2 % (modulus + 1)
	}
	return checkAlphabet[(modulus+1-p)%modulus]
}
