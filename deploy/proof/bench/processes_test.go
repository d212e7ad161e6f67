package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"insurance.example/exchange/deploy/proof/bench/comparison"
	"insurance.example/exchange/deploy/proof/bench/sides"
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
	if !strings.Contains(printed, "exchange: 9 processes") {
		t.Errorf("want the nine processes in\n%s", printed)
	}
	if left := children(t, sides.BareCommand, sides.ProxyCommand); len(left) > 0 {
		t.Errorf("these processes still run: %q", left)
	}
}

// children returns the command lines of the processes that this one has started with one of the commands.
func children(t *testing.T, commands ...string) (lines []string) {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		// A process that has ended meanwhile cannot be read.
		stat, err := p.Stat()
		if err != nil || stat.PPID != os.Getpid() {
			continue
		}
		if line, err := p.CmdLine(); err == nil && len(line) > 1 && slices.Contains(commands, line[1]) {
			lines = append(lines, strings.Join(line, " "))
		}
	}
	return lines
}
