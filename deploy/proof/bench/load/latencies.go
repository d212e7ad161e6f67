package load

import (
	"slices"
	"time"
)

// Latencies are how long requests took, each from the instant at which it was due.
type Latencies struct {
	All    []time.Duration
	Failed int
}

// P99 returns the latency that 99 of 100 requests did not exceed.
func (l Latencies) P99() time.Duration {
	if len(l.All) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l.All))
	return sorted[(len(sorted)-1)*99/100]
}

// With returns the latencies of both.
func (l Latencies) With(other Latencies) Latencies {
	return Latencies{slices.Concat(l.All, other.All), l.Failed + other.Failed}
}
