package sheet

import (
	"regexp"
	"strings"
)

// format is what the format of a cell makes of a number.
type format struct {
	// date shows a day, perhaps with a time; timeAlone shows a time without its day.
	date, timeAlone bool
	// scientific shows an exponent, and general does so where a number is long.
	scientific, general bool
	// zeros is how many digits a whole number is shown with at least, if the format has nothing but zeros.
	zeros int
}

// builtIn returns the formats that a workbook refers to by a number and does not have.
func builtIn(id int) format {
	switch {
	case id == 0:
		return format{general: true}
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 31, id >= 34 && id <= 36, id >= 50 && id <= 58:
		return format{date: true} // from 27 on those of East Asia
	case id >= 18 && id <= 21, id == 32, id == 33, id >= 45 && id <= 47:
		return format{timeAlone: true}
	case id == 11, id == 48:
		return format{scientific: true}
	}
	return format{}
}

var (
	onlyZeros = regexp.MustCompile(`^0{2,}$`)
	exponent  = regexp.MustCompile(`[0#?]e[-+]`)
	fraction  = regexp.MustCompile(`s[.,]0+`)
	undated   = regexp.MustCompile(`[acfi-ln-rt-xz]`) // letters that no format of dates has
	forenoon  = strings.NewReplacer("am/pm", "h", "a/p", "h")
)

// formatOf returns what a format makes of a number above 0, for which its first section is.
func formatOf(code string) format {
	plain, elapsed := unquoted(code)
	plain = fraction.ReplaceAllString(forenoon.Replace(strings.ToLower(plain)), "s")
	hours := elapsed || strings.ContainsAny(plain, "hs")
	switch {
	case strings.Contains(plain, "general"):
		return format{general: true}
	case exponent.MatchString(plain):
		return format{scientific: true}
	case onlyZeros.MatchString(code):
		return format{zeros: len(code)}
	case strings.ContainsAny(plain, "0#?"), undated.MatchString(plain):
		return format{}
	case strings.ContainsAny(plain, "yd") || strings.Contains(plain, "m") && !hours:
		return format{date: true}
	}
	return format{timeAlone: hours}
}

// unquoted returns the first section of a format without what it shows literally and without what is in brackets, and
// whether these have a time that has elapsed, such as [h].
func unquoted(code string) (string, bool) {
	var plain, bracket strings.Builder
	quoted, bracketed, elapsed := false, false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case quoted:
			quoted = c != '"'
		case bracketed && c == ']':
			bracketed = false
			elapsed = elapsed || strings.Trim(strings.ToLower(bracket.String()), "hms") == "" && bracket.Len() > 0
			bracket.Reset()
		case bracketed:
			bracket.WriteByte(c)
		case c == '\\', c == '_', c == '*': // the next character stands for itself, a blank or what fills the cell
			i++
		case c == '"':
			quoted = true
		case c == '[':
			bracketed = true
		case c == ';':
			return plain.String(), elapsed
		default:
			plain.WriteByte(c)
		}
	}
	return plain.String(), elapsed
}
