package search

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// apart are the letters that Unicode does not take apart into a letter of the alphabet and a mark, and the
// apostrophes. FoldName has folded case before.
var apart = strings.NewReplacer(
	"ł", "l", "ø", "o", "đ", "d", "ð", "d", "ħ", "h", "ŧ", "t", "ı", "i", "ŋ", "n", "ĸ", "k", "æ", "ae", "œ", "oe",
	"þ", "th", "ƒ", "f", "ə", "e",
	"\u2018", "'", "\u2019", "'", "\u201b", "'", "\u02bb", "'", "\u02bc", "'", "\u02b9", "'", "\u2032", "'", "`", "'",
	"\u00b4", "'", "\uff07", "'",
)

// FoldName returns what a name is found by: regardless of case, of accents and other marks on letters, and of which
// apostrophe was typed. Letters with marks of their own are their plain letters: Żółć is found as zolc, Straße as
// strasse, O’Brien as o'brien.
func FoldName(name string) string {
	if isPlain(name) {
		return strings.ToLower(name)
	}
	// A Caser may hold state, so each use has its own. Some apostrophes come apart into a blank and a mark.
	folded := apart.Replace(cases.Fold().String(apart.Replace(name)))
	var plain strings.Builder
	for _, r := range norm.NFKD.String(folded) {
		if r < firstMark || r > lastMark {
			plain.WriteRune(r)
		}
	}
	return norm.NFC.String(plain.String())
}

// The marks that are put on letters of the European scripts. Those of others tell letters apart.
const (
	firstMark = '\u0300'
	lastMark  = '\u036f'
)

// isPlain reports whether a name has nothing to fold but case.
func isPlain(name string) bool {
	for i := range len(name) {
		if name[i] >= unicode.MaxASCII || name[i] == '`' {
			return false
		}
	}
	return true
}

// whole are the scripts in which one character may be a name.
var whole = []*unicode.RangeTable{unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana}

// prefixed reports whether a text is long enough to ask for values that begin with it.
func (f *Field) prefixed(text string) bool {
	runes := []rune(text)
	return len(runes) >= leastPrefix || len(runes) == 1 && !f.composed && unicode.In(runes[0], whole...)
}
