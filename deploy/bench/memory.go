package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// The most memory in bytes that the exchange shall have resident after its start, and after the load of the table.
const (
	idleTarget   = 60 << 20
	loadedTarget = 120 << 20
)

// resident is the memory of a process that is resident, in bytes. A database that is mapped into memory counts as file pages, which
// the kernel takes back when it needs them.
type resident struct{ all, anonymous, file int64 }

// resident returns the memory of the process; nothing if the process has ended or the system does not tell.
func (c *child) resident() resident {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	if err != nil {
		return resident{}
	}
	var memory resident
	for line := range strings.Lines(string(status)) {
		var name string
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "%s %d kB", &name, &kilobytes); n != 2 {
			continue
		}
		switch name {
		case "VmRSS:":
			memory.all = kilobytes << 10
		case "RssAnon:":
			memory.anonymous = kilobytes << 10
		case "RssFile:":
			memory.file = kilobytes << 10
		}
	}
	return memory
}

// rest waits until a process that has been started has next to nothing left to do: it was ready before it had collected what only the start
// needed. One that is never at rest is taken as it is after restPatience.
func (e *runningExchange) rest(ctx context.Context) {
	const pause, atRest = 100 * time.Millisecond, 0.02 // of a core
	before := e.cpuSeconds()
	for range restPatience / pause {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		now := e.cpuSeconds()
		if now-before < atRest*pause.Seconds() {
			return
		}
		before = now
	}
}

// restPatience is how long a process is waited for that is never at rest.
const restPatience = 2 * time.Second

func (m resident) String() string {
	if m.all == 0 {
		return "unknown on this system"
	}
	return fmt.Sprintf("%d MB, %d MB of it file pages", m.all>>20, m.file>>20)
}

// printMemory prints the resident memory of a report and reports whether it is at its targets.
func printMemory(out io.Writer, r *report) (met bool) {
	met = true
	for _, of := range []struct {
		name         string
		size, target int64
	}{{"idle", r.Idle, idleTarget}, {"after the load", r.Loaded, loadedTarget}} {
		within := of.size <= of.target
		met = met && within
		fmt.Fprintf(out, "memory of the exchange, %s: %d MB, target %d MB%s\n", of.name, of.size>>20, of.target>>20, above(within))
	}
	return met
}
