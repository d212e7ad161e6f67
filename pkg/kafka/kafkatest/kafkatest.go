// Package kafkatest runs a Kafka broker for tests, and helps them see what happens.
package kafkatest

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/wait"
)

// Broker is a Kafka broker that can be stopped and started again where it was.
type Broker struct {
	T       testing.TB
	Address string
	// Folder holds what the broker keeps.
	Folder string
	*kfake.Cluster

	// network is where the broker is; nil for that of the system.
	network *kfake.VirtualNetwork
}

// OpenInMemory starts a broker for a test that runs in a bubble of testing/synctest. Connections are in memory, and the
// clock moves only while all goroutines wait. So the test waits for no real time, and no timeout is due to a busy
// machine. It does not serve tests with TLS or a broker that freezes: a write waits for its reader.
func OpenInMemory(t testing.TB, options ...kfake.Opt) *Broker {
	b := &Broker{T: t, Address: "localhost:9092", network: new(kfake.VirtualNetwork), Folder: t.TempDir()}
	b.Start(options...)
	t.Cleanup(func() { b.Close() })
	return b
}

// Start starts the broker where it was.
func (b *Broker) Start(options ...kfake.Opt) {
	b.T.Helper()
	options = append(options, kfake.NumBrokers(1), kfake.DataDir(b.Folder), kfake.SyncWrites(),
		kfake.GroupMinSessionTimeout(time.Second), kfake.ListenFn(func(network, _ string) (net.Listener, error) {
			return b.network.Listen(network, b.Address)
		}))
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Cluster = cluster
}

// Settings says how a service reaches the broker.
func (b *Broker) Settings() cluster.Settings {
	return cluster.Settings{Brokers: []string{b.Address}, Dial: b.Dial()}
}

// Dial returns what opens connections to the broker; nil for the network of the system.
func (b *Broker) Dial() func(ctx context.Context, network, address string) (net.Conn, error) {
	if b.network == nil {
		return nil
	}
	return b.network.DialContext
}

// Stored returns the number of messages in a topic.
func (b *Broker) Stored(topic string) (n int64) {
	for _, p := range b.PartitionInfos(topic) {
		n += p.HighWatermark
	}
	return n
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
		case <-time.After(wait.Longest):
			t.Errorf("not stopped after %v", wait.Longest)
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

// Count returns how often the log has a text.
func (j *Journal) Count(message string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Count(j.text.Bytes(), []byte(message))
}

// Logger returns what writes to the log.
func (j *Journal) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
