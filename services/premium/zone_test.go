package premium

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
)

// TestAReceiptCountsInThePeriodOfTheZone records receipts around the end of a quarter, in zones to which the setting is
// changed on the way. Each counts in the period that the zone showed then, and no row moves; whatever the zone is when
// it is asked for, the sum at an instant is that of the receipts until then.
func TestAReceiptCountsInThePeriodOfTheZone(t *testing.T) {
	store, clock := servicetest.OpenStore(t), servicetest.At(t, "2026-12-31T09:00:00Z")
	in := func(zone string) (*servicetest.Service, *environment) {
		return startOn(t, servicetest.Options{
			Clock: clock, Store: store, Flags: []string{"--time-zone", zone},
			Peers: map[string]http.Handler{"coverage": coverageStub, "claims": claimsStub},
		}, rules{period: quarter})
	}
	sum := 0
	sums, rows := map[time.Time]int{}, map[string]int{}
	for i, c := range []struct{ zone, now, date, period string }{
		{"UTC", "2026-12-31T10:00:00Z", "2026-12-31", "2026-Q4"},
		{"Pacific/Kiritimati", "2026-12-31T10:30:00Z", "2027-01-01", "2027-Q1"},
		{"UTC", "2026-12-31T23:00:00Z", "2026-12-31", "2026-Q4"},
		{"Europe/Berlin", "2026-12-31T23:30:00Z", "2027-01-01", "2027-Q1"},
		{"America/New_York", "2027-01-01T04:30:00Z", "2026-12-31", "2026-Q4"},
		{"America/New_York", "2027-01-01T05:30:00Z", "2027-01-01", "2027-Q1"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		clock.Pass(now.Sub(clock.Now()))
		s, e := in(c.zone)
		amount := 1 << i
		body := fmt.Sprintf(`{"receiptType":"new policy","policyNumber":"P1","paymentAmount":%d}`, amount)
		a := s.Must(201, "POST", "/receipt", body)
		if a.Member("receiptDate") != c.date || a.Member("period") != c.period {
			t.Errorf("in %s at %s: %s", c.zone, c.now, a.Text)
		}
		deliver(t, e, 1)
		sum, rows[c.period] = sum+amount, rows[c.period]+amount
		sums[now] = sum
	}
	for _, zone := range []string{"UTC", "Pacific/Kiritimati", "America/New_York"} {
		s, _ := in(zone)
		for period, sum := range rows {
			want := fmt.Sprintf(`"grossWrittenPremium":%d,`, sum)
			a := s.Must(200, "GET", "/premiumBordereau?policyNumber=P1&period="+period, "")
			if strings.Count(a.Text, "policyNumber") != 1 || !strings.Contains(a.Text, want) {
				t.Errorf("in %s the row of %s is %s, want %s", zone, period, a.Text, want)
			}
		}
		for at, sum := range sums {
			want := fmt.Sprintf(`"gross":%d}`, sum)
			if text := asked(s, internalapi.ToDatePath, at, "P1"); !strings.Contains(text, want) {
				t.Errorf("in %s, at %s: %s, want %s", zone, at, text, want)
			}
		}
	}
}
