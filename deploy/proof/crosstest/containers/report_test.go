package containers_test

import (
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/deploy/proof/crosstest/load"
)

// report is what was tried and what came of it.
type report struct {
	began                    time.Time
	kills, stops             int
	pauses, cuts, rolls      int
	lost, doubled            int
	conforming               int
	sizes, startTimes, notes []string
}

// write prints the report, and writes it to the file that CROSSTEST_REPORT names.
func (r *report) write(t *testing.T, c *load.Counts) {
	t.Helper()
	var lines acceptance.Report
	lines.Line("rules of the interface that passed", r.conforming)
	lines.Line("containers killed", r.kills)
	lines.Line("stopped for a while", r.stops)
	lines.Line("paused", r.pauses)
	lines.Line("cut off from the network", r.cuts)
	lines.Line("replicas rolled", r.rolls)
	lines.Line("requests", c.Requests.Load())
	lines.Line("responses 503", c.Unavailable.Load())
	lines.Line("connections lost with the gateway", c.LostConnections.Load())
	lines.Line("requests during the rolls", c.StrictRequests.Load())
	lines.Line("of which failed", c.StrictFailures.Load())
	for _, s := range r.sizes {
		lines.Line("image", s)
	}
	for _, s := range r.startTimes {
		lines.Line("ready after", s)
	}
	for _, s := range r.notes {
		lines.Line("outage", s)
	}
	lines.Write(t, c, r.lost, r.doubled, r.began)
}
