package coverage_test

import (
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/servicetest"
)

// TestAReplacementIsAWholeRecord sends each line's policy without what a creation requires, in every state.
func TestAReplacementIsAWholeRecord(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	for i, l := range lines {
		for _, reach := range []func(path, number string){
			func(string, string) {},
			func(path, _ string) { s.Must(200, "POST", path+":endorse", extension) },
			func(path, _ string) { s.Must(200, "POST", path+":cancel", "") },
			func(_, number string) { s.Must(204, "POST", "/internal/lapse/"+number, "") },
		} {
			path, number := policy(t, s, i)
			whole := s.Must(200, "GET", path, "").Text
			reach(path, number)
			before := s.Must(200, "GET", path, "")
			if a := s.Do("PUT", path, `{}`); a.Status != 400 || !strings.Contains(a.Text, `"is required"`) {
				t.Errorf("%s, %s: an empty replacement: %d %s", l.name, before.Member("status"), a.Status, a.Text)
			}
			// A correction is allowed in every state, keeps status and number, and is recorded in the history.
			a := s.Must(200, "PUT", path, strings.Replace(before.Text, "{", `{"note":"corrected",`, 1))
			if a.Member("status") != before.Member("status") || a.Member("policyNumber") != number ||
				a.Member("note") != "corrected" {
				t.Errorf("%s: %s", l.name, a.Text)
			}
			if history := s.Must(200, "GET", "/x/history"+path, ""); !strings.Contains(history.Text,
				`"note":"corrected"`) {
				t.Errorf("%s: %s", l.name, history.Text)
			}
			if a := s.Do("PUT", path, strings.Replace(strings.Replace(whole, "2027-01-01", "2026-01-01", 1),
				`"status":"in force",`, "", 1)); a.Member("title") != "invalid policy term" {
				t.Errorf("%s: dates out of order: %d %s", l.name, a.Status, a.Text)
			}
		}
	}
}

func TestAnExtendedPolicyKeepsItsExtension(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	for i, l := range lines {
		path, _ := policy(t, s, i)
		extended := s.Must(200, "POST", path+":endorse", extension).Text
		until := func(day string) string { return strings.Replace(extended, "2028-01-01T00:00:00Z", day, 1) }
		for _, refused := range []string{
			until("2027-01-01T00:00:00Z"), until("2026-12-31T23:59:59Z"),
			strings.Replace(extended, `"expiryDate":"2028-01-01T00:00:00Z",`, "", 1),
		} {
			a := s.Must(400, "PUT", path, refused)
			if a.Member("title") != "invalid policy term" || !strings.Contains(a.Text, `"pointer":"/expiryDate"`) {
				t.Errorf("%s: %s", l.name, a.Text)
			}
		}
		if a := s.Must(200, "PUT", path, until("2027-01-01T00:00:00.000000001Z")); a.Member("status") != "extended" {
			t.Errorf("%s: %s", l.name, a.Text)
		}
		if l.name != "travelCoverage" {
			// The rule holds for the extended policy, and not for its renewal.
			s.Must(201, "POST", path+":renew",
				`{"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2026-06-01T00:00:00Z"}`)
		}
		// Once the extension has begun, the policy is in force, and a correction may shorten it.
		clock.Pass(365 * 24 * time.Hour)
		extended = s.Must(200, "GET", path, "").Text
		s.Must(200, "PUT", path, strings.Replace(extended, "2027-01-01T00:00:00.000000001Z", "2026-12-31T00:00:00Z", 1))
		clock.Pass(-365 * 24 * time.Hour)
	}
}

func TestEndorsementsNamedAfterActionsWarn(t *testing.T) {
	s := start(t, nil)
	for i, l := range lines {
		if l.name == "travelCoverage" {
			continue
		}
		path, _ := policy(t, s, i)
		for kind, named := range map[string]string{"policy cancellation": ":cancel", "policy renewal": ":renew",
			"addition": ""} {
			a := s.Must(200, "POST", path+":endorse", `{"endorsementType":"`+kind+`","note":"`+kind+`"}`)
			warnings, _ := a.Body["warnings"].([]any)
			if a.Member("status") != "in force" || (len(warnings) == 1) != (named != "") ||
				!strings.Contains(a.Text, named) {
				t.Errorf("%s: %s: %s", l.name, kind, a.Text)
			}
			// The response can be sent back as a replacement. The warning is not part of the record.
			if a = s.Must(200, "PUT", path, a.Text); strings.Contains(a.Text, "warnings") {
				t.Error(a.Text)
			}
		}
		if history := s.Must(200, "GET", "/x/history"+path, ""); !strings.Contains(history.Text,
			`"endorsementType":"policy cancellation"`) {
			t.Error(history.Text)
		}
	}
}
