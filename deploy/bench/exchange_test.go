package main

import (
	"os"
	"strings"
	"testing"
)

// TestServerSumsItsProcesses holds that what all processes of an exchange use is charged to its side of a row.
func TestServerSumsItsProcesses(t *testing.T) {
	e := &runningExchange{
		child: of(os.Getpid()), admin: "gateway",
		services: []*serviceProcess{{of(1), "claims"}, {of(2), "coverage"}},
	}
	s := e.server()
	if len(s.processes) != 3 || strings.Join(s.admins, " ") != "gateway claims coverage" {
		t.Errorf("processes %v with metrics at %v, want those of the gateway and of both services", s.processes, s.admins)
	}
	if one, all := e.child.resident().all, e.resident().all; all < one || one == 0 {
		t.Errorf("%d bytes are resident in all processes and %d in the gateway", all, one)
	}
}
