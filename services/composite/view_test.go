package composite_test

import (
	"net/http"
	"testing"
)

// TestAPolicyThatNobodyLooksUpIsNotShown takes coverage away: then only what lies under a policy shows that there is
// one.
func TestAPolicyThatNobodyLooksUpIsNotShown(t *testing.T) {
	empty := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"claims":{"records":[]},"claimRows":{"records":[]},` +
			`"receipts":{"records":[]},"rows":{"records":[]}}`))
	})
	for is, instead := range map[string]http.Handler{"older": older, "broken": broken} {
		for _, shows := range []string{"", "claims", "premium"} {
			peers := without(t, empty, "claims", "premium")
			peers["coverage"] = instead
			if shows != "" {
				peers[shows] = stubs(t)[shows]
			}
			s := start(t, peers)
			for path, of := range map[string]string{"": shows, "?part=claims": "claims", "?part=insured": "no"} {
				want := 503
				if shows != "" && of == shows {
					want = 200
				}
				if a := s.Do("GET", "/x/policy/P1"+path, ""); a.Status != want {
					t.Errorf("coverage is %s, %q shows: %s is %d, want %d", is, shows, path, a.Status, want)
				}
			}
		}
	}
}
