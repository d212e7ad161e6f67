package coverage_test

import (
	"path"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// TestAPolicyNamesWhoBroughtIt creates policies of the lines that name a broker and an agent, and endorses and renews
// them.
func TestAPolicyNamesWhoBroughtIt(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	for i, l := range lines {
		if l.name == "travelCoverage" {
			continue // of which only the term is endorsed
		}
		at, number := policy(t, s, i)
		if a := s.Must(200, "GET", at, ""); strings.Contains(a.Text, "brokerId") {
			t.Errorf("a policy that names no broker has one: %s", a.Text)
		}
		endorse := func(status int, member, value string) servicetest.Response {
			return s.Must(status, "POST", at+":endorse", `{"endorsementType":"addition","`+member+`":`+value+`}`)
		}
		for _, member := range []string{"brokerId", "agentId"} {
			for value, status := range map[string]int{
				`"01930000-0000-7000-8000-000000000005"`: 404, `"B-17"`: 404, `"` + holder + `"`: 404,
				`7`: 400, `["` + broker + `"]`: 400,
			} {
				refused := map[int]string{404: "insurance-entity-not-found", 400: "invalid-field"}[status]
				if a := endorse(status, member, value); a.Member("type") != "/problems/"+refused ||
					!strings.Contains(a.Text, `"pointer":"/`+member+`"`) {
					t.Errorf("%s, %s %s: %s", l.name, member, value, a.Text)
				}
			}
			if a := endorse(200, member, `"`+broker+`"`); a.Member(member) != broker {
				t.Errorf("%s: %s", l.name, a.Text)
			}
			if a := endorse(200, member, `"ref:BROKER"`); a.Member(member) != broker {
				t.Errorf("%s, by reference: %s", l.name, a.Text)
			}
		}
		if a := s.Must(200, "GET", "/internal/policy-records/"+number, ""); strings.Contains(a.Text, `"id":"`+broker) {
			t.Errorf("%s insures its broker: %s", l.name, a.Text)
		}
		renewed := s.Must(201, "POST", at+":renew", "")
		if renewed.Member("brokerId") != broker || renewed.Member("agentId") != broker {
			t.Errorf("%s, renewed: %s", l.name, renewed.Text)
		}
		s.Must(404, "POST", path.Dir(at)+"/"+renewed.Member("id")+":renew", `{"brokerId":"`+holder+`"}`)
	}
}
