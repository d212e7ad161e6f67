package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// kinds returns the types of the warnings of a response.
func kinds(a servicetest.Response) string {
	warnings, _ := a.Body["warnings"].([]any)
	var kinds []string
	for _, w := range warnings {
		kinds = append(kinds, w.(map[string]any)["type"].(string))
	}
	return strings.Join(kinds, " ")
}

// TestAnObjectThatIsInsuredTwice insures an object again, by policies of each line whose terms meet in all ways.
func TestAnObjectThatIsInsuredTwice(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	const always = "" // no expiryDate, which one line may leave out
	for _, l := range lines {
		insure := func(object, from, until string) servicetest.Response {
			dates := `"inceptionDate":"` + from + `T00:00:00Z"`
			if until != always {
				dates += `,"expiryDate":"` + until + `T00:00:00Z"`
			}
			driver := s.Create("driver", `{"licence":{"expiryDate":"2050-01-01"}}`)
			body := strings.NewReplacer("{object}", object, "{driver}", driver, term, dates).Replace(l.body)
			return s.Must(201, "POST", "/"+l.name, `{"policyholderId":"`+holder+`",`+body+`}`)
		}
		for _, c := range []struct {
			from, until, cancel  string // of the policy that is there
			inception, expiry    string
			isCoveredTwice, open bool
		}{
			{"2026-01-01", "2027-01-01", "", "2025-01-01", "2026-01-01", false, false},
			{"2026-01-01", "2027-01-01", "", "2027-01-01", "2028-01-01", false, false},
			{"2026-01-01", "2027-01-01", "", "2025-01-01", "2030-01-01", true, false},
			// A policy that is void covers nothing twice, and one that is cancelled nothing from then on.
			{"2040-01-01", "2041-01-01", "2040-01-01", "2040-01-01", "2041-01-01", false, false},
			{"2040-01-01", "2041-01-01", "2040-07-01", "2040-06-30", "2041-01-01", true, false},
			{"2040-01-01", "2041-01-01", "2040-07-01", "2040-07-01", "2041-01-01", false, false},
			{"2026-01-01", "2027-01-01", "now", "2026-05-31", "2027-01-01", true, false},
			{"2026-01-01", "2027-01-01", "now", "2026-06-01", "2027-01-01", false, false},
			{"2026-01-01", always, "", "2050-01-01", "2051-01-01", true, true},
			{"2026-01-01", always, "now", "2050-01-01", "2051-01-01", false, true},
			{"2050-01-01", "2051-01-01", "", "2026-01-01", always, true, true},
			{"2024-01-01", "2025-01-01", "", "2026-01-01", always, false, true},
		} {
			if c.open && l.name != "businessInterruptionCoverage" {
				continue
			}
			object := s.Create(l.object, l.objectBody)
			first := insure(object, c.from, c.until)
			if got := kinds(first); got != "" {
				t.Errorf("%s: the first policy warns of %s", l.name, got)
			}
			cancel := "/" + l.name + "/" + first.Member("id") + ":cancel"
			if c.cancel == "now" {
				s.Must(200, "POST", cancel, "")
			} else if c.cancel != "" {
				s.Must(200, "POST", cancel, `{"effectiveDate":"`+c.cancel+`T00:00:00Z"}`)
			}
			want, number := "", ""
			if c.isCoveredTwice && l.name != "travelCoverage" { // which covers people
				want, number = "possible-double-cover", "Policy "+first.Member("policyNumber")+" covers "+object
			}
			if a := insure(object, c.inception, c.expiry); kinds(a) != want || !strings.Contains(a.Text, number) {
				t.Errorf("%s %+v warns of %q, not %q of %s", l.name, c, kinds(a), want, number)
			}
		}
	}
}

// TestWhatIsNotInsuredTwice writes policies that have something in common with others: a property that another line is
// about, and the eleventh of many properties. The tenth is looked at.
func TestWhatIsNotInsuredTwice(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	write := func(line, body string) string {
		return kinds(s.Must(201, "POST", "/"+line, `{"policyholderId":"`+holder+`",`+body+`,`+term+`}`))
	}
	properties := make([]string, 10)
	insured := func() string {
		property := s.Create("property", `{"propertyType":"Farm"}`)
		if got := write("propertyCoverage", `"propertyId":"`+property+`"`); got != "" {
			t.Errorf("a property warns of %q", got)
		}
		if got := write("businessInterruptionCoverage", `"propertyRef":"`+property+
			`","type":"Business Interruption","IndemnityPeriod":1`); got != "" {
			t.Errorf("a business that a property interrupts warns of %q", got)
		}
		return property
	}
	for place, want := range map[int]string{9: "possible-double-cover", 10: ""} {
		for i := range properties {
			properties[i] = s.Create("property", `{"propertyType":"Farm"}`)
		}
		ids := slices.Concat(properties[:place], []string{insured()})
		if got := write("propertyCoverage", `"propertyIds":["`+strings.Join(ids, `","`)+`"]`); got != want {
			t.Errorf("a property at place %d that is insured warns of %q", place, got)
		}
	}
}

// TestARenewalOfARenewedPolicy renews a policy twice, and one that was cancelled before is no double cover.
func TestARenewalOfARenewedPolicy(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	path, _ := policy(t, s, cyberLine)
	first := s.Must(201, "POST", path+":renew", "")
	if got := kinds(first); got != "" {
		t.Errorf("the first renewal warns of %s", got)
	}
	second := s.Must(201, "POST", path+":renew", "")
	if got := kinds(second); got != "renewed-already possible-double-cover" ||
		!strings.Contains(second.Text, "Policy "+first.Member("policyNumber")+" renews") {
		t.Errorf("the second renewal warns of %q: %s", got, second.Text)
	}
}

// TestAnEndorsementThatChangesNothing is warned of, and made.
func TestAnEndorsementThatChangesNothing(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	path, _ := policy(t, s, cyberLine)
	for body, want := range map[string]string{
		`{"endorsementType":"addition"}`: "empty-endorsement", `{"endorsementType":"addition","note":1}`: "",
		`{"endorsementType":"addition","indemnityLimitPolicy":1}`: "empty-endorsement",
	} {
		if got := kinds(s.Must(200, "POST", path+":endorse", body)); got != want {
			t.Errorf("%s warns of %q, not %q", body, got, want)
		}
	}
}
