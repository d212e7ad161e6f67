package coverage_test

import (
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/coverage"
)

// TestSearchesEmbedWithoutParties searches while the parties service is of a release that returns no records, fails, or
// does not respond. What the service has itself is embedded nevertheless, in place of a member of the same name.
func TestSearchesEmbedWithoutParties(t *testing.T) {
	for is, instead := range map[string]http.HandlerFunc{
		"older": func(w http.ResponseWriter, _ *http.Request) { problem.Write(w, problem.New(problem.NotFound, "")) },
		"broken": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "{}", http.StatusInternalServerError)
		},
		"hanging": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"strange": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"records":7}`)) },
	} {
		s := servicetest.Start(t, coverage.Service().Definition(), servicetest.Options{
			Peers: map[string]http.Handler{"parties": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/internal/records/") {
					instead(w, r)
					return
				}
				partiesWithHolder.ServeHTTP(w, r)
			})},
		})
		pet := s.Create("pet", `{"petKind":"cat"}`)
		made := s.Must(201, "POST", "/petCoverage", `{"policyholderId":"`+holder+`","petId":"`+pet+
			`","benefits":["Cancer"],"pet":"mine"}`)
		a := s.Must(200, "GET", "/x/search/coverage?expand=policyholder,pet,vehicle&fields=resource&policyNumber="+
			made.Member("policyNumber"), "")
		if a.Text != `[{"resource":"petCoverage","policyholder":null,"pet":{"id":"`+pet+
			`","petKind":"cat"},"unresolved":["policyholder"]}]` {
			t.Errorf("parties is %s: %s", is, a.Text)
		}
		a = s.Must(200, "GET", "/x/search/petCoverage?expand=pet", "")
		if strings.Contains(a.Text, "mine") || strings.Count(a.Text, `"pet":`) != 1 {
			t.Error(a.Text)
		}
	}
}
