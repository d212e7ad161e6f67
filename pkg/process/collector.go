package process

import (
	"os"
	"runtime/debug"
)

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
