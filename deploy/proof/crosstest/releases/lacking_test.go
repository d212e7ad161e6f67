package releases_test

import (
	"slices"
	"testing"
)

// knownToLack are the rules of the interface that the last release of a process does not hold to, as area and name.
// A line goes with the release that mends it: a rule that the last release does hold to fails the
// test.
var knownToLack = map[string][]string{
	"coverage": {
		`beyond: :endorse with an effectiveDate: a loss is judged by what counts at lossDate`,
		`beyond: :endorse with an effectiveDate outside the term is 400, before that of the last endorsement 409`,
		`beyond: :endorse of a policy extension takes no effectiveDate (400)`,
		`beyond: :cancel with an effectiveDate ends cover then, and the status is cancelled at once`,
		`beyond: :cancel with an effectiveDate outside the term, or that is no instant, is 400`,
		`beyond: a policy that insures what another one does, and a second renewal, warn`,
		`beyond: replaces names a policy of any line when a policy is created (404, 400), and /x/policy of both says so`,
		`beyond: brokerId and agentId name an insuranceEntity, by its id or ref: (404, 400)`,
		`beyond: GET /x/asof/{coverage}/{id}?effective= reads the version that counts at an instant`,
		`corrections: :renew of a term of a year from 29 February keeps its length by the calendar`,
		`corrections: :renew of a term of a year until a second before midnight keeps its length by the calendar`,
		`corrections: :renew of a term of half a year until 30 June keeps its length by the calendar`,
	},
	"claims": {
		`beyond: :endorse with an effectiveDate: a loss is judged by what counts at lossDate`,
		`claims: :settle of 0 with a reason closes without a payment, and without one is 400`,
		`claims: what is unusual about a claim is a warning, and no refusal`,
		`claims: :reopen takes a reserve, which sets lastUpdate, and a reason`,
		`claims: POST /x/claim/{id}:pay adds a payment to a claim that is not closed, and leaves its status`,
		`claims: POST /x/claim/{id}:pay is the event exchange.claim.paid`,
	},
	"desk": {
		`beyond: PUT /x/reconciliation/profile/{name} declares how headers, amounts and dates are written`,
		`beyond: PUT /x/contract/{contract} keeps a time zone, and quarters from the month of inception`,
		`beyond: PUT /x/contract/{contract} takes a currency that ISO 4217 has withdrawn since 2000, with a warning`,
	},
	"premium": {
		`receipts: what is unusual about a receipt is a warning, and no refusal`,
		`receipts: effectiveDate of a receipt is a day (400)`,
		`receipts: :refund with a paymentAmount gives back a part, and without one all that is left`,
		`receipts: :refund of less than 1 or of more than the receipt is 400`,
		`receipts: :refund of more than is left is 409 and says how much is`,
		`receipts: refunds at once give back no more than the receipt`,
		`receipts: the rows of a policy count the parts that were given back`,
		`receipts: GET /x/policy/{policyNumber} shows what is left of each receipt`,
	},
}

// Of the names that callers give to records, a process of the last release lacks what concerns its resources, and what
// others look up in it.
func init() {
	lines := []string{"motorCoverage", "cyberLiabilityCoverage", "travelCoverage", "propertyCoverage",
		"tradeCreditCoverage", "businessInterruptionCoverage", "petCoverage"}
	owns := map[string][]string{
		"coverage": slices.Concat(lines,
			[]string{"vehicle", "driver", "business", "traveller", "property", "debtor", "pet"}),
		"claims": {"claim", "claimsBordereau"}, "premium": {"receipt", "premiumBordereau"},
		"parties":  {"insuranceEntity", "personal", "commercial", "beneficiary"},
		"products": {"product", "policyWording"},
	}
	lacks := func(process string, rules ...string) {
		for _, rule := range rules {
			knownToLack[process] = append(knownToLack[process], "beyond: "+rule)
		}
	}
	for process, resources := range owns {
		for _, resource := range resources {
			lacks(process, "POST /"+resource+" takes an externalReference, which no other record has")
		}
	}
	refers := func(resource, member string, processes ...string) {
		for _, process := range processes {
			lacks(process, "POST /"+resource+" takes ref: and an externalReference as "+member)
		}
	}
	for _, line := range lines {
		lacks("coverage", line+" :endorse and :renew take an externalReference that no other policy has")
		if line != "businessInterruptionCoverage" {
			refers(line, "policyholderId", "coverage", "parties")
		}
		for _, process := range []string{"coverage", "parties"} {
			lacks(process, "ref: and the name of parties of two kinds is 409 for "+line)
		}
	}
	for line, member := range map[string]string{
		"motorCoverage": "vehicleId", "cyberLiabilityCoverage": "businessId", "travelCoverage": "travellerIds",
		"propertyCoverage": "propertyId", "tradeCreditCoverage": "debtorId",
		"businessInterruptionCoverage": "propertyRef", "petCoverage": "petId",
	} {
		refers(line, member, "coverage")
	}
	refers("motorCoverage", "driverId", "coverage")
	refers("claim", "policyNumber", "coverage", "claims")
	refers("receipt", "policyNumber", "coverage", "premium")
	refers("product", "wording", "products")
	for _, process := range []string{"coverage", "claims", "premium"} {
		lacks(process, "ref: and the name of policies of two lines is 409 for a claim and a receipt")
	}
	lacks("coverage", "an externalReference that nobody could tell from another is 400")
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
