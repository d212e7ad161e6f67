//go:build !noconsole

package console_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/beyond"
)

var (
	// recorded are the paths of records, and acted those of what is done to one.
	recorded = regexp.MustCompile(`^/(\w+)/\{\w+\}$`)
	acted    = regexp.MustCompile(`^/(\w+)/\{\w+\}[:/](\w+)$`)
	// happening finds the types that events of the desk have.
	happening = regexp.MustCompile(`\bType: +"(\w+)"`)
)

// TestEventsHaveWords checks that the page has words for each type of events: for the records, and for what happens to
// them.
func TestEventsHaveWords(t *testing.T) {
	english, kinds, done := wordsOf(t, "en.js"), beyond.EventsOfTheDesk(), map[string]bool{}
	for _, of := range []string{"created", "replaced", "altered", "approved", "rejected"} {
		done[of] = true
	}
	for path := range document(t).Paths {
		if of := recorded.FindStringSubmatch(path); of != nil {
			kinds = append(kinds, of[1])
		}
		if of := acted.FindStringSubmatch(path); of != nil {
			done[of[2]] = true
		}
	}
	for _, file := range []string{"bordereau/happened.go", "reconciliation/before.go"} {
		text, err := os.ReadFile("../../services/desk/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range happening.FindAllStringSubmatch(string(text), -1) {
			done[found[1]] = true
		}
	}
	if len(kinds) < 25 || len(done) < 15 {
		t.Errorf("only %v, and %v", kinds, done)
	}
	for _, kind := range kinds {
		if english["kind "+kind] == "" && english["line "+kind] == "" {
			t.Errorf("en.js lacks the kind %s", kind)
		}
	}
	text, err := os.ReadFile("page/words.js")
	if err != nil {
		t.Fatal(err)
	}
	for of := range done {
		if english["event "+of] == "" {
			t.Errorf("en.js lacks the event %s", of)
		}
		if past := !strings.HasSuffix(of, "ed"); past && !strings.Contains(string(text), ": '"+of+"'") {
			t.Errorf("words.js does not say what an event of %s is called once it has happened", of)
		}
	}
}
