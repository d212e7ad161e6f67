package main

import (
	"slices"
	"time"
)

// latencies are how long requests took, each from the instant at which it was due.
type latencies struct {
	all    []time.Duration
	failed int
}

// p99 returns the latency that 99 of 100 requests did not exceed.
func (l latencies) p99() time.Duration {
	if len(l.all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l.all))
	return sorted[(len(sorted)-1)*99/100]
}

func (l latencies) with(other latencies) latencies {
	return latencies{slices.Concat(l.all, other.all), l.failed + other.failed}
}
