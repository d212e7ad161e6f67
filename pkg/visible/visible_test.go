package visible_test

import (
	"testing"

	"insurance.example/exchange/pkg/visible"
)

func TestWhatAReaderDoesNotSee(t *testing.T) {
	for _, text := range []string{
		"", " ", "   ", "\t\r\n", "\u00a0", "\u2003\u3000\u1680", "\u200b", "\u200b \u200d\u2060", "\ufeff", "\u00ad",
		"\u202e", "\u2028\u2029", "\x00\x1f\u0085", "\u3164\u115f\uffa0", "\ufe0f", "\u2800", "\u034f", "\U000e0041",
	} {
		if visible.In(text) {
			t.Errorf("%+q is seen", text)
		}
	}
	for _, text := range []string{
		"a", " a ", "\u200ba", "-", ".", "李", "é", "e\u0301", "\u200f\u05d0", "👍\ufe0f", "\ufffd",
	} {
		if !visible.In(text) {
			t.Errorf("%+q is not seen", text)
		}
	}
}
