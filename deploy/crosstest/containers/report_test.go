package containers_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/crosstest/load"
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
	var text strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&text, "%-34s %v\n", name, value) }
	line("rules of the interface that passed", r.conforming)
	line("containers killed", r.kills)
	line("stopped for a while", r.stops)
	line("paused", r.pauses)
	line("cut off from the network", r.cuts)
	line("replicas rolled", r.rolls)
	line("requests", c.Requests.Load())
	line("writes acknowledged", c.Acknowledged.Load())
	line("responses 503", c.Unavailable.Load())
	line("connections lost with the gateway", c.LostConnections.Load())
	line("requests during the rolls", c.StrictRequests.Load())
	line("of which failed", c.StrictFailures.Load())
	line("acknowledged and lost", r.lost)
	line("stored twice", r.doubled)
	for _, s := range r.sizes {
		line("image", s)
	}
	for _, s := range r.startTimes {
		line("ready after", s)
	}
	for _, s := range r.notes {
		line("outage", s)
	}
	line("in all", time.Since(r.began).Round(time.Second))
	t.Logf("\n%s", text.String())
	if file := os.Getenv("CROSSTEST_REPORT"); file != "" {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}
