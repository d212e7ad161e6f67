package kubernetes_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/crosstest/load"
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
	requests, failures, unavailable, lost := c.Requests.Load(), c.StrictFailures.Load(), c.Unavailable.Load(), c.LostConnections.Load()
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
		time.Since(began).Seconds(), c.Requests.Load()-requests, c.Unavailable.Load()-unavailable, c.LostConnections.Load()-lost))
}

// write prints the report, and writes it to the file that CROSSTEST_REPORT names.
func (r *report) write(t *testing.T, l *load.Load) {
	t.Helper()
	var text strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&text, "%-34s %v\n", name, value) }
	line("rules of the interface that passed", r.conforming)
	for _, row := range append(r.notes, r.phases...) {
		fmt.Fprintln(&text, row)
	}
	line("requests", l.Counts.Requests.Load())
	line("of which nothing may fail", l.Counts.StrictRequests.Load())
	line("of which failed", l.Counts.StrictFailures.Load())
	line("writes acknowledged", l.Counts.Acknowledged.Load())
	line("acknowledged and lost", r.lost)
	line("stored twice", r.doubled)
	line("in all", time.Since(r.began).Round(time.Second))
	t.Logf("\n%s", text.String())
	if file := os.Getenv("CROSSTEST_REPORT"); file != "" {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}
