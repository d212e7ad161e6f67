package kafka_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/wait"
)

type publisherFixture struct {
	*kafka.Publisher
	metrics *prometheus.Registry
	log     *kafkatest.Journal
}

func newPublisher(cluster kafka.Cluster) publisherFixture {
	metrics, log := prometheus.NewRegistry(), &kafkatest.Journal{}
	topic := kafka.Topic{Name: "receipts", Partitions: 3}
	return publisherFixture{kafka.NewPublisher(cluster, topic, log.Logger(), metrics), metrics, log}
}

// send sends n messages, numbered from one on.
func (p publisherFixture) send(from, n int) {
	for i := range n {
		key, value := fmt.Appendf(nil, "key %d", (from+i)%5), fmt.Appendf(nil, "%d", from+i)
		p.Send(kafka.Message{Key: key, Value: value, Trace: "1"})
	}
}

// TestMessagesArePublishedByTheirKeys: those with one key in one partition, in order, and with their trace. A stop
// publishes those that wait.
func TestMessagesArePublishedByTheirKeys(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		p := newPublisher(b.reach())
		p.send(0, 1000)
		stop := kafkatest.Running(t, p.Run)
		wait.For(t, "all are published", func() bool { return b.Stored("receipts") == 1000 })
		p.send(1000, 9000)
		stop()
		at, last := map[string]int{}, map[string]int{}
		for _, m := range b.read("receipts", 10_000) {
			var number int
			if _, err := fmt.Sscan(string(m.Value), &number); err != nil {
				t.Fatal(err)
			}
			key := string(m.Key)
			if in, known := at[key]; known && (in != m.Partition || last[key] > number) {
				t.Errorf("%s of %s is in partition %d, after %d in %d", m.Value, key, m.Partition, last[key], in)
			}
			at[key], last[key] = m.Partition, number
			if len(m.Headers) != 1 || m.Headers[0].Key != "traceparent" || string(m.Headers[0].Value) != "1" {
				t.Errorf("%s has the headers %v", m.Value, m.Headers)
			}
		}
		if got := kafkatest.Metric(t, p.metrics, "bus_relay_published_total"); got != 10_000 {
			t.Errorf("%v are counted, want 10,000", got)
		}
		if got := kafkatest.Metric(t, p.metrics, "bus_relay_backlog"); got != 0 {
			t.Errorf("%v wait, want none", got)
		}
	})
}

// TestMessagesAreLeftWhileTheBrokerIsAway: none blocks who sends it, and what follows is published once the broker is
// back. Before it was there for the first time, messages wait, up to a bound.
func TestMessagesAreLeftWhileTheBrokerIsAway(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		p := newPublisher(b.reach())
		b.Close()
		stop := kafkatest.Running(t, p.Run)
		p.send(0, 12_000)
		time.Sleep(time.Minute)
		if left := kafkatest.Metric(t, p.metrics, "bus_relay_left_total"); left != 2_000 {
			t.Errorf("%v are left, want 2,000", left)
		}
		if err := p.Check(t.Context()); err == nil {
			t.Error("the check says nothing")
		}
		b.Start()
		wait.For(t, "those that waited are published", func() bool {
			return b.Stored("receipts") == 10_000
		})
		b.Close()
		p.send(0, 10)
		time.Sleep(time.Minute)
		if left := kafkatest.Metric(t, p.metrics, "bus_relay_left_total"); left != 2_010 {
			t.Errorf("%v are left, want 2,010", left)
		}
		b.Start()
		wait.For(t, "what follows is published", func() bool {
			p.send(0, 1)
			time.Sleep(time.Second)
			return b.Stored("receipts") > 10_000
		})
		if err := p.Check(t.Context()); err != nil {
			t.Errorf("the check says %v", err)
		}
		if bad, good := p.log.Count("are not being published"), p.log.Count("published again"); bad != 2 || good != 2 {
			t.Errorf("the log says %d times that it fails, and %d times that it does not", bad, good)
		}
		stop()
	})
}
