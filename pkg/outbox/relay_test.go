package outbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/outbox"
)

var errUnspeakable = errors.New("nothing can be said of this")

// about returns the message about a document, with the body as its key. It returns an error if the body says that no
// message can be made.
func about(doc docstore.Document) (kafka.Message, error) {
	if strings.HasPrefix(string(doc.Body), "bad") {
		return kafka.Message{}, errUnspeakable
	}
	return kafka.Message{Key: doc.Body, Value: []byte(doc.ID.String())}, nil
}

type relayFixture struct {
	*outbox.Relay
	metrics *prometheus.Registry
	log     *kafkatest.Journal
}

func newRelay(b *kafkatest.Broker, adjust ...func(*outbox.RelayConfig)) relayFixture {
	metrics, log := prometheus.NewRegistry(), &kafkatest.Journal{}
	config := outbox.RelayConfig{
		Cluster: b.Reach(),
		Topic:   kafka.Topic{Name: "receipts", Partitions: 3},
		Message: about,
		Log:     log.Logger(),
		Metrics: metrics,
	}
	for _, f := range adjust {
		f(&config)
	}
	return relayFixture{outbox.NewRelay(config), metrics, log}
}

// send has messages about n new documents sent.
func (r relayFixture) send(n int) {
	for i := range n {
		r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, "document %d", i)})
	}
}

func TestRelayPublishesWhatItIsGiven(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		r := newRelay(b, func(c *outbox.RelayConfig) { c.Page = 50 })
		r.send(120)
		kafkatest.Running(t, r.Run)
		kafkatest.Eventually(t, "all are published", func() bool { return b.Stored("receipts") == 120 })
		r.send(1)
		kafkatest.Eventually(t, "a later one is published", func() bool { return b.Stored("receipts") == 121 })

		distinct := make(map[string]bool)
		for _, m := range b.Read("receipts", 121) {
			distinct[string(m.Value)] = true
		}
		if len(distinct) != 121 {
			t.Errorf("%d different messages, want 121", len(distinct))
		}
		kafkatest.Eventually(t, "all are counted", func() bool {
			return kafkatest.Metric(t, r.metrics, "bus_relay_published_total") == 121
		})
		kafkatest.Eventually(t, "the backlog is 0", func() bool {
			return kafkatest.Metric(t, r.metrics, "bus_relay_backlog") == 0
		})
	})
}

func TestOneKeyKeepsToOnePartition(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		r := newRelay(b, func(c *outbox.RelayConfig) { c.Page = 7 })
		for i := range 100 {
			r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, "policy %d", i%10)})
		}
		kafkatest.Running(t, r.Run)
		kafkatest.Eventually(t, "all are published", func() bool { return b.Stored("receipts") == 100 })

		partitions := make(map[string]int)
		used := make(map[int]bool)
		for _, m := range b.Read("receipts", 100) {
			used[m.Partition] = true
			if before, ok := partitions[string(m.Key)]; ok && before != m.Partition {
				t.Errorf("%s is in partitions %d and %d", m.Key, before, m.Partition)
			}
			partitions[string(m.Key)] = m.Partition
		}
		if len(used) < 2 {
			t.Errorf("ten keys are all in one partition of three")
		}
	})
}

func TestDocumentsWithoutMessageHoldUpNoOther(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		r := newRelay(b)
		r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte("bad")})
		r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(strings.Repeat("long", 300_000))})
		r.send(30)
		kafkatest.Running(t, r.Run)
		kafkatest.Eventually(t, "the others are published", func() bool { return b.Stored("receipts") == 30 })
		if got := kafkatest.Metric(t, r.metrics, "bus_relay_failures_total"); got != 2 {
			t.Errorf("%v failures counted, want 2", got)
		}
		if got := r.log.Count("no message can be made"); got != 2 {
			t.Errorf("%d log lines about them, want 2", got)
		}
	})
}

// TestAFullQueueTakesNoMore sends more than the relay has room for. Send returns, and what is left is counted.
func TestAFullQueueTakesNoMore(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		r := newRelay(b, func(c *outbox.RelayConfig) { c.Queue = 10 })
		r.send(40)
		if got := kafkatest.Metric(t, r.metrics, "bus_relay_left_total"); got != 30 {
			t.Errorf("%v are left, want 30", got)
		}
		if got := kafkatest.Metric(t, r.metrics, "bus_relay_backlog"); got != 10 {
			t.Errorf("%v wait, want 10", got)
		}
		kafkatest.Running(t, r.Run)
		kafkatest.Eventually(t, "what was taken is published", func() bool { return b.Stored("receipts") == 10 })
		r.send(10)
		kafkatest.Eventually(t, "there is room again", func() bool { return b.Stored("receipts") == 20 })
	})
}

func TestMessagesForOnePartitionDoNotHoldUpTheOthers(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		refused := b.Fault(kfake.Fault{
			Keys: []kmsg.Key{kmsg.Produce}, Topic: "receipts", Partitions: []int32{1},
			Err: kerr.NotEnoughReplicas, Count: -1,
		})
		r := newRelay(b)
		kafkatest.Running(t, r.Run)
		for round := range 3 {
			r.send(60)
			kafkatest.Eventually(t, "the other partitions have their messages", func() bool {
				stored, waiting := b.Stored("receipts"), kafkatest.Metric(t, r.metrics, "bus_relay_backlog")
				return refused.Hits() > 2 && waiting > 0 && stored+int64(waiting) == int64(60*(round+1)) &&
					stored >= int64(20*(round+1))
			})
		}
		if got := b.PartitionInfos("receipts")[1].HighWatermark; got != 0 {
			t.Errorf("partition 1 holds %d messages, want 0", got)
		}
		refused.Remove()
		kafkatest.Eventually(t, "all are published", func() bool { return b.Stored("receipts") == 180 })
	})
}

func TestStopPublishesWhatWaits(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		r := newRelay(b)
		stop := kafkatest.Running(t, r.Run)
		r.send(1)
		kafkatest.Eventually(t, "it works", func() bool { return b.Stored("receipts") == 1 })
		r.send(50)
		stop()
		if got := b.Stored("receipts"); got != 51 {
			t.Errorf("%d messages are stored after the stop, want 51", got)
		}
	})
}

func TestRelayOutlastsTheBroker(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		r := newRelay(b, func(c *outbox.RelayConfig) { c.Page = 10 })
		kafkatest.Running(t, r.Run)
		r.send(5)
		kafkatest.Eventually(t, "the first are published", func() bool { return b.Stored("receipts") == 5 })
		if err := r.Check(t.Context()); err != nil {
			t.Errorf("the check says %v", err)
		}

		b.Close()
		r.send(40)
		kafkatest.Eventually(t, "several attempts have failed", func() bool {
			return kafkatest.Metric(t, r.metrics, "bus_relay_failures_total") >= 3
		})
		if got := kafkatest.Metric(t, r.metrics, "bus_relay_backlog"); got != 40 {
			t.Errorf("backlog %v, want 40", got)
		}
		if err := r.Check(t.Context()); err == nil {
			t.Error("the check says nothing of the outage")
		}

		b.Start()
		kafkatest.Eventually(t, "all are published", func() bool { return b.Stored("receipts") >= 45 })
		kafkatest.Eventually(t, "the outage is over", func() bool { return r.Check(t.Context()) == nil })
		if down, up := r.log.Count("not being published"), r.log.Count("published again"); down != 1 || up != 1 {
			t.Errorf("logged down %d and up %d times, want once each", down, up)
		}
	})
}

func TestBrokerMissingAtStartIsWaitedFor(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.Close()
		r := newRelay(b)
		r.send(3)
		kafkatest.Running(t, r.Run)
		kafkatest.Eventually(t, "it has tried", func() bool {
			return kafkatest.Metric(t, r.metrics, "bus_relay_failures_total") >= 2
		})

		b.Start()
		kafkatest.Eventually(t, "all are published", func() bool { return b.Stored("receipts") == 3 })
		if got := len(b.PartitionInfos("receipts")); got != 3 {
			t.Errorf("topic made with %d partitions, want 3", got)
		}
	})
}
