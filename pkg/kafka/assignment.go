package kafka

import (
	"context"
	"time"

	"insurance.example/exchange/pkg/kafka/broker"
	"insurance.example/exchange/pkg/retry"
)

// commitInterval is how long progress waits to be committed. After a crash the messages of this time are handled again.
const commitInterval = 250 * time.Millisecond

// assignment holds the partitions that one generation of the group gives to this consumer, until the next rebalance.
// Messages in hand belong to the generation, and commits carry the number of the generation. So after a rebalance no
// message and no offset is left that could conflict with the new owner of a partition.
//
// One goroutine, run, owns all of the state. Handlers and fetchers send to it over channels.
type assignment struct {
	*Consumer
	generation broker.Generation
	fetched    chan broker.Message
	finished   chan *work
	ends       chan map[int]int64

	lanes lanes
	// progress is by partition.
	progress map[int]*progress
	// inHand counts the messages fetched and not yet handled, running the pieces of work begun and not yet finished.
	inHand, running int
}

func newAssignment(c *Consumer, generation broker.Generation) *assignment {
	a := &assignment{
		Consumer:   c,
		generation: generation,
		fetched:    make(chan broker.Message),
		finished:   make(chan *work),
		ends:       make(chan map[int]int64),
		lanes:      make(lanes),
		progress:   make(map[int]*progress),
	}
	for partition, offset := range generation.Partitions() {
		a.progress[partition] = newProgress(offset)
	}
	return a
}

// run works until ctx, the context of the generation, ends.
func (a *assignment) run(ctx context.Context) {
	handling, cancel := retry.WithGrace(ctx, handleGrace)
	defer cancel()
	for partition, offset := range a.generation.Partitions() {
		a.fetchers.Go(func() { a.fetch(ctx, partition, offset) })
	}
	a.fetchers.Go(func() { a.watchEnds(ctx) })

	// A timer is nil while nothing waits for it.
	var linger, commit <-chan time.Time
	for {
		fetched := a.fetched
		if a.inHand >= a.config.Window {
			fetched = nil
		}
		select {
		case m := <-fetched:
			a.accept(m)
			if linger == nil {
				linger = time.After(a.config.Linger)
			}
		case <-linger:
			linger = nil
			for _, w := range a.lanes.begin() {
				a.start(ctx, handling, w)
			}
		case w := <-a.finished:
			if next := a.finish(w); next != nil {
				a.start(ctx, handling, next)
			}
			if commit == nil {
				commit = time.After(commitInterval)
			}
		case <-commit:
			commit = nil
			if !a.commit() {
				commit = time.After(commitInterval)
			}
		case ends := <-a.ends:
			a.measure(ends)
		case <-ctx.Done():
			for a.running > 0 {
				a.finish(<-a.finished)
			}
			a.commit()
			a.metrics.inHand.Sub(float64(a.inHand))
			a.metrics.lag.Set(0)
			a.metrics.lagSeconds.Set(0)
			return
		}
	}
}

// accept takes over a fetched message.
func (a *assignment) accept(m broker.Message) {
	a.inHand++
	a.metrics.inHand.Inc()
	a.progress[m.Partition].accept(m.Offset, m.Time)
	message := Message{Key: m.Key, Value: m.Value, Headers: m.Headers}
	if joined := a.lanes.add(message, position{m.Partition, m.Offset}); joined {
		a.metrics.coalesced.Inc()
	}
}

// start starts a goroutine for a piece of work.
func (a *assignment) start(ctx, handling context.Context, w *work) {
	a.running++
	go func() {
		a.do(ctx, handling, w)
		a.finished <- w
	}()
}

// finish records the end of a piece of work, and returns the next one of its key, or nil. Work that was given up stays
// unhandled: the next owner of the partition fetches its messages again.
func (a *assignment) finish(w *work) (next *work) {
	a.running--
	if !w.handled {
		return nil
	}
	for _, p := range w.positions {
		a.progress[p.partition].finish(p.offset)
	}
	count := len(w.positions)
	a.inHand -= count
	a.metrics.inHand.Sub(float64(count))
	a.metrics.handled.Add(float64(count))
	return a.lanes.next(w)
}

// commit commits how far each partition is handled, and reports whether that succeeded. It does not log a failure: if
// the failure lasts, the generation ends and the next attempt to join fails, which is logged.
func (a *assignment) commit() bool {
	offsets := make(map[int]int64)
	for partition, p := range a.progress {
		if offset, ok := p.uncommitted(); ok {
			offsets[partition] = offset
		}
	}
	if len(offsets) == 0 {
		return true
	}
	if err := a.generation.Commit(offsets); err != nil {
		a.config.Log.Debug("offsets are not committed", "generation", a.generation.Number(), "error", err)
		return false
	}
	for partition, offset := range offsets {
		a.progress[partition].committed = offset
	}
	return true
}
