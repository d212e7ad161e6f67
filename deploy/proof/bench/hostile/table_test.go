package hostile

import (
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
)

// TestRefusalsHideNoCost prints a row of which most requests were refused for lack of room.
func TestRefusalsHideNoCost(t *testing.T) {
	var printed strings.Builder
	lasted := &load.Outcome{Lasted: time.Second}
	run := &measurement.Run{Out: &printed}
	table := newTable(run, &outcome{assault: &assault{Row: &load.Row{Name: "nobody"}}, others: lasted})
	row := &outcome{assault: &assault{Row: &load.Row{Name: "most are refused"}, callers: 4}, others: lasted,
		statuses: load.Statuses{200: 2, 429: 97, 503: 1}}
	row.used.Seconds = 0.3
	table.print(row)
	if !strings.Contains(printed.String(), " 150.00 !") || table.Met {
		t.Errorf("0.3 s of a core for two requests that were served: met is %v, and\n%s", table.Met, printed.String())
	}
}
