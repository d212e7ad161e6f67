package period_test

import (
	"testing"
	"time"

	"insurance.example/exchange/services/desk/period"
)

func TestPeriods(t *testing.T) {
	for text, of := range map[string][3]string{
		"2026-01": {"2026-01-01", "2026-02-01", "2025-12"}, "2026-12": {"2026-12-01", "2027-01-01", "2026-11"},
		"2024-02": {"2024-02-01", "2024-03-01", "2024-01"}, "2026-Q1": {"2026-01-01", "2026-04-01", "2025-Q4"},
		"2026-Q4": {"2026-10-01", "2027-01-01", "2026-Q3"},
	} {
		p, ok := period.Parse(text)
		if !ok || p.String() != text || p.Start().Format(time.DateOnly) != of[0] ||
			p.End().Format(time.DateOnly) != of[1] || p.Before().String() != of[2] || p.Before().Next() != p ||
			p.At(p.End().Add(-1)) != p || p.At(p.End()) == p || !p.Before().Earlier(p) {
			t.Errorf("%s: %s to %s after %s", text, p.Start(), p.End(), p.Before())
		}
	}
	for _, text := range []string{
		"", "2026", "2026-00", "2026-13", "2026-1", "2026-Q0", "2026-Q5", "0000-01", "2026-01-01", " 2026-01",
		"2026-q1",
	} {
		if p, ok := period.Parse(text); ok {
			t.Errorf("%q is read as %s", text, p)
		}
	}
}
