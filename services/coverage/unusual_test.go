package coverage_test

import (
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

// TestAnObjectThatIsInsuredTwice insures the same object again, by policies of each line whose terms meet in all ways.
func TestAnObjectThatIsInsuredTwice(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	for _, l := range lines {
		object := s.Create(l.object, l.objectBody)
		driver := s.Create("driver", `{"licence":{"expiryDate":"2050-01-01"}}`)
		create := func(from, until string) servicetest.Response {
			body := strings.NewReplacer("{object}", object, "{driver}", driver, term,
				`"inceptionDate":"`+from+`-01-01T00:00:00Z","expiryDate":"`+until+`-01-01T00:00:00Z"`).Replace(l.body)
			return s.Must(201, "POST", "/"+l.name, `{"policyholderId":"`+holder+`",`+body+`}`)
		}
		want := "possible-double-cover"
		if l.name == "travelCoverage" {
			want = "" // it covers people
		}
		first := create("2026", "2027")
		if got := kinds(first); got != "" {
			t.Errorf("%s: the first policy warns of %s", l.name, got)
		}
		for _, c := range []struct{ from, until, want string }{
			{"2025", "2026", ""}, {"2027", "2028", ""}, {"2025", "2030", want},
		} {
			if got := kinds(create(c.from, c.until)); got != c.want {
				t.Errorf("%s from %s to %s warns of %q, not %q", l.name, c.from, c.until, got, c.want)
			}
		}
		// A policy that was void from the beginning covers nothing twice.
		void := create("2040", "2041")
		s.Must(200, "POST", "/"+l.name+"/"+void.Member("id")+":cancel", `{"effectiveDate":"2040-01-01T00:00:00Z"}`)
		if got := kinds(create("2040", "2041")); got != "" {
			t.Errorf("%s beside a policy that was void warns of %q", l.name, got)
		}
	}
}

// TestARenewalOfARenewedPolicy renews a policy twice, and one that was cancelled before is no double cover.
func TestARenewalOfARenewedPolicy(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	path, _ := policy(t, s, cyberLine)
	if got := kinds(s.Must(201, "POST", path+":renew", "")); got != "" {
		t.Errorf("the first renewal warns of %s", got)
	}
	second := s.Must(201, "POST", path+":renew", "")
	if got := kinds(second); got != "renewed-already possible-double-cover" {
		t.Errorf("the second renewal warns of %q", got)
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
