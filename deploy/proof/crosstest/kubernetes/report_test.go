package kubernetes_test

import (
	"fmt"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/deploy/proof/crosstest/load"
)

// report is what was done to the exchange and what came of it.
type report struct {
	began         time.Time
	conforming    int
	lost, doubled int
	notes, phases []string
}

// note notes how long something took.
func (r *report) note(what string, took time.Duration) {
	r.notes = append(r.notes, fmt.Sprintf("%-34s %.0f s", what, took.Seconds()))
}

// phase does something under load, and notes what the callers saw. While they are strict, not one request fails.
func (r *report) phase(t *testing.T, l *load.Load, name string, do func(*testing.T)) {
	began, c := time.Now(), &l.Counts
	requests, failures := c.Requests.Load(), c.StrictFailures.Load()
	unavailable, lost := c.Unavailable.Load(), c.LostConnections.Load()
	t.Run(name, func(t *testing.T) {
		do(t)
		l.Recovered(t)
		if sent := c.Requests.Load() - requests; sent == 0 {
			t.Error("no request was sent meanwhile")
		}
		if failed := c.StrictFailures.Load() - failures; failed > 0 {
			t.Errorf("%d requests failed", failed)
		}
	})
	r.phases = append(r.phases, fmt.Sprintf("%-34s %4.0f s %6d requests %3d responses 503 %3d connections lost", name,
		time.Since(began).Seconds(), c.Requests.Load()-requests, c.Unavailable.Load()-unavailable,
		c.LostConnections.Load()-lost))
}

// write prints the report, and writes it to the file that CROSSTEST_REPORT names.
func (r *report) write(t *testing.T, l *load.Load) {
	t.Helper()
	var lines acceptance.Report
	lines.Line("rules of the interface that passed", r.conforming)
	for _, row := range append(r.notes, r.phases...) {
		lines.Row(row)
	}
	lines.Line("requests", l.Counts.Requests.Load())
	lines.Line("of which nothing may fail", l.Counts.StrictRequests.Load())
	lines.Line("of which failed", l.Counts.StrictFailures.Load())
	lines.Write(t, &l.Counts, r.lost, r.doubled, r.began)
}
