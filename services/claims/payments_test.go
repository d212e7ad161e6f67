package claims_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/claims"
)

// paying starts the service with a claim whose reserve is 1000.
func paying(t *testing.T) (s *servicetest.Service, clock *servicetest.Clock, id string) {
	t.Helper()
	clock = servicetest.At(t, "2026-06-01T00:00:00Z")
	s = servicetest.Start(t, claims.Service().Definition(), servicetest.Options{
		Clock: clock, Peers: map[string]http.Handler{"coverage": coverage(t)},
	})
	return s, clock, s.Create("claim", `{"policyNumber":"MOTOR","lossDate":"2026-02-01T00:00:00Z","lossCause":"fire",`+
		`"claimType":"other","reserve":1000}`)
}

// reported returns the claim as the desk reads it, now.
func reported(s *servicetest.Service, clock *servicetest.Clock) string {
	at := clock.Now().UTC().Format(time.RFC3339Nano)
	return s.Must(200, "GET", internalapi.ClaimsPath+internalapi.Oldest+"?at="+at, "").Text
}

// TestAClaimIsPaidBeforeItIsSettled pays parts of an open and of a reopened claim, which stay as they are, and refuses
// what cannot be.
func TestAClaimIsPaidBeforeItIsSettled(t *testing.T) {
	s, clock, id := paying(t)
	path := "/x/claim/" + id + ":pay"
	for body, pointer := range map[string]string{
		`{}`: "/paymentAmount", `{"paymentAmount":0,"paymentMethod":"cash"}`: "/paymentAmount",
		`{"paymentAmount":5}`: "/paymentMethod", `{"paymentAmount":5,"paymentMethod":"shells"}`: "/paymentMethod",
		`{"paymentAmount":5,"paymentMethod":"cash","reason":"x"}`:                    "/reason",
		`{"paymentAmount":5,"paymentMethod":"cash","paidAt":"2026-06-01T00:00:01Z"}`: "/paidAt",
		`{"paymentAmount":5,"paymentMethod":"cash","paidAt":"2026-01-31T23:59:59Z"}`: "/paidAt",
		`{"paymentAmount":5,"paymentMethod":"cash","paidAt":"yesterday"}`:            "/paidAt",
	} {
		if a := s.Must(400, "POST", path, body); !strings.Contains(a.Text, `"pointer":"`+pointer+`"`) {
			t.Errorf("%s is refused with %s", body, a.Text)
		}
	}
	s.Must(404, "POST", "/claim/"+id+":pay", `{"paymentAmount":5,"paymentMethod":"cash"}`)
	s.Must(405, "GET", path, "")
	s.Must(412, "POST", path, `{"paymentAmount":5,"paymentMethod":"cash"}`, "If-Match", `"2"`)
	const first = `{"paymentAmount":300,"paymentMethod":"cash","paidAt":"2026-05-02T10:00:00+02:00"}`
	paid := s.Must(200, "POST", path, first, "Idempotency-Key", "k", "If-Match", `"1"`)
	const kept = `"payments":[{"paymentAmount":300,"paymentMethod":"cash","paidAt":"2026-05-02T08:00:00Z",` +
		`"recordedAt":"2026-06-01T00:00:00Z"}`
	if !strings.Contains(paid.Text, kept) || paid.Member("claimStatus") != "open" || paid.Member("status") != "open" ||
		strings.Contains(paid.Text, `"lastUpdate"`) {
		t.Error(paid.Text)
	}
	again := s.Must(200, "POST", path, first, "Idempotency-Key", "k")
	if strings.Count(again.Text, `"recordedAt"`) != 1 || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Error(again.Text)
	}
	if text := reported(s, clock); strings.Contains(text, `"reservedAfter"`) {
		t.Errorf("the reserve was set before the payment: %s", text)
	}
	s.Must(200, "PUT", "/claim/"+id, `{"reserve":900}`)
	if text := reported(s, clock); !strings.Contains(text, `"reservedAfter":1`) {
		t.Errorf("the reserve was set after the payment: %s", text)
	}
	clock.Pass(time.Hour)
	settled := s.Must(200, "POST", "/claim/"+id+":settle", `{"paymentAmount":400,"paymentMethod":"cash"}`)
	if !strings.Contains(settled.Text, kept+`,{"paymentAmount":400,"paymentMethod":"cash",`+
		`"paidAt":"2026-06-01T01:00:00Z"}]`) {
		t.Error(settled.Text)
	}
	if a := s.Must(409, "POST", path, first); a.Member("state") != "closed" {
		t.Error(a.Text)
	}
	s.Must(200, "POST", "/claim/"+id+":reopen", "")
	now := s.Must(200, "POST", path, `{"paymentAmount":7,"paymentMethod":"cash"}`)
	if !strings.Contains(now.Text, `{"paymentAmount":7,"paymentMethod":"cash","paidAt":"2026-06-01T01:00:00Z",`+
		`"recordedAt":"2026-06-01T01:00:00Z"}]`) || now.Member("claimStatus") != "reopened" {
		t.Error(now.Text)
	}
	if a := s.Must(200, "GET", "/x/history/claim/"+id, ""); strings.Count(a.Text, `"event":"pay"`) != 2 {
		t.Error(a.Text)
	}
}

// TestAClaimIsClosedWithoutAPayment settles a claim with 0 and a reason, and opens it again with a reserve that counts
// as set then, although it is the same.
func TestAClaimIsClosedWithoutAPayment(t *testing.T) {
	s, clock, id := paying(t)
	path := "/claim/" + id
	for body, pointer := range map[string]string{
		`{"paymentAmount":0}`: "/paymentAmount", `{"paymentAmount":0,"paymentMethod":"cash"}`: "/paymentAmount",
		`{"paymentAmount":0,"reason":" "}`: "/paymentAmount", `{"paymentAmount":-1,"reason":"x"}`: "/paymentAmount",
		`{"reason":"x"}`: "/paymentAmount", `{"paymentAmount":1,"reason":"x"}`: "/paymentMethod",
		`{"paymentAmount":0,"reason":"x","paymentMethod":"shells"}`: "/paymentMethod",
	} {
		if a := s.Must(400, "POST", path+":settle", body); !strings.Contains(a.Text, `"pointer":"`+pointer+`"`) {
			t.Errorf("%s is refused with %s", body, a.Text)
		}
	}
	s.Must(200, "POST", "/x"+path+":pay", `{"paymentAmount":300,"paymentMethod":"cash"}`)
	clock.Pass(time.Hour)
	closed := s.Must(200, "POST", path+":settle", `{"paymentAmount":0,"reason":"not covered"}`)
	if !strings.Contains(closed.Text, `{"paymentAmount":0,"paymentMethod":"","paidAt":"2026-06-01T01:00:00Z",`+
		`"reason":"not covered"}]`) || closed.Member("closedAt") != "2026-06-01T01:00:00Z" ||
		closed.Member("claimStatus") != "closed" || closed.Body["paymentMethod"] != nil {
		t.Error(closed.Text)
	}
	s.Must(200, "PUT", path, `{"description":"x"}`)
	clock.Pass(24 * time.Hour)
	for body, pointer := range map[string]string{
		`{"reserve":"much"}`: "/reserve", `{"reserves":1}`: "/reserves", `{"reason":1}`: "/reason",
	} {
		if a := s.Must(400, "POST", path+":reopen", body); !strings.Contains(a.Text, `"pointer":"`+pointer+`"`) {
			t.Errorf("%s is refused with %s", body, a.Text)
		}
	}
	opened := s.Must(200, "POST", path+":reopen", `{"reason":"new facts","reserve":1000}`)
	if opened.Body["closedAt"] != nil || opened.Member("lastUpdate") != "2026-06-02" ||
		opened.Member("reopenDate") != "2026-06-02" || !strings.Contains(opened.Text, `"reserve":1000`) {
		t.Error(opened.Text)
	}
	for range 2 {
		if text := reported(s, clock); !strings.Contains(text, `"reservedAfter":2`) {
			t.Errorf("the reserve was set after both payments: %s", text)
		}
		s.Must(200, "POST", "/x"+path+":pay", `{"paymentAmount":1,"paymentMethod":"cash"}`)
	}
	if a := s.Must(200, "GET", "/x/history"+path, ""); !strings.Contains(a.Text, `"reason":"new facts"`) {
		t.Error(a.Text)
	}
	// A payment closes it at its own instant, and reads as it always has.
	paid := s.Must(200, "POST", path+":settle", `{"paymentAmount":5,"paymentMethod":"cheque"}`)
	if paid.Body["closedAt"] != nil || paid.Member("paymentMethod") != "cheque" ||
		!strings.Contains(paid.Text, `{"paymentAmount":5,"paymentMethod":"cheque","paidAt":"2026-06-02T01:00:00Z"}]`) {
		t.Error(paid.Text)
	}
	again := s.Must(200, "POST", path+":reopen", "")
	if again.Member("lastUpdate") != "2026-06-02" || !strings.Contains(reported(s, clock), `"reservedAfter":2`) {
		t.Error(again.Text)
	}
}

// TestWhatCallersCalledClosedAtStays has a claim of a release before with a member of the caller's under that name. It
// is shown as it was, whatever happens to the claim.
func TestWhatCallersCalledClosedAtStays(t *testing.T) {
	for _, value := range []string{`"never"`, `12`, `"2020-01-01T01:00:00+01:00"`, `{"a":1}`} {
		path := filepath.Join(t.TempDir(), "claims.db")
		var id string
		run := func(do func(s *servicetest.Service)) {
			store, err := sqlitestore.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			s := servicetest.Start(t, claims.Service().Definition(), servicetest.Options{
				Clock: servicetest.At(t, "2026-06-01T00:00:00Z"), Store: store,
				Peers: map[string]http.Handler{"coverage": coverage(t)},
			})
			do(s)
			s.Stop()
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		run(func(s *servicetest.Service) {
			id = s.Create("claim", `{"policyNumber":"MOTOR","lossDate":"2026-02-01T00:00:00Z","lossCause":"fire",`+
				`"claimType":"other"}`)
		})
		if changed, err := sqlitetest.Exec(path, `UPDATE claim SET digest = NULL, body = json_set(body, '$.closedAt', json('`+
			value+`'))`); err != nil || changed != 1 {
			t.Fatal(changed, err)
		}
		run(func(s *servicetest.Service) {
			is := func(a servicetest.Response) {
				t.Helper()
				if !strings.Contains(a.Text, `"closedAt":`+value) {
					t.Errorf("%s is shown as %s", value, a.Text)
				}
			}
			is(s.Must(200, "GET", "/claim/"+id, ""))
			is(s.Must(200, "PUT", "/claim/"+id, `{"reserve":5}`))
			is(s.Must(200, "POST", "/claim/"+id+":settle", `{"paymentAmount":5,"paymentMethod":"cash"}`))
			is(s.Must(200, "POST", "/claim/"+id+":reopen", ""))
		})
	}
}
