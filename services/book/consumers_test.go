package book_test

import (
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/rest/changes"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/pkg/setting"
	"insurance.example/exchange/services/book"
	"insurance.example/exchange/services/book/rows"
)

// TestEverythingThatIsReliedOn reads the logs of the contracts with the other services, and each of them again after it
// has lost the place that was read to.
func TestEverythingThatIsReliedOn(t *testing.T) {
	stubs := bookPeers(t)
	for lost := range stubs {
		if lost != "desk" { // which has no log
			synctest.Test(t, func(t *testing.T) { reads(t, stubs, lost) })
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{Peers: stubs,
			Clock: servicetest.At(t, "2026-03-01T12:00:00Z"), Flags: []string{"--org-claim", "org"}})
		defer s.Stop()
		untilShown(s.As("vega"))
		for _, contract := range []string{"C", "D"} {
			s.As("zenith").Must(200, "GET", "/x/book/summary?whose=reported&contract="+contract, "")
		}
	})
	for _, stub := range stubs {
		stub.(*consumercontract.Stub).WantAllAsked()
	}
}

// bookPeers returns stubs of the services that the book calls.
func bookPeers(t *testing.T) map[string]http.Handler {
	t.Helper()
	stubs := map[string]http.Handler{}
	for _, name := range []string{"parties", "coverage", "claims", "premium", "desk"} {
		stubs[name] = consumercontract.NewStub(t, filepath.Join("..", "..", "contracts", "consumers", name,
			"book.json"))
	}
	return stubs
}

// TestNoPartOfTheBookIsShown has a log lose the place that was read to, and not respond when it is read from the
// beginning: the book, which was thrown away, shows nothing until all was read again, the contracts among it.
func TestNoPartOfTheBookIsShown(t *testing.T) {
	const responds, loses, isSilent = 0, 1, 2
	stubs := bookPeers(t)
	for _, lost := range []string{"parties", "coverage", "claims", "premium"} {
		synctest.Test(t, func(t *testing.T) {
			var state atomic.Int32
			peers := maps.Clone(stubs)
			peers[lost] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				place := path.Base(r.URL.Path)
				switch {
				case place == changes.Now:
				case place == changes.Oldest && state.Load() == isSilent:
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				case place != changes.Oldest && state.CompareAndSwap(loses, isSilent):
					w.WriteHeader(http.StatusNotFound)
					return
				}
				stubs[lost].ServeHTTP(w, r)
			})
			s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{
				Peers: peers, Clock: servicetest.At(t, "2026-03-01T12:00:00Z"),
			})
			defer s.Stop()
			untilShown(s)
			state.Store(loses)
			for state.Load() == loses {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Second)
			s.Must(503, "GET", "/x/book/policies", "")
			state.Store(responds)
			if got := untilShown(s); !strings.Contains(got, `"insured":"Ann Lee"`) ||
				!strings.Contains(got, `"contract":"C"`) {
				t.Errorf("after the log of %s was lost, part of the book is shown: %s", lost, got)
			}
		})
	}
}

// untilShown returns the policies of a book once it shows them.
func untilShown(s *servicetest.Service) string {
	for {
		if got := s.Do("GET", "/x/book/policies", ""); got.Status == 200 {
			return got.Text
		}
		time.Sleep(time.Millisecond)
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
	untilShown(s)
	for at, wants := range map[string][]string{
		"/x/book/policies": {
			`"policyNumber":"P1"`, `"status":"cancelled"`, `"coverEnds":"2026-12-01T00:00:00Z"`, `"insured":"Ann Lee"`,
			`"object":"EX 2026, Golf"`, `"broker":"I"`, `"agent":"I"`, `"renewedTo":"P2"`, `"renewedFrom":"P1"`,
			`"country":"GB"`, `"contract":"C","year":2025,"currency":"EUR"`, `"written":14`,
			`"received":5`, `"refunded":1`, `"open":10`, `"claims":1,"openClaims":1,"paid":4`, `"outstanding":7`,
			`"asOf":"2026-03-01T12:00:01Z"`,
		},
		"/x/book/claims": {
			`"claimNumber":"C1"`, `"cause":"fire"`, `"broker":"I"`, `"agent":"I"`,
			`"status":"reopened"`, `"lastEvent":"reopened"`, `"reserve":7`,
			`"paid":4`, `"outstanding":7`, `"incurred":11`,
		},
		"/x/book/movements": {
			`"kind":"receipt"`, `"kind":"refund"`, `"kind":"payment"`, `"type":"claim payment"`, `"amount":-1`,
		},
		"/x/book/summary?by=year,contract": {`"year":2025,"contract":"C"`, `"commission":0.60`,
			`"notified":1,"closed":0`},
	} {
		got := s.Must(200, "GET", at, "").Text
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("after the log of %s was lost, %s lacks %s: %s", lost, at, want, got)
			}
		}
	}
}
