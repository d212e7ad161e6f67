package sheet_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/sheet"
)

func TestNeutral(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+44 20": "'+44 20", "-cmd": "'-cmd", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx",
		"＝1": "'＝1", "--5": "'--5",
		"'=1": "''=1", "''=1": "'''=1", "-": "'-", "+1-1": "'+1-1",
		"-5": "-5", "+5": "+5", "-0.12": "-0.12", "-1e9": "-1e9", "-.5": "-.5", "": "", "'": "'", "O'Hara": "O'Hara",
		"'quoted'": "'quoted'",
		"'-5":      "'-5", "5-5": "5-5",
	} {
		if got := sheet.Neutral(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzNeutral checks that Original returns every text, and that no written text begins as a formula does.
func FuzzNeutral(f *testing.F) {
	for _, text := range []string{"=1", "''=1", "-5", "'-5", "+", "'", "\t"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		neutral := sheet.Neutral(text)
		if back := sheet.Original(neutral); back != text {
			t.Errorf("%q was written as %q and read as %q", text, neutral, back)
		}
		if strings.HasPrefix(neutral, "=") || strings.HasPrefix(neutral, "@") {
			t.Errorf("%q is written as the formula %q", text, neutral)
		}
	})
}
