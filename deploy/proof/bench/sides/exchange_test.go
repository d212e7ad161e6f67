package sides

import (
	"os"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/bench/process"
)

// TestServerSumsItsProcesses holds that what all processes of an exchange use is charged to its side of a row.
func TestServerSumsItsProcesses(t *testing.T) {
	e := &Exchange{
		Child: process.Of(os.Getpid()), Admin: "gateway",
		services: []*service{{process.Of(1), "claims"}, {process.Of(2), "coverage"}},
	}
	s := e.Server()
	if len(s.Processes) != 3 || strings.Join(s.Admins, " ") != "gateway claims coverage" {
		t.Errorf("processes %v with metrics at %v, want those of the gateway and of both services", s.Processes, s.Admins)
	}
	if one, all := e.Child.Resident().All, e.Resident().All; all < one || one == 0 {
		t.Errorf("%d bytes are resident in all processes and %d in the gateway", all, one)
	}
}
