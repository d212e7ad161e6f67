package claims_test

import (
	"net/http"
	"strings"
	"testing"
)

// policies is a coverage service with policies that are stranger than those of the contract. It maps policy numbers
// to responses.
type policies map[string]string

func (p policies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	facts, ok := p[strings.TrimPrefix(r.URL.Path, "/internal/policy/")]
	if !ok {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(facts))
}

// TestATimeIsAValueWhateverItIs sends the zero instant, which must be treated like every other time.
func TestATimeIsAValueWhateverItIs(t *testing.T) {
	s := start(t, policies{
		"ANCIENT": `{"policyNumber":"ANCIENT","covers":["fire"],"causeSet":"MotorPeril","inceptionDate":"0001-01-01T00:00:00Z","expiryDate":"0002-01-01T00:00:00Z"}`,
	})
	const first = "0001-01-01T00:00:00Z"
	a := s.Must(201, "POST", "/claim", `{"policyNumber":"ANCIENT","lossDate":"`+first+`","fnol":"`+first+
		`","lossCause":"fire","claimType":"other"}`)
	if a.Member("fnol") != first || a.Member("lossDate") != first {
		t.Error(a.Text)
	}
	a = s.Must(200, "PUT", "/claim/"+a.Member("id"), `{"reserve":7}`)
	if a.Member("fnol") != first || a.Member("lossDate") != first {
		t.Errorf("a replacement lost a time: %s", a.Text)
	}
	a = s.Must(201, "POST", "/claimsBordereau", `{"treatyReference":"T","fnol":"`+first+`"}`)
	if a = s.Must(200, "GET", "/claimsBordereau/"+a.Member("id"), ""); a.Member("fnol") != first {
		t.Error(a.Text)
	}
}

func TestTimesThatRFC3339DoesNotHaveAreRefused(t *testing.T) {
	s := start(t, coverage(t))
	for _, wrong := range []string{
		"2026-01-31T1:00:00Z", "2026-01-31T10:00:00,5Z", "2026-01-31T10:00:00+24:00", "2026-01-31T10:00:00+12:60",
		"2026-06-30T23:59:60Z", "2026-01-31T10:00:00.0000000001Z",
	} {
		a := s.Must(400, "POST", "/claimsBordereau", `{"fnol":"`+wrong+`"}`)
		if !strings.Contains(a.Text, `"pointer":"/fnol"`) {
			t.Error(a.Text)
		}
	}
	if a := s.Must(201, "POST", "/claimsBordereau",
		`{"fnol":"2026-01-31t10:00:00.5z"}`); a.Member("fnol") != "2026-01-31T10:00:00.5Z" {
		t.Error(a.Text)
	}
}

// TestWaitingPeriodOfCenturies counts more days than a time.Duration can hold.
func TestWaitingPeriodOfCenturies(t *testing.T) {
	s := start(t, policies{
		"LONG": `{"policyNumber":"LONG","covers":["Cancer"],"causeSet":"PetBenefit","waitingPeriod":150000,"waits":"inceptionDate to lossDate","inceptionDate":"1500-01-01T00:00:00Z"}`,
	})
	for lossDate, warned := range map[string]bool{"1910-09-08T23:59:59Z": true, "1910-09-09T00:00:00Z": false,
		"2026-01-01T00:00:00Z": false} {
		a := s.Must(201, "POST", "/claim", `{"policyNumber":"LONG","lossDate":"`+lossDate+
			`","lossCause":"Cancer","claimType":"other"}`)
		if strings.Contains(a.Text, "waiting-period") != warned {
			t.Errorf("loss at %s: %s", lossDate, a.Text)
		}
	}
}
