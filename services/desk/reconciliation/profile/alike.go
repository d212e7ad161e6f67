package profile

import (
	"fmt"
	"unicode"

	"insurance.example/exchange/contracts/reconciliation"
)

// identifies reports whether a meaning is that of an identifier.
func identifies(means string) bool {
	return means == reconciliation.LineID || means == reconciliation.PolicyNumber ||
		means == reconciliation.ClaimNumberColumn
}

// alike returns why an identifier cannot be read: it has a character that nobody sees, or one that looks like another.
// Two identifiers that look equal would be two.
func alike(value string) (reason string) {
	for _, c := range value {
		looks := ""
		switch {
		case c == '-' || c == ' ':
			continue
		case unicode.Is(unicode.Dash, c):
			looks = "looks like a hyphen"
		case unicode.Is(unicode.Zs, c):
			looks = "looks like a space"
		case unicode.Is(unicode.Cf, c), unicode.Is(unicode.Variation_Selector, c):
			looks = "nobody sees"
		}
		if looks != "" {
			return fmt.Sprintf("has the character %U, which %s", c, looks)
		}
	}
	return ""
}
