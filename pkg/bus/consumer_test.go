package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"insurance.example/exchange/pkg/bus"
)

// register notes what a handler was given.
type register struct {
	mu     sync.Mutex
	values map[string]int
}

func (r *register) note(m bus.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.values == nil {
		r.values = make(map[string]int)
	}
	r.values[string(m.Value)]++
}

// distinct is the number of different values seen.
func (r *register) distinct() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.values)
}

func (r *register) times(value string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.values[value]
}

func (r *register) handle(_ context.Context, m bus.Message) error {
	r.note(m)
	return nil
}

type consumerFixture struct {
	*bus.Consumer
	metrics *prometheus.Registry
	log     *journal
}

func newConsumer(b *broker, handle func(context.Context, bus.Message) error, adjust ...func(*bus.ConsumerConfig)) consumerFixture {
	b.t.Helper()
	metrics, log := prometheus.NewRegistry(), &journal{}
	config := bus.ConsumerConfig{
		Cluster:        b.cluster(),
		Topic:          bus.Topic{Name: "receipts", Partitions: 3},
		Group:          "premium",
		Handle:         handle,
		SessionTimeout: 2 * time.Second,
		PartitionWatch: 100 * time.Millisecond,
		Log:            log.logger(),
		Metrics:        metrics,
	}
	for _, f := range adjust {
		f(&config)
	}
	c, err := bus.NewConsumer(config)
	if err != nil {
		b.t.Fatal(err)
	}
	return consumerFixture{c, metrics, log}
}

// numbered answers n messages of different keys and values.
func numbered(n int) []kafka.Message {
	messages := make([]kafka.Message, n)
	for i := range messages {
		messages[i] = kafka.Message{Key: fmt.Appendf(nil, "key %d", i), Value: fmt.Appendf(nil, "value %d", i)}
	}
	return messages
}

func ready(b *broker) {
	b.t.Helper()
	for topic, partitions := range map[string]int32{"receipts": 3, "receipts.dead": 1} {
		if err := b.CreateTopic(topic, partitions, nil); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestConsumerHandlesEveryMessageAndCommits(t *testing.T) {
	b := startBroker(t)
	ready(b)
	b.publish("receipts", numbered(500)...)
	var seen register
	c := newConsumer(b, seen.handle)
	stop := running(t, c.Run)
	eventually(t, "all are handled", func() bool { return seen.distinct() == 500 })
	stop()
	if got := b.committed("premium", "receipts"); got != 500 {
		t.Errorf("committed %d, want 500", got)
	}
	if got := metric(t, c.metrics, "bus_consumer_handled_total"); got != 500 {
		t.Errorf("counted %v handled, want 500", got)
	}

	// Another consumer of the group finds nothing left but what comes new.
	var later register
	running(t, newConsumer(b, later.handle).Run)
	b.publish("receipts", kafka.Message{Value: []byte("new")})
	eventually(t, "the new one is handled", func() bool { return later.times("new") == 1 })
	if got := later.distinct(); got != 1 {
		t.Errorf("%d messages handled again", got-1)
	}
}

func TestConsumerMakesItsTopicsAndReceivesSoon(t *testing.T) {
	b := startBroker(t)
	var seen register
	began := time.Now()
	stop := running(t, newConsumer(b, seen.handle).Run)
	eventually(t, "the topics are there", func() bool {
		return len(b.PartitionInfos("receipts")) == 3 && len(b.PartitionInfos("receipts.dead")) == 1
	})
	b.publish("receipts", kafka.Message{Value: []byte("first")})
	eventually(t, "the message is handled", func() bool { return seen.times("first") == 1 })
	t.Logf("first message handled %v after the start", time.Since(began))

	began = time.Now()
	stop()
	t.Logf("stopped in %v", time.Since(began))
	if info := b.GroupInfo("premium"); len(info.Members) != 0 {
		t.Errorf("group has %d members after the stop", len(info.Members))
	}

	began = time.Now()
	running(t, newConsumer(b, seen.handle).Run)
	b.publish("receipts", kafka.Message{Value: []byte("second")})
	eventually(t, "the message is handled", func() bool { return seen.times("second") == 1 })
	t.Logf("first message handled %v after the second start", time.Since(began))
}

func TestAlikeMessagesAreHandledOnce(t *testing.T) {
	b := startBroker(t)
	ready(b)
	var messages []kafka.Message
	for range 100 {
		messages = append(messages,
			kafka.Message{Key: []byte("policy"), Value: []byte("November")},
			kafka.Message{Key: []byte("policy"), Value: []byte("December")})
	}
	b.publish("receipts", messages...)
	var seen register
	c := newConsumer(b, seen.handle, func(c *bus.ConsumerConfig) { c.Linger = 500 * time.Millisecond })
	stop := running(t, c.Run)
	eventually(t, "all are handled", func() bool { return metric(t, c.metrics, "bus_consumer_handled_total") == 200 })
	stop()
	if november, december := seen.times("November"), seen.times("December"); november != 1 || december != 1 {
		t.Errorf("handled November %d and December %d times, want once each", november, december)
	}
	if got := metric(t, c.metrics, "bus_consumer_coalesced_total"); got != 198 {
		t.Errorf("counted %v coalesced, want 198", got)
	}
	if got := b.committed("premium", "receipts"); got != 200 {
		t.Errorf("committed %d, want 200", got)
	}
}

// What a message speaks of may have happened after the handler looked, so a message that comes while one alike is
// being handled is handled after it.
func TestMessageAlikeOneBeingHandledIsHandledAgain(t *testing.T) {
	b := startBroker(t)
	ready(b)
	var seen register
	begun, release := make(chan struct{}, 10), make(chan struct{})
	c := newConsumer(b, func(_ context.Context, m bus.Message) error {
		begun <- struct{}{}
		<-release
		seen.note(m)
		return nil
	})
	running(t, c.Run)
	dirty := kafka.Message{Key: []byte("policy"), Value: []byte("November")}
	b.publish("receipts", dirty)
	<-begun
	b.publish("receipts", dirty, dirty)
	eventually(t, "all are in hand", func() bool { return metric(t, c.metrics, "bus_consumer_in_hand") == 3 })
	close(release)
	eventually(t, "all are handled", func() bool { return metric(t, c.metrics, "bus_consumer_in_hand") == 0 })
	if got := seen.times("November"); got != 2 {
		t.Errorf("handled %d times, want 2", got)
	}
}

func TestMessagesOfAKeyAreHandledInOrderOneByOne(t *testing.T) {
	b := startBroker(t)
	ready(b)
	var messages []kafka.Message
	for i := range 200 {
		messages = append(messages, kafka.Message{Key: fmt.Appendf(nil, "key %d", i%4), Value: fmt.Appendf(nil, "%03d", i)})
	}
	b.publish("receipts", messages...)
	var mu sync.Mutex
	order := make(map[string][]string)
	busy := make(map[string]bool)
	n := 0
	running(t, newConsumer(b, func(_ context.Context, m bus.Message) error {
		key := string(m.Key)
		mu.Lock()
		if busy[key] {
			t.Errorf("two messages of %s are handled at once", key)
		}
		busy[key] = true
		mu.Unlock()

		mu.Lock()
		defer mu.Unlock()
		busy[key] = false
		order[key] = append(order[key], string(m.Value))
		n++
		return nil
	}).Run)
	eventually(t, "all are handled", func() bool { mu.Lock(); defer mu.Unlock(); return n == 200 })
	for key, values := range order {
		if !slices.IsSorted(values) {
			t.Errorf("%s was handled in the order %v", key, values)
		}
	}
}

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
	eventually(t, "the others are handled", func() bool { return seen.distinct() == 100 })
	if got := metric(t, c.metrics, "bus_consumer_in_hand"); got != 1 {
		t.Errorf("%v messages in hand, want the stuck one", got)
	}

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

func TestFetchingPausesWhileTheWindowIsFull(t *testing.T) {
	b := startBroker(t)
	ready(b)
	b.publish("receipts", numbered(100)...)
	var seen register
	release := make(chan struct{})
	c := newConsumer(b, func(_ context.Context, m bus.Message) error {
		<-release
		seen.note(m)
		return nil
	}, func(c *bus.ConsumerConfig) { c.Window, c.Workers = 10, 2 })
	running(t, c.Run)
	eventually(t, "the window is full", func() bool { return metric(t, c.metrics, "bus_consumer_in_hand") == 10 })
	if got := seen.distinct(); got != 0 {
		t.Errorf("%d messages handled too early", got)
	}
	close(release)
	eventually(t, "all are handled", func() bool { return seen.distinct() == 100 })
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
