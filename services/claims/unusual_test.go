package claims_test

import (
	"cmp"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// kinds returns the types of the warnings of a response.
func kinds(a servicetest.Response) (kinds []string) {
	warnings, _ := a.Body["warnings"].([]any)
	for _, w := range warnings {
		kinds = append(kinds, w.(map[string]any)["type"].(string))
	}
	return kinds
}

// TestWhatIsUnusualAboutAClaim files claims that are unusual. Each is made, and says why, once.
func TestWhatIsUnusualAboutAClaim(t *testing.T) {
	s := start(t, policies{"P1": `{"policyNumber":"P1","inceptionDate":"2026-01-01T00:00:00Z"}`})
	filed := func(path, lossDate, more string) servicetest.Response {
		status := map[string]int{"/claim": 201, "/x/claim/admissibility": 200}[path]
		return s.Must(status, "POST", path,
			`{"policyNumber":"P1","lossDate":"`+lossDate+`","claimType":"other"`+more+`}`)
	}
	last := ""
	for i, c := range []struct{ lossDate, more, want string }{
		{"2026-02-01T08:00:00Z", `,"lossCause":"hail"`, ""},
		{"2026-02-01T23:59:59Z", `,"lossCause":"hail"`, "possible-duplicate"},
		{"2026-02-01T00:00:00Z", `,"lossCause":"hail"`, "possible-duplicate"},
		{"2026-02-02T00:00:00Z", `,"lossCause":"hail"`, ""},
		{"2026-02-01T08:00:00Z", `,"lossCause":"fire"`, ""},
		{"2026-02-03T00:00:00Z", `,"fnol":"2026-02-02T23:59:59Z"`, "notified-before-loss"},
		{"2100-01-01T00:00:00Z", `,"fnol":"2100-01-01T00:00:00Z"`, "loss-in-the-future"},
		{"2026-02-04T00:00:00Z", `,"reserve":-1`, "negative-amount"},
		{"2026-02-05T00:00:00Z", `,"excessAmount":-1`, "negative-amount"},
		{"2026-02-06T00:00:00Z", `,"liabilityShare":101`, "share-out-of-range"},
		{"2026-02-07T00:00:00Z", `,"liabilityShare":-1`, "share-out-of-range"},
		{"2026-02-08T00:00:00Z", `,"liabilityShare":100,"reserve":0,"excessAmount":0`, ""},
	} {
		for _, path := range []string{"/x/claim/admissibility", "/claim"} {
			a := filed(path, c.lossDate, c.more)
			if got := strings.Join(kinds(a), " "); got != c.want {
				t.Errorf("claim %d by %s: %q, want %q", i, path, got, c.want)
			}
			if c.want == "possible-duplicate" && !strings.Contains(a.Text, "Claim "+last+" of the policy") {
				t.Errorf("claim %d by %s does not name the claim %s: %s", i, path, last, a.Text)
			}
			last = cmp.Or(a.Member("claimNumber"), last)
		}
	}
	claim := "/claim/" + filed("/claim", "2026-03-01T00:00:00Z", "").Member("id")
	for body, want := range map[string]string{
		`{"liabilityShare":101}`: "share-out-of-range", `{"liabilityShare":50,"reserve":-5}`: "negative-amount",
		`{"reserve":5,"lossDate":"2026-02-01T08:00:00Z","lossCause":"hail","fnol":"2026-01-01T00:00:00Z"}`: "",
	} {
		s.Must(200, "PUT", claim, `{"liabilityShare":50,"reserve":5}`)
		if got := strings.Join(kinds(s.Must(200, "PUT", claim, body)), " "); got != want {
			t.Errorf("a replacement by %s warns of %q, not %q", body, got, want)
		}
	}
}

// TestHowFarBackAClaimIsCompared files a claim again after many others or large ones: only the newest fifty are looked
// at, and a mebibyte of them.
func TestHowFarBackAClaimIsCompared(t *testing.T) {
	for _, c := range []struct {
		others, size int
		warns        bool
	}{{49, 0, true}, {50, 0, false}, {16, 60_000, true}, {18, 60_000, false}} {
		s := start(t, policies{"P1": `{"policyNumber":"P1","inceptionDate":"2026-01-01T00:00:00Z"}`})
		file := func(cause string, size int) servicetest.Response {
			return s.Must(201, "POST", "/claim", `{"policyNumber":"P1","lossDate":"2026-02-01T08:00:00Z","claimType":"other",
				"lossCause":"`+cause+`","description":"`+strings.Repeat("x", size)+`"}`)
		}
		file("hail", 0)
		for range c.others {
			file("fire", c.size)
		}
		if a := file("hail", 0); strings.Contains(a.Text, "possible-duplicate") != c.warns {
			t.Errorf("after %d claims of %d characters: %q", c.others, c.size, kinds(a))
		}
	}
}
