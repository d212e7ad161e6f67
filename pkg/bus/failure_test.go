package bus_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/bus"
)

func TestTransientFailureIsRetriedAndBlocksNoOtherKey(t *testing.T) {
	b := startBroker(t)
	ready(b)
	var seen register
	var mu sync.Mutex
	closed := true
	c := newConsumer(b, func(_ context.Context, m bus.Message) error {
		mu.Lock()
		defer mu.Unlock()
		if closed && string(m.Key) == "stuck" {
			return errors.New("the store is closed for this one")
		}
		seen.note(m)
		return nil
	}, func(c *bus.ConsumerConfig) { c.Workers = 1 })
	stop := running(t, c.Run)
	b.publish("receipts", kafka.Message{Key: []byte("stuck"), Value: []byte("stuck")})
	eventually(t, "it is being retried", func() bool { return metric(t, c.metrics, "bus_consumer_retrying") == 1 })

	b.publish("receipts", numbered(100)...)
	eventually(t, "the others are handled", func() bool {
		return seen.distinct() == 100 && metric(t, c.metrics, "bus_consumer_in_hand") == 1
	})

	mu.Lock()
	closed = false
	mu.Unlock()
	eventually(t, "it is handled", func() bool { return seen.times("stuck") == 1 })
	stop()
	if got := b.committed("premium", "receipts"); got != 101 {
		t.Errorf("committed %d, want 101", got)
	}
	if begun, ended := c.log.count("not handled yet"), c.log.count("no message is tried again"); begun != 1 || ended != 1 {
		t.Errorf("logged the begin %d and the end %d times, want once each", begun, ended)
	}
}

func TestUnhandledMessageIsNotCommittedOver(t *testing.T) {
	b := startBroker(t)
	ready(b)
	b.publish("receipts", kafka.Message{Key: []byte("k"), Value: []byte("stuck")})
	partition := slices.IndexFunc(b.PartitionInfos("receipts"), func(p *kfake.PartitionInfo) bool { return p.HighWatermark == 1 })
	c := newConsumer(b, func(_ context.Context, m bus.Message) error {
		if string(m.Value) == "stuck" {
			return errors.New("not now")
		}
		return nil
	})
	stop := running(t, c.Run)
	eventually(t, "it is being retried", func() bool { return metric(t, c.metrics, "bus_consumer_retrying") == 1 })
	b.publish("receipts", numbered(50)...)
	eventually(t, "the others are handled", func() bool { return metric(t, c.metrics, "bus_consumer_handled_total") == 50 })
	stop()
	if got := b.GroupInfo("premium").Commits["receipts"][int32(partition)].Offset; got != 0 {
		t.Errorf("committed %d in the partition of the stuck message, want 0", got)
	}

	var seen register
	running(t, newConsumer(b, seen.handle).Run)
	eventually(t, "it is handled by the next", func() bool { return seen.times("stuck") == 1 })
}

func TestCommitThatFailsIsMadeAgain(t *testing.T) {
	b := startBroker(t)
	ready(b)
	refused := b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Group: "premium", Err: kerr.CoordinatorLoadInProgress, Count: 2})
	b.publish("receipts", numbered(20)...)
	var seen register
	running(t, newConsumer(b, seen.handle).Run)
	eventually(t, "all is committed", func() bool { return b.committed("premium", "receipts") == 20 })
	if got := refused.Hits(); got != 2 {
		t.Errorf("refused %d commits, want 2", got)
	}
}

func TestStopFinishesWhatIsInHandAndCommits(t *testing.T) {
	b := startBroker(t)
	ready(b)
	b.publish("receipts", kafka.Message{Value: []byte("slow")})
	var seen register
	begun, release := make(chan struct{}), make(chan struct{})
	c := newConsumer(b, func(ctx context.Context, m bus.Message) error {
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
	if got := b.committed("premium", "receipts"); got != 1 {
		t.Errorf("committed %d, want 1", got)
	}
}

func TestHandlerThatDoesNotFinishIsCancelledAndItsMessageLeftToTheNext(t *testing.T) {
	b := startBroker(t)
	ready(b)
	b.publish("receipts", kafka.Message{Value: []byte("endless")})
	begun, ended := make(chan struct{}), make(chan time.Time, 1)
	stop := running(t, newConsumer(b, func(ctx context.Context, _ bus.Message) error {
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
	if got := b.committed("premium", "receipts"); got != 0 {
		t.Errorf("committed %d, want 0", got)
	}
	var seen register
	running(t, newConsumer(b, seen.handle).Run)
	eventually(t, "the next handles it", func() bool { return seen.times("endless") == 1 })
}
