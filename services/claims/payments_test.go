package claims_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
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
