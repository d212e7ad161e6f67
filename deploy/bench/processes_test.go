package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestSeparateProcesses holds that a row is served by all processes of both sides, and that the CPU time and the allocations are those of all.
func TestSeparateProcesses(t *testing.T) {
	if err := buildServices(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // a command with the race detector would wait for a second before it ends
	o := short(t, 50*time.Millisecond)
	o.processes, o.policies, o.only, o.json = true, 4, regexp.MustCompile("POST /claim"), filepath.Join(t.TempDir(), "report.json")
	rows, printed := measure(t, o)
	cells := rows["POST /claim"]
	if cells == nil || !positive.MatchString(cells[1]) || cells[4] != "0" || !positive.MatchString(cells[5]) {
		t.Errorf("want a rate, 0 errors and a bare rate in\n%s", printed)
	}
	kept, err := readReport(o.json)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Tables) != 1 || kept.Tables[0].Name != processesTable || len(kept.Tables[0].Rows) != 1 {
		t.Errorf("want one row of the table %q in %+v", processesTable, kept.Tables)
	}
}

// TestServerSumsItsProcesses holds that what all processes of an exchange use is charged to its side of a row.
func TestServerSumsItsProcesses(t *testing.T) {
	e := &runningExchange{
		child: &child{pid: os.Getpid()}, admin: "gateway",
		services: []*serviceProcess{{&child{pid: 1}, "claims"}, {&child{pid: 2}, "coverage"}},
	}
	s := e.server()
	if len(s.processes) != 3 || strings.Join(s.admins, " ") != "gateway claims coverage" {
		t.Errorf("processes %v with metrics at %v, want those of the gateway and of both services", s.processes, s.admins)
	}
	if one, all := e.child.resident().all, e.resident().all; all < one || one == 0 {
		t.Errorf("%d bytes are resident in all processes and %d in the gateway", all, one)
	}
}
