package kafka_test

import (
	"sync"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/wait"
)

// TestTopicsTakeTheReplicationOfTheBrokers creates topics where three brokers make three copies by default, and with
// a number of copies that is set.
func TestTopicsTakeTheReplicationOfTheBrokers(t *testing.T) {
	for replication, copies := range map[int]int{0: 3, -1: 3, 2: 2} {
		t.Run("", func(t *testing.T) {
			b := onNetwork(t, kfake.NumBrokers(3),
				kfake.BrokerConfigs(map[string]string{"default.replication.factor": "3"}))
			var seen register
			kafkatest.Running(t, newConsumer(b, seen.handle, func(c *kafka.ConsumerConfig) {
				c.Topic.Replication = replication
			}).Run)
			wait.For(t, "the topics are there", func() bool {
				return len(b.PartitionInfos("receipts.dead")) == 1
			})
			client := &kafkago.Client{Addr: kafkago.TCP(b.Address), Transport: &kafkago.Transport{}}
			for _, name := range []string{"receipts", "receipts.dead"} {
				found, err := client.Metadata(t.Context(), &kafkago.MetadataRequest{Topics: []string{name}})
				if err != nil {
					t.Fatal(err)
				}
				if got := len(found.Topics[0].Partitions[0].Replicas); got != copies {
					t.Errorf("replication %d: %s has %d copies, want %d", replication, name, got, copies)
				}
			}
		})
	}
}

// TestReplicasMayCreateTheTopicsAtOnce starts several consumers and publishers on a cluster without topics.
func TestReplicasMayCreateTheTopicsAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, b *broker) {
		var seen register
		var fixtures []consumerFixture
		var group sync.WaitGroup
		for i := range 4 {
			c, r := newConsumer(b, seen.handle), newPublisher(b.reach())
			fixtures = append(fixtures, c)
			group.Go(func() { r.send(i, 1) })
			kafkatest.Running(t, c.Run)
			kafkatest.Running(t, r.Run)
		}
		group.Wait()
		wait.For(t, "all messages are handled", func() bool { return seen.distinct() == 4 })
		if got := len(b.PartitionInfos("receipts")); got != 3 {
			t.Errorf("the topic has %d partitions, want 3", got)
		}
		for _, c := range fixtures {
			if got := c.log.Count("not being received"); got != 0 {
				t.Errorf("a consumer has logged a failure: %s", c.log)
			}
		}
	})
}
