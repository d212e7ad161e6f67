package claims_test

import (
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/claims"
)

// TestDaysAreThoseOfTheZone changes and reopens a claim late in the evening of UTC, and files claims for losses of
// then, which are of one day or of two.
func TestDaysAreThoseOfTheZone(t *testing.T) {
	for zone, today := range map[string]string{
		"UTC": "2026-06-30", "Europe/Berlin": "2026-07-01", "America/New_York": "2026-06-30",
	} {
		s := servicetest.Start(t, claims.Service().Definition(), servicetest.Options{
			Clock: servicetest.At(t, "2026-06-30T22:30:00Z"), Flags: []string{"--time-zone", zone},
			Peers: map[string]http.Handler{"coverage": coverage(t)},
		})
		path := "/claim/" + s.Create("claim",
			`{"policyNumber":"MOTOR","lossDate":"2026-05-01T00:00:00Z","lossCause":"fire","claimType":"other"}`)
		s.Must(200, "POST", path+":settle", `{"paymentAmount":1,"paymentMethod":"cash"}`)
		s.Must(200, "POST", path+":reopen", "")
		a := s.Must(200, "PUT", path, `{"reserve":7}`)
		if a.Member("reopenDate") != today || a.Member("lastUpdate") != today {
			t.Errorf("today is not %s in %s: %s", today, zone, a.Text)
		}
		inBerlin := zone == "Europe/Berlin"
		for _, c := range []struct {
			loss  string
			warns bool
		}{{"03T21:30", false}, {"03T22:30", !inBerlin}, {"04T21:00", inBerlin}} {
			a := s.Must(201, "POST", "/claim", `{"policyNumber":"MOTOR","lossDate":"2026-05-`+c.loss+
				`:00Z","lossCause":"fire","claimType":"other"}`)
			if strings.Contains(a.Text, "possible-duplicate") != c.warns {
				t.Errorf("in %s, the loss of %s has the warnings %v", zone, c.loss, kinds(a))
			}
		}
	}
}

// TestARowOfTheClaimsBordereauKeepsItsPeriod makes rows of the same instant in zones to which the setting is changed on
// the way. Each stays in the month that it had in the zone of then.
func TestARowOfTheClaimsBordereauKeepsItsPeriod(t *testing.T) {
	store := servicetest.OpenStore(t)
	in := func(zone string) *servicetest.Service {
		return servicetest.Start(t, claims.Service().Definition(), servicetest.Options{
			Store: store, Peers: map[string]http.Handler{"coverage": coverage(t)}, Flags: []string{"--time-zone", zone},
		})
	}
	months := map[string]string{"UTC": "2026-10", "Europe/Berlin": "2026-11", "America/New_York": "2026-10"}
	for zone := range months {
		in(zone).Create("claimsBordereau", `{"treatyReference":"`+zone+`","fnol":"2026-10-31T23:30:00Z"}`)
	}
	for zone := range months {
		s := in(zone)
		for of, month := range months {
			for period, has := range map[string]bool{
				"2026-10": month == "2026-10", "2026-11": month == "2026-11", "2026-Q4": true, "2026-Q3": false,
			} {
				path := "/claimsBordereau?treatyReference=" + of + "&period=" + period
				if a := s.Must(200, "GET", path, ""); strings.Contains(a.Text, of) != has {
					t.Errorf("in %s, the row of %s in %s: %s", zone, of, period, a.Text)
				}
			}
		}
	}
}
