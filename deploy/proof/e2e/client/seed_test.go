package client_test

import (
	"encoding/json"
	"strings"
	"testing"
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
	s.run(t, "seed", "--size", "3").want(t, 2, "at least 7")
}
