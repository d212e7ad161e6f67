package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/bench/comparison"
)

// TestSeparateProcesses checks that a row is served by all processes of both sides.
func TestSeparateProcesses(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	o.Processes, o.Policies, o.Only = true, 4, regexp.MustCompile("POST /claim")
	o.kind = comparison.Rows(o.Options)
	rows, printed := measure(t, o)
	cells := rows["POST /claim"]
	if cells == nil || !positive.MatchString(cells[1]) || cells[4] != "0" || !positive.MatchString(cells[5]) {
		t.Errorf("want a rate, 0 errors and a bare rate in\n%s", printed)
	}
	if !strings.Contains(printed, "exchange: 8 processes") {
		t.Errorf("want the eight processes in\n%s", printed)
	}
}
