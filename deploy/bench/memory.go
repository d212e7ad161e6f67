package main

import (
	"fmt"
	"os"
	"strings"
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

// plus returns the memory of two processes.
func (m resident) plus(other resident) resident {
	return resident{m.all + other.all, m.anonymous + other.anonymous, m.file + other.file}
}

func (m resident) String() string {
	if m.all == 0 {
		return "unknown on this system"
	}
	return fmt.Sprintf("%d MB, %d MB of it file pages", m.all>>20, m.file>>20)
}
