package kafka_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
)

// TestTopicsTakeTheReplicationOfTheBrokers creates topics where three brokers make three copies by default, and with
// a number of copies that is set.
func TestTopicsTakeTheReplicationOfTheBrokers(t *testing.T) {
	for replication, copies := range map[int]int{0: 3, -1: 3, 2: 2} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			cluster, err := kfake.NewCluster(kfake.NumBrokers(3),
				kfake.BrokerConfigs(map[string]string{"default.replication.factor": "3"}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cluster.Close)
			b := &kafkatest.Broker{T: t, Cluster: cluster, Address: cluster.ListenAddrs()[0]}
			var seen register
			kafkatest.Running(t, newConsumer(b, seen.handle, func(c *kafka.ConsumerConfig) {
				c.Topic.Replication = replication
			}).Run)
			kafkatest.Eventually(t, "the topics are there", func() bool {
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

// TestReplicasMayCreateTheTopicsAtOnce starts several consumers and relays on a cluster without topics.
func TestReplicasMayCreateTheTopicsAtOnce(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		var seen register
		var fixtures []consumerFixture
		var group sync.WaitGroup
		for range 4 {
			c, r := newConsumer(b, seen.handle), newRelay(b.Reach())
			fixtures = append(fixtures, c)
			group.Go(func() { r.send(1) })
			kafkatest.Running(t, c.Run)
			kafkatest.Running(t, r.Run)
		}
		group.Wait()
		kafkatest.Eventually(t, "all messages are handled", func() bool { return seen.distinct() == 4 })
		if got := len(b.PartitionInfos("receipts")); got != 3 {
			t.Errorf("the topic has %d partitions, want 3", got)
		}
		for _, c := range fixtures {
			if got := c.log.Count("not being received"); got != 0 {
				t.Error("a consumer has logged a failure")
			}
			if got := c.log.Count("not as it should be"); got != 0 {
				t.Error("a consumer has found fault with a topic that was just created")
			}
		}
	})
}

// TestTopicsThatDifferAreTold: each difference is logged once, with what to do, and the topics are used.
func TestTopicsThatDifferAreTold(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		for topic, settings := range map[string]map[string]string{
			"receipts":      {"min.insync.replicas": "2", "retention.ms": "60000", "cleanup.policy": "compact"},
			"receipts.dead": {"retention.ms": "604800000"},
		} {
			if err := b.CreateTopic(topic, 2, settings); err != nil {
				t.Fatal(err)
			}
		}
		var seen register
		c := newConsumer(b, seen.handle, func(c *kafka.ConsumerConfig) { c.Topic.Replication = 2 })
		kafkatest.Running(t, c.Run)
		b.Publish("receipts", kafkago.Message{Value: []byte("used")})
		kafkatest.Eventually(t, "the topic is used", func() bool { return seen.times("used") == 1 })
		for _, told := range []string{
			"it has 2 partitions and should have 3", "kafka-topics.sh --alter --topic receipts --partitions 3",
			"it has 1 copies of each partition and should have 2",
			"min.insync.replicas is 2, but it has only 1 copies",
			"messages are deleted after 1m0s", "--entity-name receipts --add-config retention.ms=86400000",
			"cleanup.policy is compact", "--entity-name receipts --add-config cleanup.policy=delete",
			"it has 2 partitions and should have 1",
			"dead letters are deleted after 168h0m0s", "--entity-name receipts.dead --add-config retention.ms=-1",
		} {
			want := 1
			if strings.Contains(told, "copies of each partition and should") {
				want = 2 // of both topics
			}
			if got := c.log.Count(told); got != want {
				t.Errorf("the log says %d times %q, want %d", got, told, want)
			}
		}
	})
}

// TestConsumerWaitsForATopicThatIsGone counts how often the consumer joins its group in a minute.
func TestConsumerWaitsForATopicThatIsGone(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		var seen register
		kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		kafkatest.Eventually(t, "the topics are there", func() bool {
			return len(b.PartitionInfos("receipts.dead")) == 1
		})
		b.StartAnew()
		const most = 200
		joins := 0
		b.ControlKey(kmsg.JoinGroup.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
			b.KeepControl()
			if joins++; joins > most {
				time.Sleep(time.Second) // so that the minute ends
			}
			return nil, nil, false
		})
		time.Sleep(time.Minute)
		if joins > most {
			t.Errorf("joined more than %d times within a minute", most)
		}
		b.MakeTopics()
		b.Publish("receipts", kafkago.Message{Value: []byte("first")})
		kafkatest.Eventually(t, "the message is handled", func() bool { return seen.times("first") == 1 })
	})
}
