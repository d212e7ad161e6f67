package kafka

import (
	"context"
	"maps"
	"slices"
	"time"

	"insurance.example/exchange/pkg/retry"
)

// lagInterval is how often the lag is measured.
const lagInterval = time.Second

// watchEnds asks at intervals where the logs of the assigned partitions end, until ctx ends. A reader cannot tell,
// because it does not read while many messages are in hand.
func (a *assignment) watchEnds(ctx context.Context) {
	partitions := slices.Sorted(maps.Keys(a.generation.Partitions()))
	if len(partitions) == 0 {
		return
	}
	for retry.Pause(ctx, lagInterval) {
		ends, err := a.client.Ends(ctx, a.config.Topic.Name, partitions)
		if err != nil {
			continue // The readers of the partitions log that a broker is gone.
		}
		select {
		case a.ends <- ends:
		case <-ctx.Done():
		}
	}
}

// measure sets the metrics of the lag.
func (a *assignment) measure(ends map[int]int64) {
	var messages int64
	var age time.Duration
	for partition, p := range a.progress {
		if end, known := ends[partition]; known {
			p.end = end
		}
		count, oldest := p.lag()
		messages += count
		if !oldest.IsZero() {
			age = max(age, time.Since(oldest))
		}
	}
	a.metrics.lag.Set(float64(messages))
	a.metrics.lagSeconds.Set(age.Seconds())
}
