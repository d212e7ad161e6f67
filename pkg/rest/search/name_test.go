package search_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/rest/search"
)

// TestNamesAreFoldedAsTheyAreTyped folds names as they are written and as somebody types them who has no such keys.
func TestNamesAreFoldedAsTheyAreTyped(t *testing.T) {
	for written, typed := range map[string]string{
		"Żółć": "zolc", "O’Brien": "o'brien", "O‘Brien": "O'BRIEN", "OʼBrien": "o'brien", "O´Brien": "o`brien",
		"Ångström": "angstrom", "A\u030angstro\u0308m": "Ångström", "Straße": "STRASSE", "Øyvind Sørli": "oyvind sorli",
		"Đorđe": "dorde", "Þór Ægir": "thor aegir", "Çağla Işık": "cagla isik", "İrem": "irem", "Ελένη": "ΕΛΕΝΗ",
		"Ёлкин": "елкин", "ＭＡＲＹ": "mary", "Nguyễn": "nguyen", "김철수": "김철수", "がく": "がく", "मीना": "मीना",
		"SMITH": "smith",
	} {
		if is, want := search.FoldName(written), search.FoldName(typed); is != want || is == "" {
			t.Errorf("%s is folded to %q, and %s to %q", written, is, typed, want)
		}
	}
	for one, other := range map[string]string{"がく": "かく", "मीना": "मना", "O'Brien": "OBrien", "李": "王"} {
		if search.FoldName(one) == search.FoldName(other) {
			t.Errorf("%s and %s are the same name", one, other)
		}
	}
	for name, begins := range map[string]string{"Żółć": "zol", "O’Brien": "O'B", "李明": "李", "김철수": "김"} {
		if !strings.HasPrefix(search.FoldName(name), search.FoldName(begins)) {
			t.Errorf("%s does not begin with %s", name, begins)
		}
	}
}
