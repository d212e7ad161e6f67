package kafka_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	kafkago "github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
)

// register records the messages that a handler was given.
type register struct {
	mu     sync.Mutex
	values map[string]int
}

func (r *register) note(m kafka.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.values == nil {
		r.values = make(map[string]int)
	}
	r.values[string(m.Value)]++
}

// distinct returns the number of different values seen.
func (r *register) distinct() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.values)
}

func (r *register) times(value string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.values[value]
}

func (r *register) handle(_ context.Context, m kafka.Message) error {
	r.note(m)
	return nil
}

type consumerFixture struct {
	*kafka.Consumer
	metrics *prometheus.Registry
	log     *kafkatest.Journal
}

func newConsumer(
	b *kafkatest.Broker, handle func(context.Context, kafka.Message) error, adjust ...func(*kafka.ConsumerConfig),
) consumerFixture {
	b.T.Helper()
	metrics, log := prometheus.NewRegistry(), &kafkatest.Journal{}
	config := kafka.ConsumerConfig{
		Cluster:        b.Reach(),
		Topic:          kafka.Topic{Name: "receipts", Partitions: 3},
		Group:          "premium",
		Handle:         handle,
		SessionTimeout: 30 * time.Second,
		PartitionWatch: 100 * time.Millisecond,
		Log:            log.Logger(),
		Metrics:        metrics,
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

// numbered returns n messages of different keys and values.
func numbered(n int) []kafkago.Message {
	messages := make([]kafkago.Message, n)
	for i := range messages {
		messages[i] = kafkago.Message{Key: fmt.Appendf(nil, "key %d", i), Value: fmt.Appendf(nil, "value %d", i)}
	}
	return messages
}

func TestConsumerHandlesEveryMessageAndCommits(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		b.Publish("receipts", numbered(500)...)
		var seen register
		c := newConsumer(b, seen.handle)
		stop := kafkatest.Running(t, c.Run)
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 500 })
		stop()
		if got := b.Committed("premium", "receipts"); got != 500 {
			t.Errorf("committed %d, want 500", got)
		}
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_handled_total"); got != 500 {
			t.Errorf("counted %v handled, want 500", got)
		}

		// Another consumer of the group gets only messages that are published later.
		var later register
		kafkatest.Running(t, newConsumer(b, later.handle).Run)
		b.Publish("receipts", kafkago.Message{Value: []byte("new")})
		kafkatest.Eventually(t, "the new one is handled", func() bool { return later.times("new") == 1 })
		if got := later.distinct(); got != 1 {
			t.Errorf("%d messages handled again", got-1)
		}
	})
}

func TestConsumerMakesItsTopicsAndReceivesSoon(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		var seen register
		began := time.Now()
		stop := kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		kafkatest.Eventually(t, "the topics are there", func() bool {
			return len(b.PartitionInfos("receipts")) == 3 && len(b.PartitionInfos("receipts.dead")) == 1
		})
		b.Publish("receipts", kafkago.Message{Value: []byte("first")})
		kafkatest.Eventually(t, "the message is handled", func() bool { return seen.times("first") == 1 })
		t.Logf("first message handled %v after the start", time.Since(began))

		began = time.Now()
		stop()
		t.Logf("stopped in %v", time.Since(began))
		if info := b.GroupInfo("premium"); len(info.Members) != 0 {
			t.Errorf("group has %d members after the stop", len(info.Members))
		}

		began = time.Now()
		kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		b.Publish("receipts", kafkago.Message{Value: []byte("second")})
		kafkatest.Eventually(t, "the message is handled", func() bool { return seen.times("second") == 1 })
		t.Logf("first message handled %v after the second start", time.Since(began))
	})
}

// TestEqualMessagesOfABatchAreHandledOnce publishes messages while one of their partition is being handled.
func TestEqualMessagesOfABatchAreHandledOnce(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		var seen register
		begun, release := make(chan struct{}, 201), make(chan struct{})
		c := newConsumer(b, func(_ context.Context, m kafka.Message) error {
			begun <- struct{}{}
			<-release
			seen.note(m)
			return nil
		}, func(c *kafka.ConsumerConfig) { c.Linger = time.Second })
		stop := kafkatest.Running(t, c.Run)
		b.Publish("receipts", kafkago.Message{Key: []byte("policy"), Value: []byte("November")})
		<-begun
		var messages []kafkago.Message
		for range 100 {
			messages = append(messages,
				kafkago.Message{Key: []byte("policy"), Value: []byte("November")},
				kafkago.Message{Key: []byte("policy"), Value: []byte("December")})
		}
		b.Publish("receipts", messages...)
		close(release)
		kafkatest.Eventually(t, "all are handled", func() bool {
			return kafkatest.Metric(t, c.metrics, "bus_consumer_handled_total") == 201
		})
		stop()
		// November is handled again after the messages about it that were published while it was being handled: their
		// cause may have happened after the handler read the state.
		if november, december := seen.times("November"), seen.times("December"); november != 2 || december != 1 {
			t.Errorf("handled November %d and December %d times, want 2 and 1", november, december)
		}
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_coalesced_total"); got != 198 {
			t.Errorf("%v coalesced, want 198", got)
		}
		if got := b.Committed("premium", "receipts"); got != 201 {
			t.Errorf("committed %d, want 201", got)
		}
	})
}

// TestABatchIsBounded: what is fetched and not handled never exceeds a batch for each partition.
func TestABatchIsBounded(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		b.Publish("receipts", numbered(300)...)
		release := make(chan struct{})
		var seen register
		c := newConsumer(b, func(ctx context.Context, m kafka.Message) error {
			<-release
			return seen.handle(ctx, m)
		}, func(c *kafka.ConsumerConfig) { c.Batch, c.Linger = 20, time.Minute })
		kafkatest.Running(t, c.Run)
		time.Sleep(5 * time.Minute) // There is time to fetch more.
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_in_hand"); got != 60 {
			t.Errorf("%v messages in hand, want 60", got)
		}
		close(release)
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 300 })
	})
}
