package kafka_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/wait"
)

// broker is a broker, and what the tests ask of it as others would.
type broker struct{ *kafkatest.Broker }

// inBubble runs a test with a broker in a bubble of testing/synctest, in parallel to other tests.
func inBubble(t *testing.T, test func(t *testing.T, b *broker)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, &broker{kafkatest.OpenInMemory(t)}) })
}

// onNetwork starts a broker for one test in the network of the system, for what a bubble does not serve. It makes the
// test parallel, because the tests mostly wait.
func onNetwork(t *testing.T, options ...kfake.Opt) *broker {
	t.Parallel()
	cluster, err := kfake.NewCluster(append(options, kfake.GroupMinSessionTimeout(time.Second))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return &broker{&kafkatest.Broker{T: t, Cluster: cluster, Address: cluster.ListenAddrs()[0]}}
}

func (b *broker) reach() kafka.Cluster {
	b.T.Helper()
	c, err := kafka.NewCluster(b.Settings(), "test")
	if err != nil {
		b.T.Fatal(err)
	}
	return c
}

// publish writes messages as another producer would.
func (b *broker) publish(topic string, messages ...kafkago.Message) {
	b.T.Helper()
	transport := &kafkago.Transport{Dial: b.Dial()}
	defer transport.CloseIdleConnections()
	// Messages without a key go to one partition too, and not to one by chance.
	w := &kafkago.Writer{Addr: kafkago.TCP(b.Address), Topic: topic, RequiredAcks: kafkago.RequireAll,
		Balancer: kafkago.Murmur2Balancer{Consistent: true}, BatchTimeout: time.Millisecond, Transport: transport}
	defer w.Close()
	if err := w.WriteMessages(b.T.Context(), messages...); err != nil {
		b.T.Fatal(err)
	}
}

// read returns the first n messages of a topic, in order of partition and offset.
func (b *broker) read(topic string, n int) []kafkago.Message {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.T.Context(), wait.Longest)
	defer cancel()
	var all []kafkago.Message
	for _, p := range b.PartitionInfos(topic) {
		r := kafkago.NewReader(kafkago.ReaderConfig{Brokers: []string{b.Address},
			Dialer: &kafkago.Dialer{DialFunc: b.Dial()}, Topic: topic, Partition: int(p.Partition),
			MaxWait: 100 * time.Millisecond})
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

// makeTopics creates the topic receipts with 3 partitions, and that of its dead letters.
func (b *broker) makeTopics() {
	b.T.Helper()
	for topic, partitions := range map[string]int32{"receipts": 3, "receipts.dead": 1} {
		if err := b.CreateTopic(topic, partitions, nil); err != nil {
			b.T.Fatal(err)
		}
	}
}
