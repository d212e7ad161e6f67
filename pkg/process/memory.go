package process

import (
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"insurance.example/exchange/pkg/load"
)

// usualMemory is the memory that a process stays within unless it is set, or its control group has less, in bytes.
const usualMemory = 256 << 20

// memory returns the bytes of memory that the process is to stay within.
func (s Settings) memory() int64 {
	if s.MemoryLimit > 0 {
		return s.MemoryLimit << 20
	}
	if limit, limited := controlGroupMemory("/"); limited {
		return min(limit, usualMemory)
	}
	return usualMemory
}

// work returns the bytes that requests may have in work together, each at most ten times its body and a page: half of
// the memory unless it is set. The rest is for what a process has without requests and for the caches of SQLite, which
// are not Go's. Few requests need a page, and a body mostly half of what it takes.
func (s Settings) work() int64 {
	if s.WorkMemory > 0 {
		return s.WorkMemory << 20
	}
	return s.memory() / 2
}

// inWork returns how many requests to one service may be in work, as far as there is memory: three quarters of as many
// as one caller's share of the work has pages for, and at least one. So the others wait, by turns, and are not refused
// because of memory. The last quarter is for those whose responses are on their way, which are in work no more and keep
// what they send. With 256 MiB there are 128 pages, 64 for one caller, and 48 requests are in work.
func (s Settings) inWork() int64 { return max(1, load.PagesOfOne(s.work())*3/4) }

// connectionsPerMebibyte is how many connections there may be for each MiB of the memory. Each needs 17 KiB on which
// requests have been served, so that all of them need a third of it.
const connectionsPerMebibyte = 20

// connections returns the greatest number of connections of callers.
func (s Settings) connections() int64 {
	if s.MaxConnections > 0 {
		return s.MaxConnections
	}
	return max(1, s.memory()>>20*connectionsPerMebibyte)
}

// limitHeap has garbage collected more often when Go's part of the memory, five eighths, is nearly used up, unless
// GOMEMLIMIT says how much that is.
func limitHeap(memory int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory / 8 * 5)
	}
}

// controlGroupMemory returns the memory limit of the control group of the process, or of one that it is in, whichever
// is least. limited is false if there is none, and on systems without control groups. root is the folder in which the
// system has proc and sys.
func controlGroupMemory(root string) (limit int64, limited bool) {
	groups := path.Join(root, "sys/fs/cgroup")
	read := func(file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			return
		}
		// "max", or a number beyond all memory, is no limit.
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && (!limited || n < limit) {
			limit, limited = n, true
		}
	}
	own, err := os.ReadFile(path.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(own)) {
		controllers, group := "", ""
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 {
			controllers, group = parts[1], parts[2]
		}
		base, file := groups, "memory.max"
		switch controllers {
		case "":
		case "memory": // the first version of control groups
			base, file = groups+"/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for at := path.Clean("/" + group); ; at = path.Dir(at) {
			read(path.Join(base, at, file))
			if at == "/" {
				break
			}
		}
	}
	return limit, limited
}

// collectorPercent is how far the heap may grow between two garbage collections, in percent of what is in use. Little
// is in use, because records stay in the store and caches are bounded: with Go's default of 100 a busy process would
// collect every few megabytes. With this one it collects for 2 to 6 % of the processor time of its reads.
const collectorPercent = 200

// tuneCollector sets how often garbage is collected, unless GOGC and GOMEMLIMIT do.
func tuneCollector(memory int64) {
	limitHeap(memory)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorPercent)
	}
}
