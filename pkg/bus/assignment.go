package bus

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
)

// commitInterval is how long progress waits to be committed, and so what a crash repeats.
const commitInterval = 250 * time.Millisecond

// assignment is what one generation of the group gives this consumer: some partitions, until the next rebalance. What
// is in hand belongs to the generation, and its commits carry the generation, so that after a rebalance neither a
// message nor an offset is left over that the new owner of the partition could disagree with.
//
// One goroutine, run, owns all of it. Handlers and fetchers speak to it over channels.
type assignment struct {
	*Consumer
	generation *kafka.Generation
	fetched    chan kafka.Message
	finished   chan *work

	lanes lanes
	// progress is by partition.
	progress map[int]*progress
	// inHand counts the messages fetched and not yet handled, running the pieces of work begun and not yet finished.
	inHand, running int
}

func newAssignment(c *Consumer, generation *kafka.Generation) *assignment {
	a := &assignment{
		Consumer:   c,
		generation: generation,
		fetched:    make(chan kafka.Message),
		finished:   make(chan *work),
		lanes:      make(lanes),
		progress:   make(map[int]*progress),
	}
	for _, p := range generation.Assignments[c.config.Topic.Name] {
		a.progress[p.ID] = newProgress(p.Offset)
	}
	return a
}

// run works until ctx, the generation's, ends.
func (a *assignment) run(ctx context.Context) {
	handling, cancel := withGrace(ctx, handleGrace)
	defer cancel()
	for _, p := range a.generation.Assignments[a.config.Topic.Name] {
		a.fetchers.Go(func() { a.fetch(ctx, p) })
	}

	// A timer is nil while there is nothing for it to end.
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
		case <-ctx.Done():
			for a.running > 0 {
				a.finish(<-a.finished)
			}
			a.commit()
			a.metrics.inHand.Sub(float64(a.inHand))
			return
		}
	}
}

// accept takes a fetched message in hand.
func (a *assignment) accept(m kafka.Message) {
	a.inHand++
	a.metrics.inHand.Inc()
	a.progress[m.Partition].accept(m.Offset)
	message := Message{Key: m.Key, Value: m.Value, Headers: m.Headers}
	if joined := a.lanes.add(message, position{m.Partition, m.Offset}); joined {
		a.metrics.coalesced.Inc()
	}
}

// start does a piece of work in a goroutine of its own.
func (a *assignment) start(ctx, handling context.Context, w *work) {
	a.running++
	go func() {
		a.do(ctx, handling, w)
		a.finished <- w
	}()
}

// finish takes note of a piece of work, and returns the next of its key, if any. What was given up stays unhandled: it
// is fetched anew by whoever gets the partition.
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

// commit commits how far each partition is handled, and reports whether that succeeded. A failure is
// not reported: where it lasts the generation ends and joining anew fails, which is.
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
	if err := a.generation.CommitOffsets(map[string]map[int]int64{a.config.Topic.Name: offsets}); err != nil {
		a.config.Log.Debug("offsets are not committed", "generation", a.generation.ID, "error", err)
		return false
	}
	for partition, offset := range offsets {
		a.progress[partition].committed = offset
	}
	return true
}
