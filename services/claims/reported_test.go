package claims_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/claims"
)

// TestAClaimIsNotReportedBeforeItWas changes a claim until its document no longer has the instant of its creation. It
// is reported with that instant, and not at an earlier one.
func TestAClaimIsNotReportedBeforeItWas(t *testing.T) {
	clock := servicetest.At(t, "2026-02-02T09:00:00Z")
	s := servicetest.Start(t, claims.Service().Definition(), servicetest.Options{
		Clock: clock, Peers: map[string]http.Handler{"coverage": coverage(t)},
	})
	path := "/claim/" + s.Create("claim", `{"policyNumber":"MOTOR","lossDate":"2026-02-01T00:00:00Z",
		"lossCause":"fire","claimType":"other","reserve":1000}`)
	reported := func(at string) []internalapi.ReportedClaim {
		var page internalapi.Claims
		got := s.Must(200, "GET", internalapi.ClaimsPath+internalapi.Oldest+"?at="+at, "")
		if err := json.Unmarshal([]byte(got.Text), &page); err != nil {
			t.Fatal(err)
		}
		return page.Claims
	}
	for range 3 {
		clock.Pass(24 * time.Hour)
		s.Must(200, "POST", path+":settle", `{"paymentAmount":1,"paymentMethod":"electronic transfer"}`)
		s.Must(200, "POST", path+":reopen", `{}`)
		s.Must(200, "PUT", path, `{"reserve":250,"liabilityShare":0}`)
		if early := reported("2026-02-02T08:59:59Z"); len(early) != 0 {
			t.Errorf("before it was, there is %+v", early)
		}
		all := reported("2026-02-28T00:00:00Z")
		if len(all) != 1 || all[0].RecordedAt.String() != "2026-02-02T09:00:00Z" {
			t.Errorf("the claims are %+v", all)
		}
	}
}
