package service

import (
	"os"
	"runtime/debug"
)

// collectorPercent is how far the heap grows between two collections, in percent of what is alive. Little is: records
// stay in the store and caches are bounded. At Go's own 100 a busy process would collect every few megabytes.
const collectorPercent = 400

// tuneCollector sets how often garbage is collected, unless the environment says so.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorPercent)
	}
}
