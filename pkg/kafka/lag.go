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

// measureLag sets the metrics of the lag at intervals until ctx ends. It asks the brokers where the logs end: a reader
// does not know, because it does not read while a batch is handled.
func (c *Consumer) measureLag(ctx context.Context, partitions map[int]*partition) {
	numbers := slices.Sorted(maps.Keys(partitions))
	if len(numbers) == 0 {
		<-ctx.Done()
		return
	}
	for retry.Pause(ctx, lagInterval) {
		ends, err := c.client.Ends(ctx, c.config.Topic.Name, numbers)
		if err != nil {
			continue // The readers of the partitions log that a broker is gone.
		}
		var messages int64
		var age time.Duration
		for number, p := range partitions {
			if end, known := ends[number]; known {
				messages += max(end-max(p.handled.Load(), 0), 0)
			}
			if oldest := p.oldest.Load(); oldest != 0 {
				age = max(age, time.Since(time.Unix(0, oldest)))
			}
		}
		c.metrics.lag.Set(float64(messages))
		c.metrics.lagSeconds.Set(age.Seconds())
	}
}
