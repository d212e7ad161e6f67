package bus_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
)

var errUnspeakable = errors.New("nothing can be said of this")

// about returns the message about a document, with the body as its key. It returns an error if the body says that no message
// can be made.
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

func newRelay(b *broker, o *outbox, adjust ...func(*bus.RelayConfig)) relayFixture {
	metrics, log := prometheus.NewRegistry(), &journal{}
	config := bus.RelayConfig{
		Cluster:    b.cluster(),
		Topic:      bus.Topic{Name: "receipts", Partitions: 3},
		Collection: o,
		Message:    about,
		Log:        log.logger(),
		Metrics:    metrics,
	}
	for _, f := range adjust {
		f(&config)
	}
	return relayFixture{bus.NewRelay(config), metrics, log}
}

func TestRelayPublishesEveryMarkedDocument(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	o.fill(120)
	r := newRelay(b, o, func(c *bus.RelayConfig) { c.Page = 50 })
	running(t, r.Run)

	eventually(t, "no document is unsent", func() bool { return o.unsent() == 0 })
	seen := make(map[uuid.UUID]bool)
	for _, m := range b.read("receipts", 120) {
		seen[uuid.MustParse(string(m.Value))] = true
	}
	for id := range o.docs {
		if !seen[id] {
			t.Errorf("no message about %v", id)
		}
	}
	if got := metric(t, r.metrics, "bus_relay_published_total"); got != 120 {
		t.Errorf("published %v, want 120", got)
	}
	eventually(t, "the backlog is 0", func() bool { return metric(t, r.metrics, "bus_relay_backlog") == 0 })
}

func TestRelayIsWoken(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	o.fill(1)
	r := newRelay(b, o, func(c *bus.RelayConfig) { c.Poll = time.Hour })
	running(t, r.Run)
	eventually(t, "the first is sent", func() bool { return o.unsent() == 0 })

	for range 5 {
		o.fill(1)
		for range 10 {
			r.Wake() // It does not block, even if the relay does not run.
		}
		eventually(t, "it is sent without a poll", func() bool { return o.unsent() == 0 })
	}
}

func TestOneKeyKeepsToOnePartition(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	for i := range 100 {
		o.put(docstore.Document{Body: fmt.Appendf(nil, "policy %d", i%10)})
	}
	running(t, newRelay(b, o, func(c *bus.RelayConfig) { c.Page = 7 }).Run)
	eventually(t, "no document is unsent", func() bool { return o.unsent() == 0 })

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

func TestDocumentsWithoutMessageBlockNoOther(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	// For more than a page of the oldest documents there is no message, and for one a message that is too long.
	for i := range 25 {
		o.put(docstore.Document{Body: fmt.Appendf(nil, "bad %d", i)})
	}
	long := o.put(docstore.Document{Body: []byte(strings.Repeat("long", 300_000))})
	o.fill(30)
	r := newRelay(b, o, func(c *bus.RelayConfig) { c.Page = 10 })
	running(t, r.Run)

	eventually(t, "only the bad are unsent", func() bool { return o.unsent() == 26 })
	b.read("receipts", 30)
	if got := metric(t, r.metrics, "bus_relay_failures_total"); got != 26 {
		t.Errorf("%v failures counted, want 26", got)
	}
	if got := metric(t, r.metrics, "bus_relay_refused"); got != 26 {
		t.Errorf("%v documents refused, want 26", got)
	}
	if got := r.log.count("no message can be made"); got != 26 {
		t.Errorf("%d log lines about them, want 26", got)
	}

	// Once it is changed to a valid one, it is sent.
	long.Body = []byte("short")
	o.put(long)
	r.Wake()
	eventually(t, "the mended one is sent", func() bool { return o.unsent() == 25 })
	eventually(t, "it is refused no more", func() bool { return metric(t, r.metrics, "bus_relay_refused") == 25 })
}

func TestCrashBeforeTheMarksAreOffRepeatsMessages(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	o.fill(10)
	crash := make(chan struct{})
	o.beforeSent = func() error {
		close(crash)
		return docstore.ErrUnavailable
	}
	stop := running(t, newRelay(b, o).Run)
	<-crash
	o.mu.Lock()
	o.beforeSent = nil
	o.mu.Unlock()
	stop()
	if got := o.unsent(); got != 10 {
		t.Fatalf("%d documents unsent after the crash, want 10", got)
	}

	running(t, newRelay(b, o).Run)
	eventually(t, "no document is unsent", func() bool { return o.unsent() == 0 })
	times := make(map[string]int)
	for _, m := range b.read("receipts", 20) {
		times[string(m.Value)]++
	}
	for id, n := range times {
		if n != 2 {
			t.Errorf("%d messages about %s, want 2", n, id)
		}
	}
}

func TestMarksComeOffOnlyWhereTheMessageIsStored(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	ready(b)
	refused := b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "receipts", Partitions: []int32{1},
		Err: kerr.NotEnoughReplicas, Count: -1})
	o.fill(60)
	running(t, newRelay(b, o).Run)
	eventually(t, "the other partitions have their messages", func() bool {
		return refused.Hits() > 2 && o.unsent() > 0 && int64(60-o.unsent()) == b.stored("receipts")
	})
	if got := b.PartitionInfos("receipts")[1].HighWatermark; got != 0 {
		t.Errorf("partition 1 holds %d messages, want 0", got)
	}
	refused.Remove()
	eventually(t, "no document is unsent", func() bool { return o.unsent() == 0 })
	b.read("receipts", 60)
}

func TestDocumentChangedWhileItIsPublishedKeepsItsMark(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	doc := o.put(docstore.Document{Body: []byte("first")})
	var once atomic.Bool
	o.beforeSent = func() error {
		if once.CompareAndSwap(false, true) {
			changed := o.docs[doc.ID]
			changed.Version++
			changed.Body = []byte("second")
			o.docs[doc.ID] = changed
		}
		return nil
	}
	r := newRelay(b, o)
	running(t, r.Run)
	eventually(t, "both versions are published", func() bool { return b.stored("receipts") == 2 })
	eventually(t, "the mark is off", func() bool { return o.unsent() == 0 })
}

func TestRelayOutlastsTheBroker(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	r := newRelay(b, o, func(c *bus.RelayConfig) { c.Page, c.Poll = 10, 20*time.Millisecond })
	running(t, r.Run)
	o.fill(5)
	eventually(t, "the first are sent", func() bool { return o.unsent() == 0 })

	b.Close()
	o.fill(40)
	eventually(t, "several attempts have failed", func() bool { return metric(t, r.metrics, "bus_relay_failures_total") >= 3 })
	if got := o.unsent(); got != 40 {
		t.Errorf("%d documents unsent while the broker is down, want 40", got)
	}
	if got := metric(t, r.metrics, "bus_relay_backlog"); got != 10 {
		t.Errorf("backlog %v, want a full page of 10", got)
	}

	b.start()
	eventually(t, "the backlog is gone", func() bool { return o.unsent() == 0 })
	if got := b.stored("receipts"); got < 45 {
		t.Errorf("%d messages stored, want 45 at least", got)
	}
	if down, up := r.log.count("not being published"), r.log.count("published again"); down != 1 || up != 1 {
		t.Errorf("logged down %d and up %d times, want once each", down, up)
	}
}

func TestBrokerMissingAtStartIsWaitedFor(t *testing.T) {
	b, o := startBroker(t), newOutbox()
	b.Close()
	o.fill(3)
	r := newRelay(b, o)
	running(t, r.Run)
	eventually(t, "it has tried", func() bool { return metric(t, r.metrics, "bus_relay_failures_total") >= 2 })

	b.start()
	eventually(t, "all are sent", func() bool { return o.unsent() == 0 })
	if got := len(b.PartitionInfos("receipts")); got != 3 {
		t.Errorf("topic made with %d partitions, want 3", got)
	}
}
