package kafka

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"insurance.example/exchange/pkg/kafka/broker"
	"insurance.example/exchange/pkg/retry"
)

// The headers that a dead letter has in addition to those of the message: why it could not be handled, and the topic,
// partition, offset and key that it had.
const (
	HeaderDeadReason    = "dead-letter-reason"
	HeaderDeadTopic     = "dead-letter-topic"
	HeaderDeadPartition = "dead-letter-partition"
	HeaderDeadOffset    = "dead-letter-offset"
	HeaderDeadKey       = "dead-letter-key"
)

const (
	// maxReasonBytes bounds the reason in a dead letter. The log contains the whole reason.
	maxReasonBytes = 4 << 10
	// attempts is how often a message is handled before it is left, and attemptPause the time in between.
	attempts     = 3
	attemptPause = 200 * time.Millisecond
)

// work is one message to handle, on behalf of all equal messages of a batch.
type work struct {
	message Message
	// at is where the first of the messages is.
	at broker.Message
	// traces are the traceparents of the messages, as far as they have one and up to mostTraces.
	traces []string
	// err is what the last attempt returned.
	err error
}

// names returns what the log says of the work: where its first message is, and the trace of that. Its key and its
// value are not among them, because these may be somebody's data.
func (w *work) names() []any {
	return append([]any{"partition", w.at.Partition, "offset", w.at.Offset}, TraceName(w.message)...)
}

// join returns one piece of work for all equal messages of a batch, in the order of the first of each.
func (c *Consumer) join(batch []broker.Message) (all []*work) {
	known := make(map[string]*work)
	for _, m := range batch {
		message := Message{Key: m.Key, Value: m.Value, Headers: m.Headers}
		name := strconv.Itoa(len(m.Key)) + ":" + string(m.Key) + string(m.Value)
		w := known[name]
		if w == nil {
			w = &work{message: message, at: m}
			known[name] = w
			all = append(all, w)
		} else {
			c.metrics.coalesced.Inc()
		}
		if trace := message.trace(); trace != "" && len(w.traces) < mostTraces {
			w.traces = append(w.traces, trace)
		}
	}
	return all
}

// handle handles a batch. It reports whether every message was handled, is in the dead-letter topic, or has failed so
// often that it is left; otherwise ctx has ended. An attempt runs with the context handling, which ends some time after
// ctx.
func (c *Consumer) handle(ctx, handling context.Context, batch []broker.Message) (all bool) {
	waiting := c.join(batch)
	for attempt := 1; ; attempt++ {
		if !c.try(ctx, handling, waiting) {
			return false
		}
		var failed []*work
		for _, w := range waiting {
			switch {
			case IsPoison(w.err):
				if retry.Until(ctx, func() error { return c.bury(handling, w) }) != nil {
					return false
				}
			case w.err != nil:
				failed = append(failed, w)
			}
		}
		if len(failed) == 0 {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		if attempt == attempts {
			c.leave(failed)
			return true
		}
		c.metrics.retries.Add(float64(len(failed)))
		if waiting = failed; !retry.Pause(ctx, attemptPause) {
			return false
		}
	}
}

// try calls the handler once for each piece of work, many at a time. It reports whether all were tried before ctx
// ended.
func (c *Consumer) try(ctx, handling context.Context, all []*work) bool {
	var trying sync.WaitGroup
	defer trying.Wait()
	for _, w := range all {
		if ctx.Err() != nil {
			return false // Go would choose at random between this and a call that could begin.
		}
		trying.Add(1)
		select {
		case c.calls <- func() { defer trying.Done(); w.err = c.call(handling, w) }:
		case <-ctx.Done():
			trying.Done()
			return false
		}
	}
	return true
}

// leave gives up messages that have failed several times, and logs the first of them.
func (c *Consumer) leave(failed []*work) {
	c.metrics.left.Add(float64(len(failed)))
	c.config.Log.With(failed[0].names()...).Warn("messages have failed several times and are left",
		"messages", len(failed), "error", failed[0].err)
}

// call calls the handler. It returns a panic of the handler as an error of Poison.
func (c *Consumer) call(ctx context.Context, w *work) (err error) {
	began := time.Now()
	ctx, handling := StartHandling(ctx, c.config.Tracer, "process "+c.config.Topic.Name, c.config.Topic.Name, w.traces)
	defer func() {
		handling.End(err)
		c.metrics.attempts.Observe(began, err)
	}()
	defer func() {
		if cause := recover(); cause != nil {
			c.config.Log.With(w.names()...).Error("handler panicked", "panic", cause, "stack", string(debug.Stack()))
			err = Poison(fmt.Errorf("kafka: handler panicked: %v", cause))
		}
	}()
	return c.config.Handle(ctx, w.message)
}

// bury writes w to the dead-letter topic. Equal messages of a batch become one dead letter, with the position of the
// first of them.
func (c *Consumer) bury(ctx context.Context, w *work) error {
	reason := w.err.Error()
	letter := Message{Key: w.message.Key, Value: w.message.Value}
	letter.Headers = append(letter.Headers, w.message.Headers...)
	letter.Headers = append(letter.Headers,
		Header{Key: HeaderDeadReason, Value: []byte(reason[:min(len(reason), maxReasonBytes)])},
		Header{Key: HeaderDeadTopic, Value: []byte(c.config.Topic.Name)},
		Header{Key: HeaderDeadPartition, Value: strconv.AppendInt(nil, int64(w.at.Partition), 10)},
		Header{Key: HeaderDeadOffset, Value: strconv.AppendInt(nil, w.at.Offset, 10)},
		Header{Key: HeaderDeadKey, Value: w.message.Key},
	)
	if _, err := c.client.Publish(ctx, c.config.Topic.DeadLetters().Name, records(letter)); err != nil {
		c.metrics.retries.Inc()
		return fmt.Errorf("kafka: writing a dead letter: %w", err)
	}
	c.metrics.deadLetters.Inc()
	c.config.Log.With(w.names()...).Error("message can never be handled; it is in the dead-letter topic",
		"reason", reason)
	return nil
}
