package releases_test

import "testing"

// knownToLack are the rules of the interface that the last release of a process does not hold to, as area and name.
// A line goes with the release that mends it: a rule that the last release does hold to fails the
// test.
var knownToLack = map[string][]string{
	"claims": {
		`beyond: GET /x/bordereau/{contract}/claims/{period} has the claims of a policy that is assigned, and a supplement is kept`,
	},
	"coverage": {
		`beyond: GET /x/bordereau/{contract}/claims/{period} has the claims of a policy that is assigned, and a supplement is kept`,
		pairing,
		`beyond: GET /x/bordereau/{contract}/{kind}/{period} has the receipts of a policy that is assigned, and a period is not prepared before it is over`,
	},
	"desk": {
		`beyond: GET /x/bordereau/{contract}/claims/{period} has the claims of a policy that is assigned, and a supplement is kept`,
	},
	"parties": {
		pairing,
		`beyond: GET /x/bordereau/{contract}/claims/{period} has the claims of a policy that is assigned, and a supplement is kept`,
		`beyond: GET /x/bordereau/{contract}/{kind}/{period} has the receipts of a policy that is assigned, and a period is not prepared before it is over`,
	},
	"premium": {
		pairing,
		`beyond: GET /x/bordereau/{contract}/{kind}/{period} has the receipts of a policy that is assigned, and a period is not prepared before it is over`,
	},
}

// pairing is the rule about receipts and rows of files, which asks for what bordereaux are made of.
const pairing = `beyond: POST /x/reconciliation/run pairs a row with the receipt of its policy, until somebody parts them`

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
