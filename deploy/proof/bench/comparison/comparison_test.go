package comparison

import (
	"math"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// rates returns slices with these rates.
func rates(perSecond ...float64) (all []load.Slice) {
	for _, r := range perSecond {
		all = append(all, load.Slice{Requests: 1, PerSecond: r, CPU: 1})
	}
	return all
}

func TestRatioIsTheMedianOfNeighbours(t *testing.T) {
	// The machine slows down to a tenth in the second slices, and hiccups in the last of the exchange.
	r := result{exchange: rates(50, 5, 1), other: rates(100, 10, 100)}
	if got := report.Median(r.ratios()); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("ratio %v, want 0.5", got)
	}
}

func TestRowsFallShort(t *testing.T) {
	failing := rates(60)
	failing[0].Errors = 1
	for name, c := range map[string]struct {
		exchange []load.Slice
		marked   string
	}{
		"at its target":    {rates(50), ""},
		"below its target": {rates(49), "0.49 !"},
		"with errors":      {failing, "1 !"},
	} {
		var out strings.Builder
		r := &result{&load.Row{Name: "GET /vehicle", Target: 0.5}, c.exchange, rates(100)}
		if met := printRows(&measurement.Run{Out: &out}, []*result{r}); met != (c.marked == "") ||
			!strings.Contains(out.String(), c.marked) {
			t.Errorf("%s: met %v\n%s", name, met, out.String())
		}
	}
}

func TestScaleFallsShort(t *testing.T) {
	for name, c := range map[string]struct {
		large float64
		met   bool
	}{
		"as fast, on a machine half as fast": {25, true},
		"too slow":                           {20, false},
	} {
		small := &result{&load.Row{Name: "GET /vehicle"}, rates(50), rates(100)}
		large := &result{small.row, rates(c.large), rates(50)}
		var out strings.Builder
		if met := printScale(&measurement.Run{Out: &out}, []*result{small}, []*result{large}); met != c.met ||
			strings.Contains(out.String(), "!") == c.met {
			t.Errorf("%s: met %v\n%s", name, met, out.String())
		}
	}
}
