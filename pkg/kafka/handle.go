package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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

// maxReasonBytes bounds the reason in a dead letter. The log contains the whole reason.
const maxReasonBytes = 4 << 10

// do tries to handle w until that succeeds. It gives up only when ctx ends between two attempts. An attempt runs with
// the context handling, which ends some time after ctx.
func (a *assignment) do(ctx, handling context.Context, w *work) {
	failed := false
	err := retry.Until(ctx, func() error {
		// Other work can have the worker while this work waits to be tried again.
		outcome := make(chan error, 1)
		select {
		case a.calls <- func() { outcome <- a.attempt(handling, w) }:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := <-outcome
		if err != nil && ctx.Err() == nil {
			a.metrics.retries.Inc()
			if !failed {
				failed = true
				a.retrying.enter(w, err)
			}
		}
		return err
	})
	if failed {
		a.retrying.leave()
	}
	w.handled = err == nil
}

// attempt handles w. If w can never be handled, attempt writes it to the dead-letter topic.
func (c *Consumer) attempt(ctx context.Context, w *work) error {
	if w.poison == nil {
		err := c.call(ctx, w)
		if !IsPoison(err) {
			return err
		}
		w.poison = err
	}
	return c.bury(ctx, w)
}

// call calls the handler. It returns a panic of the handler as an error of Poison.
func (c *Consumer) call(ctx context.Context, w *work) (err error) {
	began := time.Now()
	ctx, handling := StartHandling(ctx, c.config.Tracer, "process "+c.config.Topic.Name, c.config.Topic.Name, w.traces)
	defer func() {
		handling.End(err)
		c.metrics.observe(began, err)
	}()
	defer func() {
		if cause := recover(); cause != nil {
			c.config.Log.With(w.names()...).Error("handler panicked", "panic", cause, "stack", string(debug.Stack()))
			err = Poison(fmt.Errorf("kafka: handler panicked: %v", cause))
		}
	}()
	return c.config.Handle(ctx, w.message)
}

// bury writes w to the dead-letter topic. Equal messages become one dead letter, with the position of the first of
// them.
func (c *Consumer) bury(ctx context.Context, w *work) error {
	at, reason := w.positions[0], w.poison.Error()
	letter := Message{Key: w.message.Key, Value: w.message.Value}
	letter.Headers = append(letter.Headers, w.message.Headers...)
	letter.Headers = append(letter.Headers,
		Header{Key: HeaderDeadReason, Value: []byte(reason[:min(len(reason), maxReasonBytes)])},
		Header{Key: HeaderDeadTopic, Value: []byte(c.config.Topic.Name)},
		Header{Key: HeaderDeadPartition, Value: strconv.AppendInt(nil, int64(at.partition), 10)},
		Header{Key: HeaderDeadOffset, Value: strconv.AppendInt(nil, at.offset, 10)},
		Header{Key: HeaderDeadKey, Value: w.message.Key},
	)
	if _, err := c.client.Publish(ctx, c.config.Topic.DeadLetters().Name, records(letter)); err != nil {
		return fmt.Errorf("kafka: writing a dead letter: %w", err)
	}
	c.metrics.deadLetters.Inc()
	c.config.Log.With(w.names()...).Error("message can never be handled; it is in the dead-letter topic",
		"reason", reason)
	return nil
}

// tally counts the messages that are being retried. During an outage that affects many messages it logs only the first
// cause, and later the end of the outage.
type tally struct {
	log   *slog.Logger
	gauge prometheus.Gauge

	mu    sync.Mutex
	count int
}

func (t *tally) enter(w *work, cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == 0 {
		t.log.With(w.names()...).Warn("messages are not handled yet and are tried again", "error", cause)
	}
	t.count++
	t.gauge.Set(float64(t.count))
}

func (t *tally) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count--
	t.gauge.Set(float64(t.count))
	if t.count == 0 {
		t.log.Info("no message is tried again any more")
	}
}
