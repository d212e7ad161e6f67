// Package visible decides which characters a reader sees.
package visible

import (
	"strings"
	"unicode"
)

// brailleBlank is a blank for a reader, and a symbol for Unicode.
const brailleBlank = '\u2800'

// In reports whether a text has a character that a reader sees. Blanks of every kind are not seen.
func In(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return !unicode.IsSpace(c) && c != brailleBlank && !Hidden(c)
	})
}

// Hidden reports whether a character is one of those that do not show, blanks aside: control and format characters,
// those of no width, and those that only say how another one looks.
func Hidden(c rune) bool {
	return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector)
}
