package process

import (
	"fmt"
	"os"
	"strings"
)

// Resident is the memory of a process that is resident, in bytes. A database that is mapped into memory counts as
// file pages, which the kernel takes back when it needs them.
type Resident struct{ All, anonymous, file int64 }

// Resident returns the memory of the process; nothing if the process has ended or the system does not tell.
func (c *Child) Resident() Resident {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	if err != nil {
		return Resident{}
	}
	var memory Resident
	for line := range strings.Lines(string(status)) {
		var name string
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "%s %d kB", &name, &kilobytes); n != 2 {
			continue
		}
		switch name {
		case "VmRSS:":
			memory.All = kilobytes << 10
		case "RssAnon:":
			memory.anonymous = kilobytes << 10
		case "RssFile:":
			memory.file = kilobytes << 10
		}
	}
	return memory
}

// Plus returns the memory of two processes.
func (m Resident) Plus(other Resident) Resident {
	return Resident{m.All + other.All, m.anonymous + other.anonymous, m.file + other.file}
}

// String returns the memory in words.
func (m Resident) String() string {
	if m.All == 0 {
		return "unknown on this system"
	}
	return fmt.Sprintf("%d MB, %d MB of it file pages", m.All>>20, m.file>>20)
}
