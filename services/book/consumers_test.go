package book_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/pkg/setting"
	"insurance.example/exchange/services/book"
	"insurance.example/exchange/services/book/rows"
)

// TestEverythingThatIsReliedOn reads the logs of the contracts with the other services, and each of them again after it
// has lost the place that was read to.
func TestEverythingThatIsReliedOn(t *testing.T) {
	peers := map[string]http.Handler{}
	stubs := map[string]*consumercontract.Stub{}
	for _, name := range []string{"parties", "coverage", "claims", "premium", "desk"} {
		stubs[name] = consumercontract.NewStub(t, filepath.Join("..", "..", "contracts", "consumers", name,
			"book.json"))
		peers[name] = stubs[name]
	}
	for lost := range stubs {
		if lost != "desk" { // which has no log
			synctest.Test(t, func(t *testing.T) { reads(t, peers, lost) })
		}
	}
	for _, stub := range stubs {
		stub.WantAllAsked()
	}
}

// reads starts a book whose place in the log of a service is lost, and reads what it has of the contracts.
func reads(t *testing.T, peers map[string]http.Handler, lost string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "book.db")
	before, err := rows.Open(file, setting.Amounts{}, time.UTC)
	if err == nil {
		err = before.Apply(t.Context(), rows.Batch{Service: lost, Next: "LOST"})
	}
	if err == nil {
		err = before.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{
		Peers: peers, Clock: servicetest.At(t, "2026-03-01T12:00:00Z"), Flags: []string{"--book-file", file},
	})
	defer s.Stop()
	for s.Do("GET", "/x/book/policies", "").Status != 200 {
		time.Sleep(time.Second)
	}
	for path, wants := range map[string][]string{
		"/x/book/policies": {
			`"policyNumber":"P1"`, `"status":"cancelled"`, `"coverEnds":"2026-12-01T00:00:00Z"`, `"insured":"Ann Lee"`,
			`"object":"EX 2026, Golf"`, `"country":"GB"`, `"contract":"C","year":2025,"currency":"EUR"`, `"written":14`,
			`"received":5`, `"refunded":1`, `"open":10`, `"claims":1,"openClaims":1,"paid":4`, `"outstanding":7`,
			`"asOf":"2026-03-01T12:00:01Z"`,
		},
		"/x/book/claims": {
			`"claimNumber":"C1"`, `"cause":"fire"`, `"status":"reopened"`, `"lastEvent":"reopened"`, `"reserve":7`,
			`"paid":4`, `"outstanding":7`, `"incurred":11`,
		},
		"/x/book/movements": {
			`"kind":"receipt"`, `"kind":"refund"`, `"kind":"payment"`, `"type":"claim payment"`, `"amount":-1`,
		},
		"/x/book/summary?by=year,contract": {`"year":2025,"contract":"C"`, `"commission":0.60`,
			`"notified":1,"closed":0`},
	} {
		got := s.Must(200, "GET", path, "").Text
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("after the log of %s was lost, %s lacks %s: %s", lost, path, want, got)
			}
		}
	}
}
