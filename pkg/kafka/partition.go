package kafka

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/kafka/broker"
	"insurance.example/exchange/pkg/retry"
)

// partition is one partition of the topic while a generation of the group assigns it to this consumer. One goroutine
// reads it, a batch of messages at a time: fetch, handle, commit.
type partition struct {
	*Consumer
	generation broker.Generation
	number     int
	reader     broker.Reader
	state      retry.Condition
	// handled is the offset after the last message handled. oldest is when the oldest message in hand was published,
	// in nanoseconds; 0 if none is in hand. The measurement of the lag reads both.
	handled, oldest atomic.Int64
}

// run consumes the partitions of a generation until ctx, the context of the generation, ends. Messages in hand belong
// to the generation, and a commit carries its number. So after a rebalance no message and no offset is left that could
// conflict with the new owner of a partition.
func (c *Consumer) run(ctx context.Context, generation broker.Generation) {
	handling, cancel := retry.WithGrace(ctx, handleGrace)
	defer cancel()
	partitions := make(map[int]*partition)
	for number, offset := range generation.Partitions() {
		p := &partition{Consumer: c, generation: generation, number: number}
		p.state = retry.Condition{
			Log: c.config.Log.With("partition", number), Bad: "partition cannot be read",
			Good: "partition is read again",
		}
		p.handled.Store(offset)
		partitions[number] = p
	}
	var consuming sync.WaitGroup
	for _, number := range slices.Sorted(maps.Keys(partitions)) {
		consuming.Go(func() { partitions[number].consume(ctx, handling) })
	}
	c.measureLag(ctx, partitions)
	consuming.Wait()
	c.metrics.lag.Set(0)
	c.metrics.lagSeconds.Set(0)
}

// consume handles the messages of the partition, a batch at a time, until ctx ends.
func (p *partition) consume(ctx, handling context.Context) {
	p.reader = p.client.Read(p.config.Topic.Name, p.number, p.handled.Load())
	// Closing waits for a fetch in progress. The next generation need not wait for that.
	defer p.closing.Go(func() { _ = p.reader.Close() })
	for ctx.Err() == nil {
		batch := p.gather(ctx)
		if len(batch) == 0 {
			continue
		}
		p.oldest.Store(batch[0].Time.UnixNano())
		p.metrics.inHand.Add(float64(len(batch)))
		handled := p.handle(ctx, handling, batch)
		p.metrics.inHand.Sub(float64(len(batch)))
		p.oldest.Store(0)
		if !handled {
			return // The next owner of the partition fetches the batch again.
		}
		p.metrics.handled.Add(float64(len(batch)))
		p.handled.Store(batch[len(batch)-1].Offset + 1)
		p.commit(ctx)
	}
}

// gather waits for a message, and then takes those that follow it within the linger, up to a batch.
func (p *partition) gather(ctx context.Context) (batch []broker.Message) {
	fetching, cancel := context.WithCancel(ctx)
	defer cancel()
	for len(batch) < p.config.Batch {
		m, err := p.reader.Fetch(fetching)
		if err != nil && fetching.Err() != nil {
			return batch
		}
		if errors.Is(err, broker.ErrOutOfRange) {
			// The log ends before the committed offset: it was truncated, or the topic was created again. All of its
			// messages may be new, and handling one twice does no harm.
			p.state.Log.Warn("partition is read from its start: it ends before the committed offset")
			p.reader.Rewind()
			continue
		}
		p.state.Report(err)
		if err != nil {
			continue
		}
		if len(batch) == 0 {
			linger := time.AfterFunc(p.config.Linger, cancel)
			defer linger.Stop()
		}
		batch = append(batch, m)
	}
	return batch
}

// commit commits how far the partition is handled. It does not log a failure: if the failure lasts, the generation
// ends and the next attempt to join fails, which is logged.
func (p *partition) commit(ctx context.Context) {
	commit := func() error { return p.generation.Commit(map[int]int64{p.number: p.handled.Load()}) }
	// The first attempt is also made after ctx has ended, so that a stop commits what is handled.
	if commit() != nil {
		_ = retry.Soon(ctx, commit)
	}
}
