package outbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/outbox"
)

type sweepFixture struct {
	*outbox.Sweep
	metrics *prometheus.Registry
	log     *kafkatest.Journal
}

func newSweep(
	o *receipts, handle func(context.Context, kafka.Message) error, adjust ...func(*outbox.SweepConfig),
) sweepFixture {
	metrics, log := prometheus.NewRegistry(), &kafkatest.Journal{}
	config := outbox.SweepConfig{
		Topic: "receipts", Collection: o, Message: about, Handle: handle, Busy: func() bool { return false },
		Age: age, Every: round, Log: log.Logger(), Metrics: metrics,
	}
	for _, f := range adjust {
		f(&config)
	}
	return sweepFixture{outbox.NewSweep(config), metrics, log}
}

// marked puts n documents that were stored some time ago.
func (o *receipts) marked(n int, ago time.Duration) { o.markedAs("document", n, ago) }

// markedAs puts n documents that were stored some time ago, with a body that begins with a name. Their ids are
// numbered, with the time of the bubble in which the test runs.
func (o *receipts) markedAs(name string, n int, ago time.Duration) {
	for i := range n {
		id := uuid.UUID{6: 0x70, 8: 0x80} // version 7
		milliseconds := time.Now().Add(-ago).UnixMilli()
		for i := range 6 {
			id[i] = byte(milliseconds >> (40 - 8*i))
		}
		o.mu.Lock()
		binary.BigEndian.PutUint32(id[12:], uint32(len(o.docs)))
		o.mu.Unlock()
		o.put(docstore.Document{ID: id, Body: fmt.Appendf(nil, "%s %d of %v ago", name, i, ago)})
	}
}

const (
	// age is how long a document has its mark before a sweep handles it.
	age = time.Minute
	// round is the pause between two rounds of a sweep.
	round = 5 * time.Millisecond
)

// rounds lets a sweep make some rounds.
func rounds(n int) {
	time.Sleep(time.Duration(n) * round)
	synctest.Wait()
}

// settle removes the mark of the document that a message is about.
func (o *receipts) settle(m kafka.Message) {
	id := uuid.MustParse(string(m.Value))
	o.mu.Lock()
	defer o.mu.Unlock()
	doc := o.docs[id]
	doc.Unsent = false
	o.docs[id] = doc
}

// settleAll removes the marks of all documents.
func (o *receipts) settleAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, doc := range o.docs {
		doc.Unsent = false
		o.docs[id] = doc
	}
}

func TestSweepHandlesWhatKeepsItsMark(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newReceipts()
		o.marked(1200, time.Hour)
		o.marked(3, 0)
		// A process whose clock is wrong has stored these.
		o.marked(7, -time.Hour)
		var seen register
		s := newSweep(o, func(_ context.Context, m kafka.Message) error {
			_ = seen.handle(t.Context(), m) // never fails
			o.settle(m)
			return nil
		})
		kafkatest.Running(t, s.Run)
		rounds(1)
		if got, marks := seen.distinct(), o.unsent(); got != 1207 || marks != 3 {
			t.Errorf("%d documents handled and %d left, want 1207 and 3", got, marks)
		}
		if got := kafkatest.Metric(t, s.metrics, "bus_sweep_handled_total"); got != 1207 {
			t.Errorf("%v are counted, want 1207", got)
		}
		time.Sleep(age - 2*round)
		synctest.Wait()
		if got := seen.distinct(); got != 1207 {
			t.Errorf("%d documents handled, although 3 are too young", got)
		}
		if got := kafkatest.Metric(t, s.metrics, "bus_outbox_age_seconds"); got <= 59 || got >= 60 {
			t.Errorf("the age is %v s, want that of the young ones, of nearly 60", got)
		}
		rounds(2)
		if got := seen.distinct(); got != 1210 {
			t.Errorf("%d documents handled, want 1210", got)
		}
	})
}

func TestSweepTellsTheAgeOfTheOldest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newReceipts()
		o.marked(1, 50*time.Second)
		s := newSweep(o, func(context.Context, kafka.Message) error { return nil })
		kafkatest.Running(t, s.Run)
		rounds(200)
		if got := kafkatest.Metric(t, s.metrics, "bus_outbox_age_seconds"); got != 51 {
			t.Errorf("the age is %v s, want 51", got)
		}
		o.settleAll()
		rounds(1)
		if got := kafkatest.Metric(t, s.metrics, "bus_outbox_age_seconds"); got != 0 {
			t.Errorf("the age is %v s without a mark, want 0", got)
		}
	})
}

func TestDocumentsOfOneMessageAreSweptOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newReceipts()
		o.marked(100, time.Hour)
		var calls atomic.Int32
		s := newSweep(o, func(context.Context, kafka.Message) error {
			calls.Add(1)
			time.Sleep(time.Millisecond) // Another worker would find the mark of its document meanwhile.
			o.settleAll()
			return nil
		}, func(c *outbox.SweepConfig) {
			c.Workers = 4
			c.Message = func(docstore.Document) (kafka.Message, error) {
				return kafka.Message{Value: []byte("the row")}, nil
			}
		})
		kafkatest.Running(t, s.Run)
		kafkatest.Eventually(t, "all are handled", func() bool { return o.unsent() == 0 })
		if got := calls.Load(); got != 1 {
			t.Errorf("handled %d times, want once", got)
		}
	})
}

// TestSweepLeavesWhatAnotherProcessHasHandled: after the first document the handler removes the marks of all, as
// another process might.
func TestSweepLeavesWhatAnotherProcessHasHandled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newReceipts()
		o.marked(100, time.Hour)
		var calls atomic.Int32
		s := newSweep(o, func(context.Context, kafka.Message) error {
			calls.Add(1)
			o.settleAll()
			return nil
		})
		kafkatest.Running(t, s.Run)
		kafkatest.Eventually(t, "no mark is left", func() bool { return o.unsent() == 0 })
		o.marked(1, time.Hour)
		kafkatest.Eventually(t, "another round has ended", func() bool { return o.unsent() == 0 })
		if got := calls.Load(); got != 2 {
			t.Errorf("handled %d times, want twice", got)
		}
	})
}

// TestFailuresHoldUpNoOtherDocument has more documents that cannot be handled than a sweep reads at a time, or bears
// in a row.
func TestFailuresHoldUpNoOtherDocument(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newReceipts()
		o.markedAs("bad", 3, 3*time.Hour)
		o.markedAs("poison", 600, 2*time.Hour)
		o.markedAs("not yet", 100, 90*time.Minute)
		o.marked(50, time.Hour)
		var mended atomic.Bool
		s := newSweep(o, func(_ context.Context, m kafka.Message) error {
			switch key := string(m.Key); {
			case strings.HasPrefix(key, "poison"):
				return kafka.Poison(errors.New("never"))
			case strings.HasPrefix(key, "not yet") && !mended.Load():
				return errors.New("the neighbour is down")
			}
			o.settle(m)
			return nil
		})
		kafkatest.Running(t, s.Run)
		kafkatest.Eventually(t, "the others are handled", func() bool { return o.unsent() == 703 })
		kafkatest.Eventually(t, "the failures are counted", func() bool {
			return kafkatest.Metric(t, s.metrics, "bus_sweep_failing") == 703
		})
		mended.Store(true)
		kafkatest.Eventually(t, "what has failed is handled", func() bool { return o.unsent() == 603 })
		kafkatest.Eventually(t, "it fails no more", func() bool {
			return kafkatest.Metric(t, s.metrics, "bus_sweep_failing") == 603
		})
		if got := s.log.Count("are not handled yet"); got != 1 {
			t.Errorf("the outage is logged %d times, want once", got)
		}
		if got := s.log.Count("cannot be handled"); got != 603 {
			t.Errorf("%d log lines about those that cannot be handled, want 603", got)
		}
	})
}

// TestSweepHandlesDocumentsTogether: no call of the handler ends before four have begun.
func TestSweepHandlesDocumentsTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const together = 4
		o := newReceipts()
		o.marked(3*together, time.Hour)
		var begun atomic.Int32
		all := make(chan struct{})
		s := newSweep(o, func(ctx context.Context, m kafka.Message) error {
			if begun.Add(1) == together {
				close(all)
			}
			select {
			case <-all:
				o.settle(m)
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, func(c *outbox.SweepConfig) { c.Workers = together })
		kafkatest.Running(t, s.Run)
		kafkatest.Eventually(t, "all are handled", func() bool { return o.unsent() == 0 })
	})
}

// TestSweepGoesOnWhileMessagesAreAtWork, if slowly.
func TestSweepGoesOnWhileMessagesAreAtWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newReceipts()
		o.marked(20, time.Hour)
		s := newSweep(o, func(_ context.Context, m kafka.Message) error {
			o.settle(m)
			return nil
		}, func(c *outbox.SweepConfig) { c.Busy = func() bool { return true } })
		kafkatest.Running(t, s.Run)
		kafkatest.Eventually(t, "all are handled", func() bool { return o.unsent() == 0 })
	})
}

func TestMarksAreRemovedAndFailuresAreLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newReceipts()
		o.marked(2500, time.Hour)
		var refs []docstore.Ref
		for id := range o.docs {
			refs = append(refs, docstore.Ref{ID: id, Version: 1})
		}
		down := true
		o.beforeSent = func() error {
			if down {
				return docstore.ErrUnavailable
			}
			return nil
		}
		metrics, log := prometheus.NewRegistry(), &kafkatest.Journal{}
		m := outbox.NewMarks("receipts", o, log.Logger(), metrics)
		stop := kafkatest.Running(t, m.Run)
		m.Remove(t.Context(), refs[:100])
		kafkatest.Eventually(t, "the outage is logged", func() bool {
			return log.Count("marks are not being removed") == 1
		})
		o.mu.Lock()
		down = false
		o.mu.Unlock()
		m.Remove(t.Context(), refs[100:])
		kafkatest.Eventually(t, "the marks are removed", func() bool { return o.unsent() == 100 })
		kafkatest.Eventually(t, "they are counted", func() bool {
			return kafkatest.Metric(t, metrics, "bus_marks_removed_total") == 2400
		})
		if got := log.Count("marks are being removed again"); got != 1 {
			t.Errorf("the end of the outage is logged %d times, want once", got)
		}
		m.Remove(t.Context(), refs[:200]) // The second hundred has no marks any more.
		stop()
		if got := o.unsent(); got != 0 {
			t.Errorf("%d marks are left after the stop, want 0", got)
		}
		if got := kafkatest.Metric(t, metrics, "bus_marks_removed_total"); got != 2500 {
			t.Errorf("%v marks are counted, want 2500", got)
		}
		m.Remove(t.Context(), refs) // It does not wait for a removal that has ended.
	})
}
