package releases_test

import "testing"

// knownToLack are the rules of the interface that the last release of a process does not hold to, as area and name.
// A line goes with the release that mends it: a rule that the last release does hold to fails the
// test.
var knownToLack = map[string][]string{
	"parties": {
		`records: a required text of which nothing is seen is missing`,
	},
	"coverage": {
		`idempotency: the same request is the same JSON value, however it is written, and null is absent`,
		`versions: If-Match compares strongly: a weak tag is 400, as is what is no tag`,
		`versions: PUT with an If-None-Match that has no entity tag is 400, a GET passes it over`,
		`corrections: :renew of a term of a year from 29 February keeps its length by the calendar`,
		`corrections: :renew of a term of a year until a second before midnight keeps its length by the calendar`,
		`corrections: :renew of a term of half a year until 30 June keeps its length by the calendar`,
		`syntax: POST /motorCoverage/{id}:endorse refuses members that the action does not have`,
		`syntax: POST /motorCoverage/{id}:cancel refuses members that the action does not have`,
		`syntax: POST /motorCoverage/{id}:renew refuses members that the action does not have`,
		`syntax: POST /cyberLiabilityCoverage/{id}:endorse refuses members that the action does not have`,
		`syntax: POST /cyberLiabilityCoverage/{id}:cancel refuses members that the action does not have`,
		`syntax: POST /cyberLiabilityCoverage/{id}:renew refuses members that the action does not have`,
		`syntax: POST /travelCoverage/{id}:endorse refuses members that the action does not have`,
		`syntax: POST /travelCoverage/{id}:cancel refuses members that the action does not have`,
		`syntax: POST /propertyCoverage/{id}:endorse refuses members that the action does not have`,
		`syntax: POST /propertyCoverage/{id}:cancel refuses members that the action does not have`,
		`syntax: POST /propertyCoverage/{id}:renew refuses members that the action does not have`,
		`syntax: POST /tradeCreditCoverage/{id}:endorse refuses members that the action does not have`,
		`syntax: POST /tradeCreditCoverage/{id}:cancel refuses members that the action does not have`,
		`syntax: POST /tradeCreditCoverage/{id}:renew refuses members that the action does not have`,
		`syntax: POST /businessInterruptionCoverage/{id}:endorse refuses members that the action does not have`,
		`syntax: POST /businessInterruptionCoverage/{id}:cancel refuses members that the action does not have`,
		`syntax: POST /businessInterruptionCoverage/{id}:renew refuses members that the action does not have`,
		`syntax: POST /petCoverage/{id}:endorse refuses members that the action does not have`,
		`syntax: POST /petCoverage/{id}:cancel refuses members that the action does not have`,
		`syntax: POST /petCoverage/{id}:renew refuses members that the action does not have`,
	},
	"claims": {
		`syntax: POST /claim/{id}:settle refuses members that the action does not have`,
		`syntax: POST /claim/{id}:reopen refuses members that the action does not have`,
		`syntax: POST /claim/{id}/documents refuses members that the action does not have`,
	},
	"desk": {
		`beyond: PUT /x/contract/{contract} keeps a time zone, and quarters from the month of inception`,
		`beyond: PUT /x/contract/{contract} takes a currency that ISO 4217 has withdrawn since 2000, with a warning`,
	},
	"premium": {
		`syntax: POST /receipt/{id}:refund refuses members that the action does not have`,
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
