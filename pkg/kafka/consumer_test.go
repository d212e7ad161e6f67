package kafka_test

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	kafkago "github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/wait"
)

// register records the values of the messages that a handler was given. It cannot handle the value "poison".
type register struct {
	mu     sync.Mutex
	values map[string]int
	last   kafka.Message
}

func (r *register) handle(m kafka.Message) error {
	if string(m.Value) == "poison" {
		return errors.New("not a message of ours")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.values == nil {
		r.values = make(map[string]int)
	}
	r.values[string(m.Value)]++
	r.last = m
	return nil
}

// distinct returns the number of different values seen.
func (r *register) distinct() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.values)
}

type consumerFixture struct {
	*kafka.Consumer
	metrics *prometheus.Registry
	log     *kafkatest.Journal
}

func newConsumer(
	b *broker, handle func(kafka.Message) error, adjust ...func(*kafka.ConsumerConfig),
) consumerFixture {
	b.T.Helper()
	metrics, log := prometheus.NewRegistry(), &kafkatest.Journal{}
	config := kafka.ConsumerConfig{
		Cluster: b.reach(), Topic: kafka.Topic{Name: "receipts", Partitions: 3}, Group: "premium", Handle: handle,
		SessionTimeout: 10 * time.Second, Log: log.Logger(), Metrics: metrics,
	}
	for _, f := range adjust {
		f(&config)
	}
	c, err := kafka.NewConsumer(config)
	if err != nil {
		b.T.Fatal(err)
	}
	return consumerFixture{c, metrics, log}
}

// numbered returns n messages of different keys and values, from one on.
func numbered(from, n int) []kafkago.Message {
	messages := make([]kafkago.Message, n)
	for i := range messages {
		n := from + i
		messages[i] = kafkago.Message{Key: fmt.Appendf(nil, "key %d", n), Value: fmt.Appendf(nil, "value %d", n)}
	}
	return messages
}

// TestAConsumerGoesOnWhereTheLastOneEnded: each message of all partitions is handled, and those that came while no
// consumer ran as well.
func TestAConsumerGoesOnWhereTheLastOneEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		b.makeTopics()
		for round := range 3 {
			var seen register
			c := newConsumer(b, seen.handle)
			b.publish("receipts", numbered(100*round, 50)...)
			stop := kafkatest.Running(t, c.Run)
			wait.For(t, "what came before is handled", func() bool { return seen.distinct() == 50 })
			b.publish("receipts", numbered(100*round+50, 50)...)
			wait.For(t, "what comes is handled", func() bool { return seen.distinct() == 100 })
			stop()
			if got := kafkatest.Metric(t, c.metrics, "bus_consumer_handled_total"); got != 100 {
				t.Errorf("%v are counted, want 100", got)
			}
			if got := b.committed("premium", "receipts"); got != int64(100*(round+1)) {
				t.Errorf("%d are committed, want %d", got, 100*(round+1))
			}
		}
	})
}

// TestConsumersShareATopic: two share the partitions, one ends, and another one begins. Each message is handled.
func TestConsumersShareATopic(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		b.makeTopics()
		var seen, first, second register
		both := func(own *register) func(kafka.Message) error {
			return func(m kafka.Message) error { return errors.Join(own.handle(m), seen.handle(m)) }
		}
		stop := kafkatest.Running(t, newConsumer(b, both(&first)).Run)
		kafkatest.Running(t, newConsumer(b, both(&second)).Run)
		sent := 0
		send := func() {
			b.publish("receipts", numbered(sent, 10)...)
			sent += 10
		}
		wait.For(t, "both have handled some", func() bool {
			send()
			return first.distinct() > 0 && second.distinct() > 0
		})
		stop()
		kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		send()
		wait.For(t, "all are handled", func() bool { return seen.distinct() == sent })
	})
}

// TestAConsumerOutlastsTheBroker: the check says why nothing is received while the broker is away, at the start and
// later, and that something is again afterwards. The log says each once.
func TestAConsumerOutlastsTheBroker(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		var seen register
		c := newConsumer(b, seen.handle)
		b.Close()
		kafkatest.Running(t, c.Run)
		for round := range 2 {
			wait.For(t, "the check says why", func() bool { return c.Check(t.Context()) != nil })
			time.Sleep(time.Minute)
			if err := c.Check(t.Context()); err == nil {
				t.Error("after a minute the check says nothing")
			}
			if got := c.log.Count("messages are not being received"); got != round+1 {
				t.Errorf("round %d: the log says it %d times", round, got)
			}
			b.Start()
			well := func() bool { return c.Check(t.Context()) == nil }
			wait.For(t, "the check says that it is well", well)
			wait.For(t, "the topic is there", func() bool { return len(b.PartitionInfos("receipts")) == 3 })
			b.publish("receipts", numbered(10*round, 10)...)
			wait.For(t, "all are handled", func() bool { return seen.distinct() == 10*(round+1) })
			b.Close()
		}
		b.Start()
	})
}

func TestAConsumerWithoutGroupIsRefused(t *testing.T) {
	if _, err := kafka.NewConsumer(kafka.ConsumerConfig{
		Cluster: kafka.Cluster{Brokers: []string{"localhost:9092"}}, Topic: kafka.Topic{Name: "receipts"},
		SessionTimeout: time.Second, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}); err == nil {
		t.Error("a consumer of no group was made")
	}
}
