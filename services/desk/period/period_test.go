package period_test

import (
	"testing"
	"time"

	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/services/desk/period"
)

func TestPeriods(t *testing.T) {
	for text, of := range map[string][4]string{
		"2026-01":    {"2026-01-01", "2026-01-31", "2025-12", "2026-02"},
		"2026-12":    {"2026-12-01", "2026-12-31", "2026-11", "2027-01"},
		"2024-02":    {"2024-02-01", "2024-02-29", "2024-01", "2024-03"},
		"2026-Q1":    {"2026-01-01", "2026-03-31", "2025-Q4", "2026-Q2"},
		"2026-Q4":    {"2026-10-01", "2026-12-31", "2026-Q3", "2027-Q1"},
		"2026-01-3M": {"2026-01-01", "2026-03-31", "2025-10-3M", "2026-04-3M"},
		"2026-02-3M": {"2026-02-01", "2026-04-30", "2025-11-3M", "2026-05-3M"},
		"2026-12-3M": {"2026-12-01", "2027-02-28", "2026-09-3M", "2027-03-3M"},
	} {
		p, ok := period.Parse(text)
		if !ok || p.String() != text || p.From().String() != of[0] || p.To().String() != of[1] ||
			p.Before().String() != of[2] || p.Next().String() != of[3] || p.Before().Next() != p ||
			!p.Before().Earlier(p) || !p.Before().EndsBefore(p) || p.EndsBefore(p) || !p.InRow(p.Next()) {
			t.Errorf("%s: %s to %s after %s", text, p.From(), p.To(), p.Before())
		}
		for _, name := range []string{"UTC", "Europe/Paris", "America/New_York", "Pacific/Auckland"} {
			zone, err := calendar.Zone(name)
			if err != nil {
				t.Fatal(err)
			}
			start, end := p.Start(zone), p.End(zone)
			if start.Format(time.DateTime) != of[0]+" 00:00:00" || !end.Equal(p.Next().Start(zone)) ||
				p.At(start, zone) != p || p.At(end.Add(-1), zone) != p || p.At(end, zone) != p.Next() ||
				p.At(start.Add(-1), zone) != p.Before() || p.Next().Next().At(start, zone) != p {
				t.Errorf("%s in %s: %s to %s", text, name, start, end)
			}
		}
	}
	for one, others := range map[string][]string{
		"2026-01": {"2026-Q1", "2026-01-3M"}, "2026-Q1": {"2026-01", "2026-01-3M"},
		"2026-02-3M": {"2026-02", "2026-Q1", "2026-01-3M", "2026-04-3M"},
	} {
		p, _ := period.Parse(one)
		for _, other := range others {
			if with, ok := period.Parse(other); !ok || p.InRow(with) || with.InRow(p) {
				t.Errorf("%s is in a row with %s", one, other)
			}
		}
	}
	for _, text := range []string{
		"", "2026", "2026-00", "2026-13", "2026-1", "2026-Q0", "2026-Q5", "0000-01", "2026-01-01", " 2026-01",
		"2026-q1", "2026-13-3M", "2026-02-3", "2026-02-6M", "2026-Q1-3M", "0000-02-3M", "2026-02-3m",
	} {
		if p, ok := period.Parse(text); ok {
			t.Errorf("%q is read as %s", text, p)
		}
	}
}
