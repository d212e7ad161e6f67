package coverage_test

import (
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/coverage"
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

// TestWhatAPolicyHasIsNotLookedAtAgain changes and renews a policy with a broker that parties does not know any more,
// as those of earlier releases may have: only another broker is looked up.
func TestWhatAPolicyHasIsNotLookedAtAgain(t *testing.T) {
	var forgotten atomic.Bool
	s := servicetest.Start(t, coverage.Service().Definition(), servicetest.Options{
		Clock: servicetest.At(t, "2026-06-01T00:00:00Z"),
		Peers: map[string]http.Handler{"parties": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if forgotten.Load() && strings.HasSuffix(r.URL.Path, broker) {
				http.Error(w, "{}", http.StatusNotFound)
				return
			}
			partiesWithHolder.ServeHTTP(w, r)
		})},
	})
	at, _ := policy(t, s, 0)
	s.Must(200, "POST", at+":endorse", `{"endorsementType":"addition","brokerId":"`+broker+`"}`)
	forgotten.Store(true)
	was := s.Must(200, "GET", at, "").Text
	for _, a := range []servicetest.Response{s.Must(200, "PUT", at, was),
		s.Must(200, "POST", at+":endorse", `{"endorsementType":"addition","grossWrittenPremium":7}`),
		s.Must(201, "POST", at+":renew", "")} {
		if a.Member("brokerId") != broker {
			t.Error(a.Text)
		}
	}
	s.Must(404, "POST", at+":renew", `{"brokerId":"`+broker+`"}`)
	s.Must(404, "POST", at+":endorse", `{"endorsementType":"addition","agentId":"`+broker+`"}`)
}
