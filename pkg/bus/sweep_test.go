package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
)

type sweepFixture struct {
	*bus.Sweep
	metrics *prometheus.Registry
	log     *journal
}

func newSweep(o *outbox, handle func(context.Context, bus.Message) error, adjust ...func(*bus.SweepConfig)) sweepFixture {
	metrics, log := prometheus.NewRegistry(), &journal{}
	config := bus.SweepConfig{
		Topic: "receipts", Collection: o, Message: about, Handle: handle, Busy: func() bool { return false },
		Age: time.Minute, Every: 5 * time.Millisecond, Log: log.logger(), Metrics: metrics,
	}
	for _, f := range adjust {
		f(&config)
	}
	return sweepFixture{bus.NewSweep(config), metrics, log}
}

// stored returns an id as a document gets it that is stored some time from now, or before if the time is negative.
func stored(from time.Duration) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	milliseconds := time.Now().Add(from).UnixMilli()
	for i := range 6 {
		id[i] = byte(milliseconds >> (40 - 8*i))
	}
	return id
}

// marked puts n documents that were stored some time ago.
func (o *outbox) marked(n int, ago time.Duration) {
	for i := range n {
		o.put(docstore.Document{ID: stored(-ago), Body: fmt.Appendf(nil, "document %d of %v ago", i, ago)})
	}
}

// settle removes the mark of the document that a message is about.
func (o *outbox) settle(m bus.Message) {
	id := uuid.MustParse(string(m.Value))
	o.mu.Lock()
	defer o.mu.Unlock()
	doc := o.docs[id]
	doc.Unsent = false
	o.docs[id] = doc
}

// settleAll removes the marks of all documents.
func (o *outbox) settleAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, doc := range o.docs {
		doc.Unsent = false
		o.docs[id] = doc
	}
}

func TestSweepHandlesWhatKeepsItsMark(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.marked(1200, time.Hour)
	o.marked(3, 0)
	// A process whose clock is wrong has stored these.
	o.marked(7, -time.Hour)
	var seen register
	s := newSweep(o, func(_ context.Context, m bus.Message) error {
		seen.note(m)
		o.settle(m)
		return nil
	})
	running(t, s.Run)
	eventually(t, "what is due is handled", func() bool { return o.unsent() == 3 })
	if got := seen.distinct(); got != 1207 {
		t.Errorf("%d documents handled, want 1207", got)
	}
	eventually(t, "all are counted", func() bool { return metric(t, s.metrics, "bus_sweep_handled_total") == 1207 })
	eventually(t, "the age is that of the young ones", func() bool {
		age := metric(t, s.metrics, "bus_outbox_age_seconds")
		return age > 0 && age < 60
	})
	if got := seen.distinct(); got != 1207 {
		t.Errorf("%d documents handled, although 3 are too young", got)
	}
}

func TestSweepTellsTheAgeOfTheOldest(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.marked(1, 50*time.Second)
	s := newSweep(o, func(context.Context, bus.Message) error { return nil })
	running(t, s.Run)
	eventually(t, "the age is measured", func() bool { return metric(t, s.metrics, "bus_outbox_age_seconds") >= 50 })
	o.settleAll()
	eventually(t, "there is none", func() bool { return metric(t, s.metrics, "bus_outbox_age_seconds") == 0 })
}

func TestDocumentsOfOneMessageAreSweptOnce(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.marked(100, time.Hour)
	var calls atomic.Int32
	s := newSweep(o, func(context.Context, bus.Message) error {
		calls.Add(1)
		o.settleAll()
		return nil
	}, func(c *bus.SweepConfig) {
		c.Message = func(docstore.Document) (bus.Message, error) { return bus.Message{Value: []byte("the row")}, nil }
	})
	running(t, s.Run)
	eventually(t, "all are handled", func() bool { return o.unsent() == 0 })
	if got := calls.Load(); got != 1 {
		t.Errorf("handled %d times, want once", got)
	}
}

// TestSweepLeavesWhatAnotherProcessHasHandled: after the first document the handler removes the marks of all, as
// another process might.
func TestSweepLeavesWhatAnotherProcessHasHandled(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.marked(100, time.Hour)
	var calls atomic.Int32
	s := newSweep(o, func(context.Context, bus.Message) error {
		calls.Add(1)
		o.settleAll()
		return nil
	})
	running(t, s.Run)
	eventually(t, "no mark is left", func() bool { return o.unsent() == 0 })
	o.marked(1, time.Hour)
	eventually(t, "another round has ended", func() bool { return o.unsent() == 0 })
	if got := calls.Load(); got != 2 {
		t.Errorf("handled %d times, want twice", got)
	}
}

// TestFailuresHoldUpNoOtherDocument has more documents that cannot be handled than a sweep reads at a time, or bears
// in a row.
func TestFailuresHoldUpNoOtherDocument(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	for i := range 3 {
		o.put(docstore.Document{ID: stored(-3 * time.Hour), Body: fmt.Appendf(nil, "bad %d", i)})
	}
	for i := range 600 {
		o.put(docstore.Document{ID: stored(-2 * time.Hour), Body: fmt.Appendf(nil, "poison %d", i)})
	}
	for i := range 100 {
		o.put(docstore.Document{ID: stored(-90 * time.Minute), Body: fmt.Appendf(nil, "not yet %d", i)})
	}
	o.marked(50, time.Hour)
	var mended atomic.Bool
	s := newSweep(o, func(_ context.Context, m bus.Message) error {
		switch key := string(m.Key); {
		case strings.HasPrefix(key, "poison"):
			return bus.Poison(errors.New("never"))
		case strings.HasPrefix(key, "not yet") && !mended.Load():
			return errors.New("the neighbour is down")
		}
		o.settle(m)
		return nil
	})
	running(t, s.Run)
	eventually(t, "the others are handled", func() bool { return o.unsent() == 703 })
	eventually(t, "the failures are counted", func() bool { return metric(t, s.metrics, "bus_sweep_failing") == 703 })
	mended.Store(true)
	eventually(t, "what has failed is handled", func() bool { return o.unsent() == 603 })
	eventually(t, "it fails no more", func() bool { return metric(t, s.metrics, "bus_sweep_failing") == 603 })
	if got := s.log.count("are not handled yet"); got != 1 {
		t.Errorf("the outage is logged %d times, want once", got)
	}
	if got := s.log.count("cannot be handled"); got != 603 {
		t.Errorf("%d log lines about those that cannot be handled, want 603", got)
	}
}

// TestSweepHandlesDocumentsTogether: no call of the handler ends before four have begun.
func TestSweepHandlesDocumentsTogether(t *testing.T) {
	t.Parallel()
	const together = 4
	o := newOutbox()
	o.marked(3*together, time.Hour)
	var begun atomic.Int32
	all := make(chan struct{})
	s := newSweep(o, func(ctx context.Context, m bus.Message) error {
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
	}, func(c *bus.SweepConfig) { c.Workers = together })
	running(t, s.Run)
	eventually(t, "all are handled", func() bool { return o.unsent() == 0 })
}

// TestSweepGoesOnWhileMessagesAreAtWork, if slowly.
func TestSweepGoesOnWhileMessagesAreAtWork(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	o.marked(20, time.Hour)
	s := newSweep(o, func(_ context.Context, m bus.Message) error {
		o.settle(m)
		return nil
	}, func(c *bus.SweepConfig) { c.Busy = func() bool { return true } })
	running(t, s.Run)
	eventually(t, "all are handled", func() bool { return o.unsent() == 0 })
}

func TestMarksAreRemovedAndFailuresAreLogged(t *testing.T) {
	t.Parallel()
	o := newOutbox()
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
	metrics, log := prometheus.NewRegistry(), &journal{}
	m := bus.NewMarks("receipts", o, log.logger(), metrics)
	stop := running(t, m.Run)
	m.Remove(t.Context(), refs[:100])
	eventually(t, "the outage is logged", func() bool { return log.count("marks are not being removed") == 1 })
	o.mu.Lock()
	down = false
	o.mu.Unlock()
	m.Remove(t.Context(), refs[100:])
	eventually(t, "the marks are removed", func() bool { return o.unsent() == 100 })
	eventually(t, "they are counted", func() bool { return metric(t, metrics, "bus_marks_removed_total") == 2400 })
	if got := log.count("marks are being removed again"); got != 1 {
		t.Errorf("the end of the outage is logged %d times, want once", got)
	}
	m.Remove(t.Context(), refs[:200]) // The second hundred has no marks any more.
	stop()
	if got := o.unsent(); got != 0 {
		t.Errorf("%d marks are left after the stop, want 0", got)
	}
	if got := metric(t, metrics, "bus_marks_removed_total"); got != 2500 {
		t.Errorf("%v marks are counted, want 2500", got)
	}
	m.Remove(t.Context(), refs) // It does not wait for a removal that has ended.
}
