package bus_test

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

	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
)

var errUnspeakable = errors.New("nothing can be said of this")

// about returns the message about a document, with the body as its key. It returns an error if the body says that no
// message can be made.
func about(doc docstore.Document) (bus.Message, error) {
	if strings.HasPrefix(string(doc.Body), "bad") {
		return bus.Message{}, errUnspeakable
	}
	return bus.Message{Key: doc.Body, Value: []byte(doc.ID.String())}, nil
}

type relayFixture struct {
	*bus.Relay
	metrics *prometheus.Registry
	log     *journal
}

func newRelay(b *broker, adjust ...func(*bus.RelayConfig)) relayFixture {
	metrics, log := prometheus.NewRegistry(), &journal{}
	config := bus.RelayConfig{
		Cluster: b.cluster(),
		Topic:   bus.Topic{Name: "receipts", Partitions: 3},
		Message: about,
		Log:     log.logger(),
		Metrics: metrics,
	}
	for _, f := range adjust {
		f(&config)
	}
	return relayFixture{bus.NewRelay(config), metrics, log}
}

// send has messages about n new documents sent.
func (r relayFixture) send(n int) {
	for i := range n {
		r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, "document %d", i)})
	}
}

func TestRelayPublishesWhatItIsGiven(t *testing.T) {
	b := startBroker(t)
	r := newRelay(b, func(c *bus.RelayConfig) { c.Page = 50 })
	r.send(120)
	running(t, r.Run)
	eventually(t, "all are published", func() bool { return b.stored("receipts") == 120 })
	r.send(1)
	eventually(t, "a later one is published", func() bool { return b.stored("receipts") == 121 })

	distinct := make(map[string]bool)
	for _, m := range b.read("receipts", 121) {
		distinct[string(m.Value)] = true
	}
	if len(distinct) != 121 {
		t.Errorf("%d different messages, want 121", len(distinct))
	}
	eventually(t, "all are counted", func() bool { return metric(t, r.metrics, "bus_relay_published_total") == 121 })
	eventually(t, "the backlog is 0", func() bool { return metric(t, r.metrics, "bus_relay_backlog") == 0 })
}

func TestOneKeyKeepsToOnePartition(t *testing.T) {
	b := startBroker(t)
	r := newRelay(b, func(c *bus.RelayConfig) { c.Page = 7 })
	for i := range 100 {
		r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, "policy %d", i%10)})
	}
	running(t, r.Run)
	eventually(t, "all are published", func() bool { return b.stored("receipts") == 100 })

	partitions := make(map[string]int)
	used := make(map[int]bool)
	for _, m := range b.read("receipts", 100) {
		used[m.Partition] = true
		if before, ok := partitions[string(m.Key)]; ok && before != m.Partition {
			t.Errorf("%s is in partitions %d and %d", m.Key, before, m.Partition)
		}
		partitions[string(m.Key)] = m.Partition
	}
	if len(used) < 2 {
		t.Errorf("ten keys are all in one partition of three")
	}
}

func TestDocumentsWithoutMessageHoldUpNoOther(t *testing.T) {
	b := startBroker(t)
	r := newRelay(b)
	r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte("bad")})
	r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(strings.Repeat("long", 300_000))})
	r.send(30)
	running(t, r.Run)
	eventually(t, "the others are published", func() bool { return b.stored("receipts") == 30 })
	if got := metric(t, r.metrics, "bus_relay_failures_total"); got != 2 {
		t.Errorf("%v failures counted, want 2", got)
	}
	if got := r.log.count("no message can be made"); got != 2 {
		t.Errorf("%d log lines about them, want 2", got)
	}
}

// TestAFullQueueTakesNoMore sends more than the relay has room for. Send returns, and what is left is counted.
func TestAFullQueueTakesNoMore(t *testing.T) {
	b := startBroker(t)
	r := newRelay(b, func(c *bus.RelayConfig) { c.Queue = 10 })
	r.send(40)
	if got := metric(t, r.metrics, "bus_relay_left_total"); got != 30 {
		t.Errorf("%v are left, want 30", got)
	}
	if got := metric(t, r.metrics, "bus_relay_backlog"); got != 10 {
		t.Errorf("%v wait, want 10", got)
	}
	running(t, r.Run)
	eventually(t, "what was taken is published", func() bool { return b.stored("receipts") == 10 })
	r.send(10)
	eventually(t, "there is room again", func() bool { return b.stored("receipts") == 20 })
}

func TestMessagesForOnePartitionDoNotHoldUpTheOthers(t *testing.T) {
	b := startBroker(t)
	ready(b)
	refused := b.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: "receipts", Partitions: []int32{1},
		Err: kerr.NotEnoughReplicas, Count: -1,
	})
	r := newRelay(b)
	running(t, r.Run)
	for round := range 3 {
		r.send(60)
		eventually(t, "the other partitions have their messages", func() bool {
			stored, waiting := b.stored("receipts"), metric(t, r.metrics, "bus_relay_backlog")
			return refused.Hits() > 2 && waiting > 0 && stored+int64(waiting) == int64(60*(round+1)) && stored >= int64(20*(round+1))
		})
	}
	if got := b.PartitionInfos("receipts")[1].HighWatermark; got != 0 {
		t.Errorf("partition 1 holds %d messages, want 0", got)
	}
	refused.Remove()
	eventually(t, "all are published", func() bool { return b.stored("receipts") == 180 })
}

func TestStopPublishesWhatWaits(t *testing.T) {
	b := startBroker(t)
	ready(b)
	r := newRelay(b)
	stop := running(t, r.Run)
	r.send(1)
	eventually(t, "it works", func() bool { return b.stored("receipts") == 1 })
	r.send(50)
	stop()
	if got := b.stored("receipts"); got != 51 {
		t.Errorf("%d messages are stored after the stop, want 51", got)
	}
}

func TestRelayOutlastsTheBroker(t *testing.T) {
	b := startBroker(t)
	r := newRelay(b, func(c *bus.RelayConfig) { c.Page = 10 })
	running(t, r.Run)
	r.send(5)
	eventually(t, "the first are published", func() bool { return b.stored("receipts") == 5 })
	if err := r.Check(t.Context()); err != nil {
		t.Errorf("the check says %v", err)
	}

	b.Close()
	r.send(40)
	eventually(t, "several attempts have failed", func() bool { return metric(t, r.metrics, "bus_relay_failures_total") >= 3 })
	if got := metric(t, r.metrics, "bus_relay_backlog"); got != 40 {
		t.Errorf("backlog %v, want 40", got)
	}
	if err := r.Check(t.Context()); err == nil {
		t.Error("the check says nothing of the outage")
	}

	b.start()
	eventually(t, "all are published", func() bool { return b.stored("receipts") >= 45 })
	eventually(t, "the outage is over", func() bool { return r.Check(t.Context()) == nil })
	if down, up := r.log.count("not being published"), r.log.count("published again"); down != 1 || up != 1 {
		t.Errorf("logged down %d and up %d times, want once each", down, up)
	}
}

func TestBrokerMissingAtStartIsWaitedFor(t *testing.T) {
	b := startBroker(t)
	b.Close()
	r := newRelay(b)
	r.send(3)
	running(t, r.Run)
	eventually(t, "it has tried", func() bool { return metric(t, r.metrics, "bus_relay_failures_total") >= 2 })

	b.start()
	eventually(t, "all are published", func() bool { return b.stored("receipts") == 3 })
	if got := len(b.PartitionInfos("receipts")); got != 3 {
		t.Errorf("topic made with %d partitions, want 3", got)
	}
}
