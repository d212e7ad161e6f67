package bus

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

// lagInterval is how often the lag is measured.
const lagInterval = time.Second

// watchEnds asks at intervals where the logs of the assigned partitions end, until ctx ends. A reader cannot tell, because it
// does not read while many messages are in hand.
func (a *assignment) watchEnds(ctx context.Context) {
	client := a.config.Cluster.client(a.transport)
	var wanted []kafka.OffsetRequest
	for _, p := range a.generation.Assignments[a.config.Topic.Name] {
		wanted = append(wanted, kafka.LastOffsetOf(p.ID))
	}
	if len(wanted) == 0 {
		return
	}
	topic := a.config.Topic.Name
	for rest(ctx, lagInterval) {
		found, err := client.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: wanted}})
		if err != nil {
			continue // The readers of the partitions log that a broker is gone.
		}
		ends := make(map[int]int64)
		for _, p := range found.Topics[topic] {
			if p.Error == nil {
				ends[p.Partition] = p.LastOffset
			}
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
