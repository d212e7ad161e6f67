package bus_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"math"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
)

// patience is how long a test waits for something that must happen. It only ends a test that would otherwise hang. The
// result of a test does not depend on the speed of the machine.
const patience = 5 * time.Minute

// broker is a Kafka broker that can be stopped and started again where it was.
type broker struct {
	t    *testing.T
	dir  string
	addr string
	*kfake.Cluster
}

// startBroker starts a broker for one test. It makes the test parallel, because the tests mostly wait.
func startBroker(t *testing.T) *broker {
	t.Parallel()
	b := &broker{t: t, dir: t.TempDir(), addr: "127.0.0.1:0"}
	b.start()
	t.Cleanup(func() { b.Close() })
	return b
}

func (b *broker) start(options ...kfake.Opt) {
	b.t.Helper()
	listen := func(network, _ string) (listener net.Listener, err error) {
		// While the broker was stopped, the system may have lent its port to a connection of another test.
		eventually(b.t, "the address of the broker is free", func() bool {
			listener, err = net.Listen(network, b.addr)
			return err == nil
		})
		return listener, err
	}
	options = append(options, kfake.NumBrokers(1), kfake.DataDir(b.dir), kfake.SyncWrites(),
		kfake.GroupMinSessionTimeout(time.Second), kfake.ListenFn(listen))
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Cluster = cluster
	b.addr = cluster.ListenAddrs()[0]
}

// startAnew replaces the broker by one without data, at the same address. A broker takes its users from its data, if
// it has any.
func (b *broker) startAnew(options ...kfake.Opt) {
	b.Close()
	b.dir = b.t.TempDir()
	b.start(options...)
}

func (b *broker) cluster() bus.Cluster {
	return bus.Cluster{Brokers: []string{b.addr}, ClientID: "test"}
}

// publish writes messages as another producer would.
func (b *broker) publish(topic string, messages ...kafka.Message) {
	b.t.Helper()
	w := &kafka.Writer{Addr: kafka.TCP(b.addr), Topic: topic, RequiredAcks: kafka.RequireAll,
		Balancer: kafka.Murmur2Balancer{}, BatchTimeout: time.Millisecond, Transport: &kafka.Transport{}}
	defer w.Close()
	if err := w.WriteMessages(b.t.Context(), messages...); err != nil {
		b.t.Fatal(err)
	}
}

// read returns the first n messages of a topic, in order of partition and offset.
func (b *broker) read(topic string, n int) []kafka.Message {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	var all []kafka.Message
	for _, p := range b.PartitionInfos(topic) {
		r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{b.addr}, Topic: topic, Partition: int(p.Partition),
			MaxWait: 100 * time.Millisecond})
		for range p.HighWatermark {
			m, err := r.FetchMessage(ctx)
			if err != nil {
				b.t.Fatal(err)
			}
			all = append(all, m)
		}
		r.Close()
	}
	if len(all) != n {
		b.t.Fatalf("%s holds %d messages, want %d", topic, len(all), n)
	}
	slices.SortFunc(all, func(x, y kafka.Message) int {
		return cmp.Or(cmp.Compare(x.Partition, y.Partition), cmp.Compare(x.Offset, y.Offset))
	})
	return all
}

// stored returns the number of messages in a topic.
func (b *broker) stored(topic string) (n int64) {
	for _, p := range b.PartitionInfos(topic) {
		n += p.HighWatermark
	}
	return n
}

// committed returns the sum of the offsets that a group has committed, over all partitions.
func (b *broker) committed(group, topic string) (n int64) {
	info := b.GroupInfo(group)
	if info == nil {
		return 0
	}
	for _, c := range info.Commits[topic] {
		n += max(c.Offset, 0)
	}
	return n
}

// outbox is the part of a collection that a sweep and the removal of marks use, in memory.
type outbox struct {
	docstore.Collection

	mu   sync.Mutex
	docs map[uuid.UUID]docstore.Document
	// beforeSent runs before marks are removed. If it returns an error, the marks stay and the caller gets this error.
	beforeSent func() error
}

func newOutbox() *outbox { return &outbox{docs: make(map[uuid.UUID]docstore.Document)} }

func (o *outbox) put(doc docstore.Document) docstore.Document {
	o.mu.Lock()
	defer o.mu.Unlock()
	if doc.ID == uuid.Nil {
		doc.ID = uuid.Must(uuid.NewV7())
	}
	doc.Version = o.docs[doc.ID].Version + 1
	doc.Unsent = true
	o.docs[doc.ID] = doc
	return doc
}

func (o *outbox) Unsent(_ context.Context, after uuid.UUID, limit int) ([]docstore.Document, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var unsent []docstore.Document
	for _, doc := range o.docs {
		if doc.Unsent && bytes.Compare(doc.ID[:], after[:]) > 0 {
			unsent = append(unsent, doc)
		}
	}
	slices.SortFunc(unsent, func(x, y docstore.Document) int { return bytes.Compare(x.ID[:], y.ID[:]) })
	return unsent[:min(limit, len(unsent))], nil
}

func (o *outbox) Get(_ context.Context, id uuid.UUID) (docstore.Document, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	doc, ok := o.docs[id]
	if !ok {
		return doc, docstore.ErrNotFound
	}
	return doc, nil
}

func (o *outbox) Sent(_ context.Context, refs []docstore.Ref) (removed int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.beforeSent != nil {
		if err := o.beforeSent(); err != nil {
			return 0, err
		}
	}
	for _, ref := range refs {
		if doc := o.docs[ref.ID]; doc.Version == ref.Version && doc.Unsent {
			doc.Unsent = false
			o.docs[ref.ID] = doc
			removed++
		}
	}
	return removed, nil
}

func (o *outbox) unsent() int {
	unsent, _ := o.Unsent(context.Background(), uuid.Nil, math.MaxInt)
	return len(unsent)
}

// eventually waits until holds returns true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not so after %v: %s", patience, what)
		}
	}
}

// running runs a function until the test ends or stop is called. stop waits until the function has returned.
func running(t *testing.T, run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("stopped with an error: %v", err)
			}
		case <-time.After(patience):
			t.Errorf("not stopped after %v", patience)
		}
	})
	t.Cleanup(stop)
	return stop
}

// metric returns the value of a counter or gauge, summed over its labels.
func metric(t *testing.T, from prometheus.Gatherer, name string) (value float64) {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			value += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
		return value
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// journal is a log that can be searched.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) count(message string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Count(j.text.Bytes(), []byte(message))
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))
