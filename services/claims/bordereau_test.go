package claims

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// TestRowsAreFoundByPolicyAndPeriod: a row is in the month and the quarter, in UTC, in which its loss was first
// notified; one that does not say when is in none.
func TestRowsAreFoundByPolicyAndPeriod(t *testing.T) {
	s := servicetest.Start(t, Service().Definition(), servicetest.Options{})
	for _, row := range []string{
		`{"policyNumber":"P1","fnol":"2026-09-30T23:59:59Z"}`, `{"policyNumber":"P1","fnol":"2026-10-01T01:00:00+02:00"}`,
		`{"policyNumber":"P1","fnol":"2026-10-01T00:00:00Z"}`, `{"policyNumber":"P2","fnol":"2026-12-31T23:59:59.9Z"}`,
		`{"policyNumber":"P2"}`,
	} {
		s.Must(201, "POST", "/claimsBordereau", row)
	}
	for query, want := range map[string]int{
		"": 5, "?policyNumber=P1": 3, "?policyNumber=P2": 2,
		"?period=2026-09": 2, "?period=2026-10": 1, "?period=2026-12": 1,
		"?period=2026-11": 0, "?period=2026-Q3": 2, "?period=2026-Q4": 2, "?period=2027-Q1": 0,
		"?period=2026-Q4&policyNumber=P2": 1, "?period=2026-09&policyNumber=P2": 0,
	} {
		if got := strings.Count(s.Must(200, "GET", "/claimsBordereau"+query, "").Text, `"id"`); got != want {
			t.Errorf("%s: %d rows, want %d", query, got, want)
		}
	}
	for _, wrong := range []string{"2026", "2026-13", "2026-Q5", "26-Q1", "2026-Q", "2026-1", ""} {
		s.Must(400, "GET", "/claimsBordereau?period="+wrong, "")
	}
}
