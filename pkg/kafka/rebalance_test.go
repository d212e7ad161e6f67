package kafka_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
)

func TestTwoConsumersShareAndLoseNothing(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		var seen register
		publish := func(from, to int) { b.Publish("receipts", numbered(to)[from:]...) }

		stopFirst := kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		publish(0, 200)
		kafkatest.Eventually(t, "the first consumer works", func() bool { return seen.distinct() > 0 })

		var second register
		kafkatest.Running(t, newConsumer(b, func(ctx context.Context, m kafka.Message) error {
			second.note(m)
			return seen.handle(ctx, m)
		}).Run)
		publish(200, 400)
		kafkatest.Eventually(t, "both have partitions", func() bool {
			info := b.GroupInfo("premium")
			return len(info.Members) == 2 && info.NumAssigned() == 3 &&
				!slices.ContainsFunc(info.Members, func(m kfake.GroupMember) bool { return m.NumAssigned() == 0 })
		})
		publish(400, 600)
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 600 })
		if second.distinct() == 0 {
			t.Error("the second consumer has handled nothing")
		}

		stopFirst()
		publish(600, 800)
		kafkatest.Eventually(t, "the second consumer handles all alone", func() bool { return seen.distinct() == 800 })
		kafkatest.Eventually(t, "all is committed", func() bool { return b.Committed("premium", "receipts") == 800 })
	})
}

// TestConsumersJoinAndLeaveUnderLoad: three consumers share a topic, and in turn one of them ends and another one
// begins, while messages come in. Each message is handled. A few are handled twice: those that were handled before
// one that was not.
func TestConsumersJoinAndLeaveUnderLoad(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		var seen register
		join := func() (stop func()) { return kafkatest.Running(t, newConsumer(b, seen.handle).Run) }
		members := []func(){join(), join(), join()}
		three := func() bool {
			info := b.GroupInfo("premium")
			return info != nil && len(info.Members) == 3 && info.NumAssigned() == 3
		}
		kafkatest.Eventually(t, "three share the topic", three)

		const changes, each = 6, 200
		ctx, stop := context.WithCancel(t.Context())
		published := make(chan int, 1)
		go func() {
			count := 0
			for ctx.Err() == nil {
				b.Publish("receipts", numbered(count + each)[count:]...)
				count += each
				time.Sleep(50 * time.Millisecond)
			}
			published <- count
		}()
		for change := range changes {
			before := seen.distinct()
			kafkatest.Eventually(t, "messages are handled", func() bool { return seen.distinct() > before })
			joined := join()
			members[change%3]()
			members[change%3] = joined
			kafkatest.Eventually(t, "three share the topic again", three)
		}
		stop()
		count := <-published
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == count })
		kafkatest.Eventually(t, "all is committed", func() bool {
			return b.Committed("premium", "receipts") == int64(count)
		})
		seen.mu.Lock()
		defer seen.mu.Unlock()
		again := 0
		for _, times := range seen.values {
			again += times - 1
		}
		t.Logf("of %d messages %d were handled again", count, again)
	})
}

func TestPartitionsOfADeadMemberAreTakenOver(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		// A member that has joined and then, like a killed process, never sends anything again.
		dead, err := kafkago.NewConsumerGroup(kafkago.ConsumerGroupConfig{ID: "premium", Brokers: []string{b.Address},
			Dialer: b.Dialer(),
			Topics: []string{"receipts"}, SessionTimeout: 2 * time.Second, HeartbeatInterval: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		defer dead.Close()
		if _, err := dead.Next(t.Context()); err != nil {
			t.Fatal(err)
		}

		b.Publish("receipts", numbered(50)...)
		var seen register
		kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 50 })
	})
}

func TestPartitionsAddedAreRead(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		var seen register
		kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		b.Publish("receipts", numbered(30)...)
		kafkatest.Eventually(t, "the first are handled", func() bool { return seen.distinct() == 30 })

		_, err := b.Client().CreatePartitions(t.Context(), &kafkago.CreatePartitionsRequest{
			Topics: []kafkago.TopicPartitionsConfig{{Name: "receipts", Count: 8}}})
		if err != nil {
			t.Fatal(err)
		}
		b.Publish("receipts", numbered(300)[30:]...)
		if got := b.PartitionInfos("receipts"); len(got) != 8 || got[7].HighWatermark == 0 {
			t.Fatalf("the new partitions are not in use: %d partitions", len(got))
		}
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 300 })
	})
}

func TestConsumerOutlastsTheBroker(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		var seen register
		c := newConsumer(b, seen.handle)
		kafkatest.Running(t, c.Run)
		b.Publish("receipts", numbered(100)...)
		kafkatest.Eventually(t, "all are handled and committed", func() bool {
			return seen.distinct() == 100 && b.Committed("premium", "receipts") == 100
		})
		handled := map[string]int{}
		for i := range 100 {
			value := fmt.Sprintf("value %d", i)
			handled[value] = seen.times(value)
		}

		b.Close()
		kafkatest.Eventually(t, "the consumer has noticed", func() bool {
			return c.log.Count("not being received") == 1
		})
		b.Start()
		b.Publish("receipts", numbered(200)[100:]...)
		kafkatest.Eventually(t, "the new ones are handled", func() bool { return seen.distinct() == 200 })
		for value, times := range handled {
			if seen.times(value) != times {
				t.Errorf("%s was committed and is handled again", value)
			}
		}
		if down, up := c.log.Count("not being received"), c.log.Count("received again"); down != 1 || up != 1 {
			t.Errorf("logged down %d and up %d times, want once each", down, up)
		}
	})
}

func TestLogThatEndsBeforeTheCommittedOffsetIsReadFromItsStart(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		b.Publish("receipts", numbered(30)...)
		group, err := kafkago.NewConsumerGroup(kafkago.ConsumerGroupConfig{ID: "premium", Brokers: []string{b.Address},
			Dialer: b.Dialer(),
			Topics: []string{"receipts"}})
		if err != nil {
			t.Fatal(err)
		}
		generation, err := group.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		beyond := map[string]map[int]int64{"receipts": {0: 1000, 1: 1000, 2: 1000}}
		if err := generation.CommitOffsets(beyond); err != nil {
			t.Fatal(err)
		}
		group.Close()

		var seen register
		kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 30 })
		kafkatest.Eventually(t, "the commits are mended", func() bool {
			return b.Committed("premium", "receipts") == 30
		})
	})
}

func TestConsumerWithoutGroupIsRefused(t *testing.T) {
	_, err := kafka.NewConsumer(kafka.ConsumerConfig{
		Cluster: kafka.Cluster{Brokers: []string{"127.0.0.1:1"}},
		Topic:   kafka.Topic{Name: "receipts"},
		Log:     kafkatest.Silent,
		Metrics: prometheus.NewRegistry(),
	})
	if err == nil {
		t.Error("no error")
	}
}
