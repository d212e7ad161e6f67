// Package kafkatest runs a Kafka broker for tests, and helps them wait for what happens.
package kafkatest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/cluster"
)

// patience is how long a test waits for something that must happen. It only ends a test that would otherwise hang. The
// result of a test does not depend on the speed of the machine.
const patience = 5 * time.Minute

// Broker is a Kafka broker that can be stopped and started again where it was.
type Broker struct {
	T testing.TB
	// Folder holds what the broker keeps.
	Folder  string
	Address string
	// network is where the broker is; nil for that of the system.
	network *kfake.VirtualNetwork
	*kfake.Cluster
}

// Start starts a broker for one test. It makes the test parallel, because the tests mostly wait.
func Start(t *testing.T) *Broker {
	t.Parallel()
	return Open(t)
}

// Open starts a broker for a test or a benchmark, in the network of the system.
func Open(t testing.TB, options ...kfake.Opt) *Broker {
	return open(&Broker{T: t, Address: "127.0.0.1:0"}, options)
}

// open starts a broker that ends with its test.
func open(b *Broker, options []kfake.Opt) *Broker {
	b.Folder = b.T.TempDir()
	b.Start(options...)
	b.T.Cleanup(func() { b.Close() })
	return b
}

// InBubble runs a test with a broker in a bubble of testing/synctest, in parallel to other tests. Connections are in
// memory, and the clock moves only while all goroutines wait. So the test waits for no real time, and no timeout is
// due to a busy machine. It does not serve tests with TLS or a broker that freezes: a write waits for its reader.
func InBubble(t *testing.T, test func(t *testing.T, b *Broker)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, OpenInMemory(t)) })
}

// OpenInMemory starts a broker for a test that runs in a bubble already.
func OpenInMemory(t testing.TB, options ...kfake.Opt) *Broker {
	return open(&Broker{T: t, Address: "localhost:9092", network: new(kfake.VirtualNetwork)}, options)
}

func (b *Broker) Start(options ...kfake.Opt) {
	b.T.Helper()
	listen := func(network, _ string) (listener net.Listener, err error) {
		if b.network != nil {
			return b.network.Listen(network, b.Address)
		}
		// While the broker was stopped, the system may have lent its port to a connection of another test.
		Eventually(b.T, "the address of the broker is free", func() bool {
			listener, err = net.Listen(network, b.Address)
			return err == nil
		})
		return listener, err
	}
	options = append(options, kfake.NumBrokers(1), kfake.DataDir(b.Folder), kfake.SyncWrites(),
		kfake.GroupMinSessionTimeout(time.Second), kfake.ListenFn(listen))
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Cluster = cluster
	b.Address = cluster.ListenAddrs()[0]
}

// StartAnew replaces the broker by one without data, at the same address. A broker takes its users from its data, if
// it has any.
func (b *Broker) StartAnew(options ...kfake.Opt) {
	b.Close()
	b.Folder = b.T.TempDir()
	b.Start(options...)
}

func (b *Broker) Reach() kafka.Cluster {
	b.T.Helper()
	c, err := kafka.NewCluster(b.Settings(), "test")
	if err != nil {
		b.T.Fatal(err)
	}
	return c
}

// Settings says how a service reaches the broker.
func (b *Broker) Settings() cluster.Settings {
	return cluster.Settings{Brokers: []string{b.Address}, Dial: b.dial()}
}

// dial returns what opens connections to the broker; nil for the network of the system.
func (b *Broker) dial() func(ctx context.Context, network, address string) (net.Conn, error) {
	if b.network == nil {
		return nil
	}
	return b.network.DialContext
}

// Client returns a client that asks the broker directly.
func (b *Broker) Client() *kafkago.Client {
	transport := &kafkago.Transport{Dial: b.dial()}
	b.T.Cleanup(transport.CloseIdleConnections)
	return &kafkago.Client{Addr: kafkago.TCP(b.Address), Transport: transport}
}

// Dialer returns what opens connections to the broker.
func (b *Broker) Dialer() *kafkago.Dialer { return &kafkago.Dialer{DialFunc: b.dial()} }

// Publish writes messages as another producer would.
func (b *Broker) Publish(topic string, messages ...kafkago.Message) {
	b.T.Helper()
	transport := &kafkago.Transport{Dial: b.dial()}
	defer transport.CloseIdleConnections()
	// Messages without a key go to one partition too, and not to one by chance.
	w := &kafkago.Writer{Addr: kafkago.TCP(b.Address), Topic: topic, RequiredAcks: kafkago.RequireAll,
		Balancer: kafkago.Murmur2Balancer{Consistent: true}, BatchTimeout: time.Millisecond, Transport: transport}
	defer w.Close()
	if err := w.WriteMessages(b.T.Context(), messages...); err != nil {
		b.T.Fatal(err)
	}
}

// Read returns the first n messages of a topic, in order of partition and offset.
func (b *Broker) Read(topic string, n int) []kafkago.Message {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.T.Context(), patience)
	defer cancel()
	var all []kafkago.Message
	for _, p := range b.PartitionInfos(topic) {
		r := kafkago.NewReader(kafkago.ReaderConfig{Brokers: []string{b.Address}, Dialer: b.Dialer(), Topic: topic,
			Partition: int(p.Partition), MaxWait: 100 * time.Millisecond})
		for range p.HighWatermark {
			m, err := r.FetchMessage(ctx)
			if err != nil {
				b.T.Fatal(err)
			}
			all = append(all, m)
		}
		r.Close()
	}
	if len(all) != n {
		b.T.Fatalf("%s holds %d messages, want %d", topic, len(all), n)
	}
	slices.SortFunc(all, func(x, y kafkago.Message) int {
		return cmp.Or(cmp.Compare(x.Partition, y.Partition), cmp.Compare(x.Offset, y.Offset))
	})
	return all
}

// Stored returns the number of messages in a topic.
func (b *Broker) Stored(topic string) (n int64) {
	for _, p := range b.PartitionInfos(topic) {
		n += p.HighWatermark
	}
	return n
}

// Committed returns the sum of the offsets that a group has committed, over all partitions.
func (b *Broker) Committed(group, topic string) (n int64) {
	info := b.GroupInfo(group)
	if info == nil {
		return 0
	}
	for _, c := range info.Commits[topic] {
		n += max(c.Offset, 0)
	}
	return n
}

// Eventually waits until holds returns true.
func Eventually(t testing.TB, what string, holds func() bool) {
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

// Running runs a function until the test ends or stop is called. stop waits until the function has returned.
func Running(t *testing.T, run func(context.Context) error) (stop func()) {
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

// Metric returns the value of a counter or gauge, summed over its labels.
func Metric(t *testing.T, from prometheus.Gatherer, name string) (value float64) {
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

// Journal is a log that can be searched.
type Journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *Journal) Count(message string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Count(j.text.Bytes(), []byte(message))
}

func (j *Journal) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// Silent is a log that nobody reads.
var Silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// MakeTopics creates the topic receipts with 3 partitions, and that of its dead letters.
func (b *Broker) MakeTopics() {
	b.T.Helper()
	for topic, partitions := range map[string]int32{"receipts": 3, "receipts.dead": 1} {
		if err := b.CreateTopic(topic, partitions, nil); err != nil {
			b.T.Fatal(err)
		}
	}
}

func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
