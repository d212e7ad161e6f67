package report

import (
	"math"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// rates returns slices with these rates.
func rates(perSecond ...float64) []load.Slice {
	var all []load.Slice
	for _, r := range perSecond {
		all = append(all, load.Slice{PerSecond: r})
	}
	return all
}

func TestRatioIsTheMedianOfNeighbours(t *testing.T) {
	// The machine slows down to a tenth in the second slices, and hiccups in the last of the exchange.
	r := Result{Exchange: rates(50, 5, 1), Bare: rates(100, 10, 100)}
	if got := r.Ratio(); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("ratio %v, want 0.5", got)
	}
}

func TestRowsFallShort(t *testing.T) {
	failing := rates(60)
	failing[0].Errors = 1
	for name, c := range map[string]struct {
		Result
		met, marked bool
	}{
		"at its target":    {Result{Exchange: rates(50), Bare: rates(100)}, true, false},
		"below its target": {Result{Exchange: rates(49), Bare: rates(100)}, false, true},
		"with errors":      {Result{Exchange: failing, Bare: rates(100)}, false, false},
	} {
		c.Row = &load.Row{Name: "GET /vehicle", Target: 0.5}
		var out strings.Builder
		if met := PrintRows(&out, "bare", []Result{c.Result}); met != c.met || strings.Contains(out.String(), "below target") != c.marked {
			t.Errorf("%s: met %v\n%s", name, met, out.String())
		}
	}
}
