package main

import (
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/bench/report"
)

// TestSeparateProcesses holds that a row is served by all processes of both sides, and that the CPU time and the
// allocations are those of all.
func TestSeparateProcesses(t *testing.T) {
	if err := buildServices(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // a command with the race detector would wait for a second before it ends
	o := short(t, 50*time.Millisecond)
	o.Processes, o.Policies, o.Only, o.json = true, 4, regexp.MustCompile("POST /claim"), filepath.Join(t.TempDir(), "report.json")
	rows, printed := measure(t, o)
	cells := rows["POST /claim"]
	if cells == nil || !positive.MatchString(cells[1]) || cells[4] != "0" || !positive.MatchString(cells[5]) {
		t.Errorf("want a rate, 0 errors and a bare rate in\n%s", printed)
	}
	kept, err := report.Read(o.json)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Tables) != 1 || kept.Tables[0].Name != report.ProcessesTable || len(kept.Tables[0].Rows) != 1 {
		t.Errorf("want one row of the table %q in %+v", report.ProcessesTable, kept.Tables)
	}
}
