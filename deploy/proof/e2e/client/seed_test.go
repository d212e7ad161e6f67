package client_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// policyResources are the resources of policies.
var policyResources = []string{
	"motorCoverage", "cyberLiabilityCoverage", "propertyCoverage", "tradeCreditCoverage",
	"businessInterruptionCoverage", "petCoverage",
	"travelCoverage",
}

// values counts the values of a member over all records of resources.
func (s *shell) values(t *testing.T, member string, resources ...string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, resource := range resources {
		for _, line := range s.run(t, "list", resource, "--all", "-o", "json").want(t, 0).lines() {
			var record map[string]any
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				t.Fatal(err)
			}
			if value, is := record[member].(string); is {
				counts[value]++
			} else {
				counts[""]++
			}
		}
	}
	return counts
}

// TestSeed makes the smallest book twice. It has a policy of every line, policies in every state and claims in every
// state, and the records that the examples of the document name. The second run creates nothing.
func TestSeed(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	first := s.run(t, "seed", "--size", "7").want(t, 0, "Look at it:", "0 there before")
	for _, resource := range policyResources {
		if n := len(s.values(t, "policyNumber", resource)); n < 2 {
			t.Errorf("there are %d policies of %s, want the example's and one more", n, resource)
		}
	}
	for member, want := range map[string][]string{"status": {"in force", "extended", "cancelled"},
		"claimStatus": {"open", "closed", "reopened"}} {
		resources := policyResources
		if member == "claimStatus" {
			resources = []string{"claim"}
		}
		counts := s.values(t, member, resources...)
		for _, value := range want {
			if counts[value] == 0 {
				t.Errorf("nothing has the %s %q: %v", member, value, counts)
			}
		}
	}
	if refunds := s.values(t, "reverses", "receipt"); len(refunds) < 2 {
		t.Errorf("no receipt was refunded: %v", refunds)
	}
	for resource, filter := range map[string]string{
		"personal": "idNumber=X1234567", "commercial": "registrationNumber=09876543",
		"insuranceEntity":  "registrationNumber=01234567",
		"premiumBordereau": "treatyReference=QS-2026-01", "claimsBordereau": "treatyReference=QS-2026-01",
	} {
		if n := len(s.run(t, "list", resource, "--filter", filter).want(t, 0).lines()); n == 0 {
			t.Errorf("the examples name %s with %s, and there is none", resource, filter)
		}
	}
	for _, command := range lines(first.stdout[strings.Index(first.stdout, "Look at it:")+len("Look at it:\n"):]) {
		s.shell(t, strings.TrimSpace(command)).want(t, 0)
	}

	before := s.values(t, "id", append([]string{"claim", "receipt", "personal", "vehicle"}, policyResources...)...)
	again := s.run(t, "seed", "--size", "7").want(t, 0).stdout
	for _, line := range lines(again) {
		if strings.Contains(line, " made") && !strings.Contains(line, " 0 made") {
			t.Errorf("the second run made something: %s", line)
		}
	}
	if after := s.values(t, "id", append([]string{"claim", "receipt", "personal", "vehicle"},
		policyResources...)...); len(after) != len(before) {
		t.Errorf("there were %d records, and are %d after the second run", len(before), len(after))
	}
	s.run(t, "seed", "--size", "8").want(t, 0, " 1 made")
	s.run(t, "seed", "--size", "7", "--seed", "2", "--as-of", "2026-10-01").want(t, 0, " there before")
	s.run(t, "seed", "--size", "3").want(t, 2, "at least 7")
}

// TestSeedGoesByTheTestClock makes a book of the day that the clock shows; the book of another day is another one.
func TestSeedGoesByTheTestClock(t *testing.T) {
	t.Parallel()
	s := newShell(t, "EXCHANGE_TEST_CLOCK=2031-01-15T08:00:00Z")
	s.run(t, "seed", "--size", "7").want(t, 0, "Look at it:")
	paid := s.values(t, "receiptDate", "receipt")
	if paid["2031-01-15"]+paid["2031-01-15T00:00:00Z"] == 0 {
		t.Errorf("nothing was paid on the day of the clock: %v", paid)
	}
	policies := len(s.values(t, "policyNumber", policyResources...))
	wantPolicies := func(want int) {
		t.Helper()
		if got := len(s.values(t, "policyNumber", policyResources...)); got != want {
			t.Errorf("there are %d policies, not %d", got, want)
		}
	}
	s.run(t, "seed", "--size", "7", "--as-of", "2031-01-15").want(t, 0, " 0 made")
	wantPolicies(policies)
	s.run(t, "seed", "--size", "7", "--as-of", "2030-12-01").want(t, 0, "Look at it:")
	more := len(s.values(t, "policyNumber", policyResources...))
	if more <= policies {
		t.Errorf("another day made no other book: %d policies, and %d", policies, more)
	}
	s.run(t, "seed", "--size", "7").want(t, 0, " 0 made")
	wantPolicies(more)
}

// amounts sums a member over records by another member, or by several.
func amounts(records []trial.Record, member string, by ...string) map[string]float64 {
	sums := map[string]float64{}
	for _, r := range records {
		var key []string
		for _, name := range by {
			key = append(key, r.Text(name))
		}
		amount, _ := r[member].(float64)
		sums[strings.Join(key, "|")] += amount
	}
	return sums
}

// TestSeedAgreesWithItself makes a book and looks for what disagrees in it: each row of the premium bordereau is the
// sum of its receipts, each policy's premium is what its rows have, each row of the claims bordereau says what its
// claim says, and each loss is of a time with cover. Only the differences that seed announces are found, and each of
// them. Of some receipts a part is given back, and some claims are paid in part.
func TestSeedAgreesWithItself(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	said := s.run(t, "seed", "--size", "28").want(t, 0, "On purpose three things disagree").stdout
	receipts := s.records(t, "receipt")
	kept := map[string]trial.Record{}
	for _, r := range receipts {
		kept[r.Text("id")] = r
	}
	claims := map[string]trial.Record{} // by their number, and by their policy
	for _, claim := range s.records(t, "claim") {
		claims[claim.Text("claimNumber")], claims[claim.Text("policyNumber")] = claim, claim
	}
	counted, parts := []trial.Record{}, 0
	for _, r := range receipts {
		amount, of := r["paymentAmount"].(float64), r
		if reversed := r.Text("reverses"); reversed != "" {
			of = kept[reversed]
			if amount < of["paymentAmount"].(float64) && r["refundNumber"] == 1.0 {
				parts++
			}
			amount = -amount
		}
		policy := of["policyNumber"]
		if policy == nil {
			policy = claims[of.Text("claimNumber")]["policyNumber"]
		}
		counted = append(counted, trial.Record{
			"policyNumber": policy, "transactionType": of["receiptType"], "grossWrittenPremium": amount,
		})
	}
	const sum = "grossWrittenPremium"
	want := amounts(counted, sum, "policyNumber", "transactionType")
	var rows []trial.Record
	wait.Until(t, func() error { // a row is right within a second of its last receipt
		rows = s.records(t, "premiumBordereau")
		if got := amounts(rows, sum, "policyNumber", "transactionType"); !maps.Equal(got, want) {
			return fmt.Errorf("the rows have the sums %v, and the receipts %v", got, want)
		}
		return nil
	})
	var premium []trial.Record
	for _, row := range rows {
		payment := row.Text("transactionType") == "claim payment"
		if row.Text("period") == "" {
			t.Errorf("a row was not made by receipts: %v", row)
		}
		if (row.Text("treatyReference") == "QS-2026-01") == payment {
			t.Errorf("a row of premium is under the treaty, and no other: %v", row)
		}
		if !payment {
			premium = append(premium, row)
		}
	}
	var found []string
	written := amounts(premium, sum, "policyNumber")
	for _, policy := range s.records(t, "motorCoverage") {
		if number := policy.Text("policyNumber"); policy.Text("status") != "cancelled" &&
			policy[sum] != written[number] {
			found = append(found, number)
		}
	}
	ends := map[string]string{}
	for _, resource := range policyResources {
		for _, policy := range s.records(t, resource) {
			if number := policy.Text("policyNumber"); policy.Text("status") == "cancelled" {
				ends[number] = s.tester(t).Get(t, "/x/policy/"+number).Record(t).Text("coverEnds")
			}
		}
	}
	claimRows, interim := s.records(t, "claimsBordereau"), 0
	for _, row := range claimRows {
		claim := claims[row.Text("policyNumber")]
		if end := ends[row.Text("policyNumber")]; end != "" && claim.Text("lossDate") >= end {
			found = append(found, claim.Text("claimNumber"))
		}
		paid := 0.0
		payments, _ := claim["payments"].([]any)
		for _, one := range payments {
			paid += one.(map[string]any)["paymentAmount"].(float64)
		}
		if claim.Text("claimStatus") == "open" && paid > 0 {
			interim++
		}
		if row["claimStatus"] != claim["claimStatus"] || row["paid"] != paid || row["fnol"] != claim["fnol"] ||
			row["GrosslLossReserve"] != claim["reserve"] {
			found = append(found, claim.Text("claimNumber"))
		}
	}
	if len(claimRows) != len(claims)/2 {
		t.Errorf("there are %d rows for %d claims", len(claimRows), len(claims)/2)
	}
	_, purpose, _ := strings.Cut(said, "On purpose")
	for _, number := range found {
		if !strings.Contains(purpose, number) {
			t.Errorf("%s disagrees, and seed did not say so:\n%s", number, said)
		}
	}
	if len(found) != 3 {
		t.Errorf("%d things disagree: %v", len(found), found)
	}
	if parts == 0 || interim == 0 {
		t.Errorf("%d receipts were given back in part, and %d open claims were paid in part", parts, interim)
	}
}

// TestSeedHints pastes the hints of seed into a shell that knows nothing of the exchange.
func TestSeedHints(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	said := s.run(t, "seed", "--size", "7", "--url", s.url, "--data", s.Data).want(t, 0).stdout
	_, hints, _ := strings.Cut(said, "Look at it:\n")
	rows := 0
	for _, hint := range lines(hints) {
		s.shell(t, strings.TrimSpace(hint), "EXCHANGE_URL=", "EXCHANGE_DATA=").want(t, 0)
		if strings.Contains(hint, "export premiumBordereau") {
			hint = strings.Replace(hint, "bordereau.xlsx", "rows.csv", 1)
			rows = len(s.shell(t, hint+" && cat rows.csv").want(t, 0).lines())
		}
	}
	ceded := 0
	for _, row := range s.records(t, "premiumBordereau") {
		if row.Text("transactionType") != "claim payment" {
			ceded++
		}
	}
	if rows-1 != ceded {
		t.Errorf("the hint exports %d rows of premium, and there are %d", rows-1, ceded)
	}
}
