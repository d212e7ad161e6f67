package sheet

import (
	"regexp"
	"strings"
)

// formulaStarts are the characters with which a spreadsheet takes a text for a formula: those that OWASP lists under
// "CSV Injection", among them the wide forms that some spreadsheets take for the others.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// signed matches numbers. They are no formulas, although they may begin with a sign.
var signed = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// Neutral returns a text that no spreadsheet takes for a formula: it puts an apostrophe before a text that would be
// one. It does the same if the text already begins with apostrophes and would be a formula without them, so that
// Original returns every text as it was. Numbers stay unchanged.
func Neutral(text string) string {
	if formula(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

// Original reverses Neutral.
func Original(text string) string {
	if rest, is := strings.CutPrefix(text, "'"); is && formula(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return text
}

func formula(text string) bool {
	for _, first := range text {
		return strings.ContainsRune(formulaStarts, first) && !signed.MatchString(text)
	}
	return false
}
