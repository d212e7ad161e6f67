package main

import (
	"math"
	"strings"
	"testing"
)

// rates returns slices with these rates.
func rates(perSecond ...float64) []slice {
	var all []slice
	for _, r := range perSecond {
		all = append(all, slice{PerSecond: r})
	}
	return all
}

func TestRatioIsTheMedianOfNeighbours(t *testing.T) {
	// The machine slows down to a tenth in the second slices, and hiccups in the last of the exchange.
	r := result{exchange: rates(50, 5, 1), bare: rates(100, 10, 100)}
	if got := r.ratio(); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("ratio %v, want 0.5", got)
	}
}

func TestRowsFallShort(t *testing.T) {
	failing := rates(60)
	failing[0].Errors = 1
	for name, c := range map[string]struct {
		result
		met, marked bool
	}{
		"at its target":    {result{exchange: rates(50), bare: rates(100)}, true, false},
		"below its target": {result{exchange: rates(49), bare: rates(100)}, false, true},
		"with errors":      {result{exchange: failing, bare: rates(100)}, false, false},
	} {
		c.row = &row{name: "GET /vehicle", target: 0.5}
		var out strings.Builder
		if met := printRows(&out, "bare", []result{c.result}); met != c.met || strings.Contains(out.String(), "below target") != c.marked {
			t.Errorf("%s: met %v\n%s", name, met, out.String())
		}
	}
}
