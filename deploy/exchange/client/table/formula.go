package table

import (
	"regexp"
	"strings"
)

// formulaStarts are the characters with which a spreadsheet takes a text for a formula: those that OWASP lists under "CSV
// Injection", among them the wide forms that some spreadsheets take for the others.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// A number is no formula, though it may begin with a sign.
var number = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// Neutral returns a text such that no spreadsheet takes it for a formula: with an apostrophe before it if it would. A text
// that begins with apostrophes and would be one without them gets one more, so that Original returns every text as it
// was. A number stays as it is.
func Neutral(text string) string {
	if formula(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

// Original returns the text of which Neutral made another.
func Original(text string) string {
	if rest, is := strings.CutPrefix(text, "'"); is && formula(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return text
}

func formula(text string) bool {
	for _, first := range text {
		return strings.ContainsRune(formulaStarts, first) && !number.MatchString(text)
	}
	return false
}
