package kafka_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
)

func TestTransientFailureIsRetriedAndBlocksNoOtherKey(t *testing.T) {
	b := kafkatest.Start(t)
	b.MakeTopics()
	var seen register
	var mu sync.Mutex
	closed := true
	c := newConsumer(b, func(_ context.Context, m kafka.Message) error {
		mu.Lock()
		defer mu.Unlock()
		if closed && string(m.Key) == "stuck" {
			return errors.New("the store is closed for this one")
		}
		seen.note(m)
		return nil
	}, func(c *kafka.ConsumerConfig) { c.Workers = 1 })
	stop := kafkatest.Running(t, c.Run)
	b.Publish("receipts", kafkago.Message{Key: []byte("stuck"), Value: []byte("stuck")})
	kafkatest.Eventually(t, "it is being retried", func() bool {
		return kafkatest.Metric(t, c.metrics, "bus_consumer_retrying") == 1
	})

	b.Publish("receipts", numbered(100)...)
	kafkatest.Eventually(t, "the others are handled", func() bool {
		return seen.distinct() == 100 && kafkatest.Metric(t, c.metrics, "bus_consumer_in_hand") == 1
	})

	mu.Lock()
	closed = false
	mu.Unlock()
	kafkatest.Eventually(t, "it is handled", func() bool { return seen.times("stuck") == 1 })
	stop()
	if got := b.Committed("premium", "receipts"); got != 101 {
		t.Errorf("committed %d, want 101", got)
	}
	if begun, ended := c.log.Count("not handled yet"), c.log.Count("no message is tried again"); begun != 1 ||
		ended != 1 {
		t.Errorf("logged the begin %d and the end %d times, want once each", begun, ended)
	}
}

func TestUnhandledMessageIsNotCommittedOver(t *testing.T) {
	b := kafkatest.Start(t)
	b.MakeTopics()
	b.Publish("receipts", kafkago.Message{Key: []byte("k"), Value: []byte("stuck")})
	partition := slices.IndexFunc(b.PartitionInfos("receipts"), func(p *kfake.PartitionInfo) bool {
		return p.HighWatermark == 1
	})
	c := newConsumer(b, func(_ context.Context, m kafka.Message) error {
		if string(m.Value) == "stuck" {
			return errors.New("not now")
		}
		return nil
	})
	stop := kafkatest.Running(t, c.Run)
	kafkatest.Eventually(t, "it is being retried", func() bool {
		return kafkatest.Metric(t, c.metrics, "bus_consumer_retrying") == 1
	})
	b.Publish("receipts", numbered(50)...)
	kafkatest.Eventually(t, "the others are handled", func() bool {
		return kafkatest.Metric(t, c.metrics, "bus_consumer_handled_total") == 50
	})
	stop()
	if got := b.GroupInfo("premium").Commits["receipts"][int32(partition)].Offset; got != 0 {
		t.Errorf("committed %d in the partition of the stuck message, want 0", got)
	}

	var seen register
	kafkatest.Running(t, newConsumer(b, seen.handle).Run)
	kafkatest.Eventually(t, "it is handled by the next", func() bool { return seen.times("stuck") == 1 })
}

func TestCommitThatFailsIsMadeAgain(t *testing.T) {
	b := kafkatest.Start(t)
	b.MakeTopics()
	refused := b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Group: "premium",
		Err: kerr.CoordinatorLoadInProgress, Count: 2})
	b.Publish("receipts", numbered(20)...)
	var seen register
	kafkatest.Running(t, newConsumer(b, seen.handle).Run)
	kafkatest.Eventually(t, "all is committed", func() bool { return b.Committed("premium", "receipts") == 20 })
	if got := refused.Hits(); got != 2 {
		t.Errorf("refused %d commits, want 2", got)
	}
}

func TestStopFinishesWhatIsInHandAndCommits(t *testing.T) {
	b := kafkatest.Start(t)
	b.MakeTopics()
	b.Publish("receipts", kafkago.Message{Value: []byte("slow")})
	var seen register
	begun, release := make(chan struct{}), make(chan struct{})
	c := newConsumer(b, func(ctx context.Context, m kafka.Message) error {
		close(begun)
		<-release
		seen.note(m)
		return ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	<-begun
	cancel()
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := seen.times("slow"); got != 1 {
		t.Errorf("handled %d times, want 1", got)
	}
	if got := b.Committed("premium", "receipts"); got != 1 {
		t.Errorf("committed %d, want 1", got)
	}
}

func TestHandlerThatDoesNotFinishIsCancelledAndItsMessageLeftToTheNext(t *testing.T) {
	b := kafkatest.Start(t)
	b.MakeTopics()
	b.Publish("receipts", kafkago.Message{Value: []byte("endless")})
	begun, ended := make(chan struct{}), make(chan time.Time, 1)
	stop := kafkatest.Running(t, newConsumer(b, func(ctx context.Context, _ kafka.Message) error {
		close(begun)
		<-ctx.Done()
		ended <- time.Now()
		return ctx.Err()
	}).Run)
	<-begun
	asked := time.Now()
	stop()
	if grace := (<-ended).Sub(asked); grace < 3*time.Second {
		t.Errorf("the handler had only %v to finish", grace)
	}
	if got := b.Committed("premium", "receipts"); got != 0 {
		t.Errorf("committed %d, want 0", got)
	}
	var seen register
	kafkatest.Running(t, newConsumer(b, seen.handle).Run)
	kafkatest.Eventually(t, "the next handles it", func() bool { return seen.times("endless") == 1 })
}
