package releases_test

import "testing"

// knownToLack are the rules of the interface that the last release of a process does not hold to, as area and name,
// with the reason. A line goes with the release that mends it: a rule that the last release does hold to fails the
// test.
var knownToLack = map[string]map[string]string{}

// lacking returns the rules that the last release of a process is known to lack.
func lacking(t *testing.T, name string) map[string]string {
	t.Helper()
	rules := map[string]string{}
	for rule, why := range knownToLack[name] {
		rules[rule] = why
	}
	return rules
}
