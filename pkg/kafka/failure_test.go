package kafka_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
)

// TestFailureIsTriedAgainAndThenLeft: a message that fails for a moment is handled, and one that goes on failing is
// left, so that those behind it are handled.
func TestFailureIsTriedAgainAndThenLeft(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		b.MakeTopics()
		var seen register
		var stuck, brief atomic.Int32
		c := newConsumer(b, func(_ context.Context, m kafka.Message) error {
			switch {
			case string(m.Value) == "stuck":
				stuck.Add(1)
				return errors.New("the store is closed for this one")
			case string(m.Value) == "brief" && brief.Add(1) < 3:
				return errors.New("the store was closed for a moment")
			}
			seen.note(m)
			return nil
		}, func(c *kafka.ConsumerConfig) { c.Workers = 1 })
		stop := kafkatest.Running(t, c.Run)
		b.Publish("receipts", kafkago.Message{Key: []byte("k"), Value: []byte("stuck")},
			kafkago.Message{Key: []byte("k"), Value: []byte("brief")})
		b.Publish("receipts", kafkago.Message{Key: []byte("k"), Value: []byte("behind")})
		b.Publish("receipts", numbered(100)...)
		kafkatest.Eventually(t, "the others are handled", func() bool { return seen.distinct() == 102 })
		kafkatest.Eventually(t, "nothing is in hand", func() bool {
			return kafkatest.Metric(t, c.metrics, "bus_consumer_handled_total") == 103
		})
		stop()
		if stuck.Load() != 3 || seen.times("brief") != 1 {
			t.Errorf("stuck was tried %d times, want 3, and brief handled %d times, want once", stuck.Load(),
				seen.times("brief"))
		}
		if got := kafkatest.Metric(t, c.metrics, "bus_consumer_left_total"); got != 1 {
			t.Errorf("%v messages are left, want 1", got)
		}
		if got := b.Committed("premium", "receipts"); got != 103 {
			t.Errorf("committed %d, want 103", got)
		}
		if got := c.log.Count("failed several times"); got != 1 {
			t.Errorf("logged %d times, want once", got)
		}
	})
}

func TestCommitThatFailsIsMadeAgain(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
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
	})
}

func TestStopFinishesWhatIsInHandAndCommits(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
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
	})
}

func TestHandlerThatDoesNotFinishIsCancelledAndItsMessageLeftToTheNext(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
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
		if grace := (<-ended).Sub(asked); grace != 5*time.Second {
			t.Errorf("the handler had %v to finish, want 5s", grace)
		}
		if got := b.Committed("premium", "receipts"); got != 0 {
			t.Errorf("committed %d, want 0", got)
		}
		var seen register
		kafkatest.Running(t, newConsumer(b, seen.handle).Run)
		kafkatest.Eventually(t, "the next handles it", func() bool { return seen.times("endless") == 1 })
	})
}
