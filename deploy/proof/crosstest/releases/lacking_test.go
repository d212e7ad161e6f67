package releases_test

import "testing"

// knownToLack are the rules of the interface that the last release of a process does not hold to, as area and name.
// A line goes with the release that mends it: a rule that the last release does hold to fails the
// test.
var knownToLack = map[string][]string{
	"parties": {
		`records: a value that identifies something is 400 with a control or invisible character or a blank at an end`,
		`records: values that identify something are found in either form of Unicode`,
		`beyond: GET /x/search/{resource}?expand= embeds what a policy, a claim and a receipt name, and no others`,
	},
	"coverage": {
		`records: a value that identifies something is 400 with a control or invisible character or a blank at an end`,
		`versions: GET and HEAD with an If-Match that does not name the record's version are 412`,
		`versions: PUT with an If-None-Match that names the record's version is 412`,
		`versions: no cache may keep a record (Cache-Control: no-store), nor a browser guess its type (nosniff)`,
		`versions: POST /motorCoverage/{id}:endorse: an If-None-Match that names the record's version is 412`,
		`versions: POST /motorCoverage/{id}:cancel: an If-None-Match that names the record's version is 412`,
		`versions: POST /motorCoverage/{id}:renew: an If-None-Match that names the record's version is 412`,
		`versions: POST /cyberLiabilityCoverage/{id}:endorse: an If-None-Match that names the record's version is 412`,
		`versions: POST /cyberLiabilityCoverage/{id}:cancel: an If-None-Match that names the record's version is 412`,
		`versions: POST /cyberLiabilityCoverage/{id}:renew: an If-None-Match that names the record's version is 412`,
		`versions: POST /travelCoverage/{id}:endorse: an If-None-Match that names the record's version is 412`,
		`versions: POST /travelCoverage/{id}:cancel: an If-None-Match that names the record's version is 412`,
		`versions: POST /propertyCoverage/{id}:endorse: an If-None-Match that names the record's version is 412`,
		`versions: POST /propertyCoverage/{id}:cancel: an If-None-Match that names the record's version is 412`,
		`versions: POST /propertyCoverage/{id}:renew: an If-None-Match that names the record's version is 412`,
		`versions: POST /tradeCreditCoverage/{id}:endorse: an If-None-Match that names the record's version is 412`,
		`versions: POST /tradeCreditCoverage/{id}:cancel: an If-None-Match that names the record's version is 412`,
		`versions: POST /tradeCreditCoverage/{id}:renew: an If-None-Match that names the record's version is 412`,
		`versions: POST /businessInterruptionCoverage/{id}:endorse: an If-None-Match that names the record's version is 412`,
		`versions: POST /businessInterruptionCoverage/{id}:cancel: an If-None-Match that names the record's version is 412`,
		`versions: POST /businessInterruptionCoverage/{id}:renew: an If-None-Match that names the record's version is 412`,
		`versions: POST /petCoverage/{id}:endorse: an If-None-Match that names the record's version is 412`,
		`versions: POST /petCoverage/{id}:cancel: an If-None-Match that names the record's version is 412`,
		`versions: POST /petCoverage/{id}:renew: an If-None-Match that names the record's version is 412`,
		`syntax: a body with two Content-Types is 400`,
		`syntax: POST and PUT take no parameters: one that is sent is 400, and nothing is written`,
		`syntax: a policy with the unknown member x-more is made, with a warning where a field is meant`,
		`syntax: a policy with the unknown member perills is made, with a warning where a field is meant`,
		`syntax: a policy with the unknown member Premium is made, with a warning where a field is meant`,
		`syntax: a missing member is named with the one like it that was sent`,
		`beyond: GET /x/search/{resource}?expand= embeds what a policy, a claim and a receipt name, and no others`,
		`beyond: GET /x/events has every version of a record as one event, in order`,
		`beyond: POST /x/batch creates records that refer to each other, once for a key`,
		`beyond: POST /x/batch with an operation that would be refused is 422, and writes nothing`,
		`beyond: GET /x/policy/{policyNumber} shows the policy, what it insures and the claims`,
	},
	"claims": {
		`beyond: GET /x/search/{resource}?expand= embeds what a policy, a claim and a receipt name, and no others`,
		`beyond: GET /x/policy/{policyNumber} shows the policy, what it insures and the claims`,
		`beyond: GET /x/policy/{policyNumber} shows what the claims bordereau says of the policy`,
		`versions: POST /claim/{id}:settle: an If-None-Match that names the record's version is 412`,
		`versions: POST /claim/{id}:reopen: an If-None-Match that names the record's version is 412`,
		`versions: POST /claim/{id}/documents: an If-None-Match that names the record's version is 412`,
	},
	"composite": {
		`beyond: GET /x/policy/{policyNumber} shows what the claims bordereau says of the policy`,
	},
	"premium": {
		`receipts: a receipt says in which row it counts, and the row is found by it`,
		`versions: POST /receipt/{id}:refund: an If-None-Match that names the record's version is 412`,
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
