package desk_test

import "testing"

// TestADayIsDueInTheZoneOfTheExchange looks at October late in the evening of UTC on the day on which it is due.
func TestADayIsDueInTheZoneOfTheExchange(t *testing.T) {
	for zone, state := range map[string]string{
		"UTC": "due", "Europe/Berlin": "overdue", "America/New_York": "due",
	} {
		s := newWorld(t, "2026-11-30T23:30:00Z").start("--time-zone", zone)
		s.Must(200, "PUT", "/x/contract/C", `{`+sterling+`}`)
		if a := s.Must(200, "GET", "/x/bordereau/C/premium/2026-10", ""); a.Member("due") != "2026-11-30" ||
			a.Member("state") != state {
			t.Errorf("in %s: %s", zone, a.Text)
		}
	}
}
