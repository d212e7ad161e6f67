package bus

import (
	"context"
	"errors"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	// fetchWait is how long a broker holds a fetch that finds nothing. It bounds how long a reader takes to close.
	fetchWait = 500 * time.Millisecond
	// fetchBytes is the most that a fetch returns.
	fetchBytes = 1 << 20
	// fetchBackoff is the longest pause between two attempts to reach the broker that leads a partition.
	fetchBackoff = 500 * time.Millisecond
	// fetchAttempts is large enough that the generation ends first when a broker is gone, so that one failure is logged.
	fetchAttempts = 10
)

// fetch reads the messages of a partition and passes them on until ctx ends.
func (a *assignment) fetch(ctx context.Context, from kafka.PartitionAssignment) {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers:          a.config.Cluster.Brokers,
		Dialer:           a.group.Dialer,
		Topic:            a.config.Topic.Name,
		Partition:        from.ID,
		MinBytes:         1,
		MaxBytes:         fetchBytes,
		MaxWait:          fetchWait,
		MaxAttempts:      fetchAttempts,
		ReadBatchTimeout: requestTimeout,
		ReadBackoffMax:   fetchBackoff,
		ReadLagInterval:  -1,
		// Otherwise the reader waits until the log has grown up to the offset, and misses all messages until then.
		OffsetOutOfRangeError: true,
	})
	defer reader.Close()
	log := a.config.Log.With("partition", from.ID)
	state := condition{log: log, bad: "partition cannot be read", good: "partition is read again"}

	err := reader.SetOffset(from.Offset)
	for ctx.Err() == nil {
		if errors.Is(err, kafka.OffsetOutOfRange) {
			// The log ends before the committed offset: it was truncated, or the topic was created again. All of its messages
			// may be new, and handling one twice does no harm.
			log.Warn("partition is read from its start: it ends before the committed offset")
			err = reader.SetOffset(kafka.FirstOffset)
			continue
		}
		var m kafka.Message
		m, err = reader.FetchMessage(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, kafka.OffsetOutOfRange) {
			continue
		}
		state.report(err)
		if err != nil {
			continue
		}
		select {
		case a.fetched <- m:
		case <-ctx.Done():
		}
	}
}
