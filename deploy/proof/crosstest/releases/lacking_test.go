package releases_test

import "testing"

// knownToLack are the rules of the interface that the last release of a process does not hold to, as area and name.
// A line goes with the release that mends it: a rule that the last release does hold to fails the
// test.
var knownToLack = map[string][]string{
	"coverage": {
		`corrections: :renew of a term of a year from 29 February keeps its length by the calendar`,
		`corrections: :renew of a term of a year until a second before midnight keeps its length by the calendar`,
		`corrections: :renew of a term of half a year until 30 June keeps its length by the calendar`,
	},
	"desk": {
		`beyond: PUT /x/contract/{contract} keeps a time zone, and quarters from the month of inception`,
		`beyond: PUT /x/contract/{contract} takes a currency that ISO 4217 has withdrawn since 2000, with a warning`,
	},
}

// since is why the last release lacks the rules.
const since = "decided after the release"

// lacking returns the rules that the last release of a process is known to lack.
func lacking(t *testing.T, name string) map[string]string {
	t.Helper()
	rules := map[string]string{}
	for _, rule := range knownToLack[name] {
		rules[rule] = since
	}
	return rules
}
