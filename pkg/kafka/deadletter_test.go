package kafka_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
)

// header returns the value of a header of m.
func header(m kafkago.Message, key string) string {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// poisoned returns a handler that records messages in r, except those with the value "poison", which it cannot handle.
func poisoned(r *register) func(context.Context, kafka.Message) error {
	return func(ctx context.Context, m kafka.Message) error {
		if string(m.Value) == "poison" {
			return kafka.Poison(errors.New("not a message of ours"))
		}
		return r.handle(ctx, m)
	}
}

func TestPoisonGoesToTheDeadLettersAndBlocksNothing(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		poison := kafkago.Message{
			Key: []byte("policy"), Value: []byte("poison"),
			Headers: []kafkago.Header{{Key: "trace", Value: []byte("1")}},
		}
		b.Publish("receipts", kafkago.Message{Key: []byte("policy"), Value: []byte("before")})
		b.Publish("receipts", poison)
		b.Publish("receipts", kafkago.Message{Key: []byte("policy"), Value: []byte("after")})
		var seen register
		c := newConsumer(b, poisoned(&seen))
		stop := kafkatest.Running(t, c.Run)
		kafkatest.Eventually(t, "what follows is handled", func() bool {
			return seen.times("after") == 1 && seen.times("before") == 1
		})
		stop()

		letter := b.Read("receipts.dead", 1)[0]
		if string(letter.Key) != "policy" || string(letter.Value) != "poison" {
			t.Errorf("dead letter is %s: %s", letter.Key, letter.Value)
		}
		var partition string
		for _, p := range b.PartitionInfos("receipts") {
			if p.HighWatermark > 0 {
				partition = string('0' + p.Partition)
			}
		}
		for key, want := range map[string]string{
			kafka.HeaderDeadReason:    "not a message of ours",
			kafka.HeaderDeadTopic:     "receipts",
			kafka.HeaderDeadPartition: partition,
			kafka.HeaderDeadOffset:    "1",
			kafka.HeaderDeadKey:       "policy",
			"trace":                   "1",
		} {
			if got := header(letter, key); got != want {
				t.Errorf("header %s is %q, want %q", key, got, want)
			}
		}
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_dead_letters_total"); got != 1 {
			t.Errorf("counted %v dead letters, want 1", got)
		}
		if got := b.Committed("premium", "receipts"); got != 3 {
			t.Errorf("committed %d, want 3", got)
		}

		// The dead letter is on disk, and the group has committed the offset of the message.
		b.Close()
		b.Start()
		if got := b.Read("receipts.dead", 1)[0]; header(got, kafka.HeaderDeadOffset) != "1" {
			t.Errorf("dead letter is not the same after a restart of the broker: %v", got)
		}
		if got := b.Committed("premium", "receipts"); got != 3 {
			t.Errorf("committed %d after a restart of the broker, want 3", got)
		}
	})
}

func TestPanicIsPoison(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		b.Publish("receipts", kafkago.Message{Value: []byte("panic")}, kafkago.Message{Value: []byte("fine")})
		var seen register
		c := newConsumer(b, func(ctx context.Context, m kafka.Message) error {
			if string(m.Value) == "panic" {
				panic("out of its mind")
			}
			return seen.handle(ctx, m)
		})
		kafkatest.Running(t, c.Run)
		kafkatest.Eventually(t, "the other is handled", func() bool { return seen.times("fine") == 1 })
		kafkatest.Eventually(t, "there is a dead letter", func() bool { return b.Stored("receipts.dead") == 1 })
		got := header(b.Read("receipts.dead", 1)[0], kafka.HeaderDeadReason)
		if !strings.Contains(got, "out of its mind") {
			t.Errorf("reason %q does not tell the panic", got)
		}
		if got := c.log.Count("TestPanicIsPoison"); got == 0 {
			t.Error("the log does not show where the handler panicked")
		}
	})
}

func TestDeadLetterIsWrittenAgainUntilItIsStored(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		refused := b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "receipts.dead",
			Err: kerr.NotEnoughReplicas, Count: 3})

		var calls atomic.Int32
		c := newConsumer(b, func(context.Context, kafka.Message) error {
			calls.Add(1)
			return kafka.Poison(errors.New("bad"))
		})
		b.Publish("receipts", kafkago.Message{Value: []byte("poison")})
		kafkatest.Running(t, c.Run)
		kafkatest.Eventually(t, "there is a dead letter", func() bool { return b.Stored("receipts.dead") == 1 })
		kafkatest.Eventually(t, "it is committed", func() bool { return b.Committed("premium", "receipts") == 1 })
		if got := refused.Hits(); got != 3 {
			t.Errorf("refused %d times, want 3", got)
		}
		if got := calls.Load(); got != 1 {
			t.Errorf("handler called %d times, want 1", got)
		}
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_dead_letters_total"); got != 1 {
			t.Errorf("counted %v dead letters, want 1", got)
		}
	})
}

func TestDeadLetterMayBeLongerThanAMessage(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		kafkatest.Running(t, newConsumer(b, func(context.Context, kafka.Message) error {
			return kafka.Poison(errors.New(strings.Repeat("because ", 2000)))
		}).Run)
		kafkatest.Eventually(t, "the topics are there", func() bool {
			return len(b.PartitionInfos("receipts.dead")) == 1
		})
		b.Publish("receipts", kafkago.Message{Value: bytes.Repeat([]byte("x"), 1<<20-200)})
		kafkatest.Eventually(t, "there is a dead letter", func() bool { return b.Stored("receipts.dead") == 1 })
	})
}

// TestPoisonWhileTheBrokerIsGone stops the broker before the dead letter is written. Either the writer notices first
// and tries again, or the group does: its generation ends, and the next one fetches the message again. In both cases
// the dead letter is written and the message is committed.
func TestPoisonWhileTheBrokerIsGone(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		b.Publish("receipts", kafkago.Message{Value: []byte("poison")})
		begun, release := make(chan struct{}, 9), make(chan struct{})
		c := newConsumer(b, func(context.Context, kafka.Message) error {
			select {
			case begun <- struct{}{}:
			default:
			}
			<-release
			return kafka.Poison(errors.New("bad"))
		})
		kafkatest.Running(t, c.Run)
		<-begun
		b.Close()
		close(release)
		kafkatest.Eventually(t, "the broker is missed", func() bool {
			return kafkatest.Metric(t, c.metrics, "bus_consumer_retries_total") > 0 ||
				c.log.Count("messages are not being received") > 0
		})
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_dead_letters_total"); got != 0 {
			t.Errorf("counted %v dead letters while the broker was gone", got)
		}
		b.Start()
		kafkatest.Eventually(t, "there is a dead letter", func() bool { return b.Stored("receipts.dead") > 0 })
		kafkatest.Eventually(t, "it is committed", func() bool { return b.Committed("premium", "receipts") == 1 })
	})
}

// TestLogNamesTheTraceOfAMessageAndNotItsKey looks at each line that the consumer logs about a message: one that is
// left, one whose handler panics, and one that can never be handled.
func TestLogNamesTheTraceOfAMessageAndNotItsKey(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		const key = "POL-7781-secret"
		traces := map[string]string{
			"left": "0af7651916cd43dd8448eb211c80319c", "panic": "1bf7651916cd43dd8448eb211c80319c",
			"poison": "2cf7651916cd43dd8448eb211c80319c",
		}
		for _, value := range slices.Sorted(maps.Keys(traces)) {
			trace := traces[value]
			b.Publish("receipts", kafkago.Message{Key: []byte(key), Value: []byte(value), Headers: []kafkago.Header{
				{Key: kafka.HeaderTrace, Value: []byte("00-" + trace + "-b7ad6b7169203331-01")},
			}})
		}
		c := newConsumer(b, func(_ context.Context, m kafka.Message) error {
			switch {
			case string(m.Value) == "panic":
				panic("out of its mind")
			case string(m.Value) == "poison":
				return kafka.Poison(errors.New("not a message of ours"))
			}
			return errors.New("the store is closed")
		})
		stop := kafkatest.Running(t, c.Run)
		kafkatest.Eventually(t, "all are committed", func() bool { return b.Committed("premium", "receipts") == 3 })
		stop()
		// a panic is logged, and then its dead letter
		for value, lines := range map[string]int{"left": 1, "panic": 2, "poison": 1} {
			if got := c.log.Count("trace=" + traces[value]); got != lines {
				t.Errorf("%d lines name the trace of the message %s, want %d", got, value, lines)
			}
		}
		if c.log.Count("offset=0") == 0 {
			t.Error("no line names the place of the first message")
		}
		if got := c.log.Count(key); got != 0 {
			t.Errorf("the log has the key of a message %d times", got)
		}
	})
}
