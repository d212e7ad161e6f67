package kafka

import (
	"context"
	"errors"

	"insurance.example/exchange/pkg/kafka/broker"
	"insurance.example/exchange/pkg/retry"
)

// fetch reads the messages of a partition from an offset and passes them on until ctx ends.
func (a *assignment) fetch(ctx context.Context, partition int, offset int64) {
	reader := a.client.Read(a.config.Topic.Name, partition, offset)
	defer reader.Close()
	log := a.config.Log.With("partition", partition)
	state := retry.Condition{Log: log, Bad: "partition cannot be read", Good: "partition is read again"}

	for ctx.Err() == nil {
		m, err := reader.Fetch(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, broker.ErrOutOfRange) {
			// The log ends before the committed offset: it was truncated, or the topic was created again. All of its
			// messages may be new, and handling one twice does no harm.
			log.Warn("partition is read from its start: it ends before the committed offset")
			reader.Rewind()
			continue
		}
		state.Report(err)
		if err != nil {
			continue
		}
		select {
		case a.fetched <- m:
		case <-ctx.Done():
		}
	}
}
