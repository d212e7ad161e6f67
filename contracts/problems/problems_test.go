package problems_test

import (
	"testing"

	"insurance.example/exchange/contracts/problems"
)

func TestEveryTypeHasAText(t *testing.T) {
	texts, err := problems.Texts()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range problems.All() {
		if seen[p.Slug()] {
			t.Errorf("%s is declared twice", p.Slug())
		}
		seen[p.Slug()] = true
		if text := texts[p.Slug()]; text.Means == "" || text.Mend == "" || p.Row == "" || text.Example == nil {
			t.Errorf("%s: row %q, text %+v", p.Slug(), p.Row, text)
		}
		if p.Status() < 400 || p.Status() > 499 || p.Title() == "" {
			t.Errorf("%s: status %d, title %q", p.Slug(), p.Status(), p.Title())
		}
	}
	for slug, text := range texts {
		if text.Example == nil {
			continue
		}
		for _, fault := range text.Example.Errors {
			if fault.Reason == "" {
				t.Errorf("%s: an error of the example has no reason", slug)
			}
		}
	}
}
