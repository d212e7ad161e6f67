package outbox_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/outbox"
)

// receipts is the part of a collection that an outbox uses, in memory. The body of a document names its row.
type receipts struct {
	docstore.Collection

	mu     sync.Mutex
	sorted []*docstore.Document // in order of id, once they are read
	rows   map[string][]*docstore.Document
	byID   map[uuid.UUID]*docstore.Document
	added  bool // since they were sorted
	// refuses is why marks stay; nil if they are removed.
	refuses error
	// removals counts the calls that have removed marks.
	removals int
}

// put stores a document with a mark, some time ago, and returns the row that it is part of.
func (r *receipts) put(row string, ago time.Duration) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == nil {
		r.rows, r.byID = map[string][]*docstore.Document{}, map[uuid.UUID]*docstore.Document{}
	}
	id := uuid.UUID{6: 0x70, 8: 0x80} // version 7
	milliseconds := time.Now().Add(-ago).UnixMilli()
	for i := range 6 {
		id[i] = byte(milliseconds >> (40 - 8*i))
	}
	binary.BigEndian.PutUint32(id[12:], uint32(len(r.sorted)))
	doc := &docstore.Document{ID: id, Version: 1, Body: []byte(row), Unsent: true}
	r.sorted, r.rows[row], r.byID[id], r.added = append(r.sorted, doc), append(r.rows[row], doc), doc, true
	return row
}

func (r *receipts) Unsent(
	_ context.Context, _ organisation.ID, after uuid.UUID, limit int,
) (unsent []docstore.Document, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	byID := func(x *docstore.Document, id uuid.UUID) int { return bytes.Compare(x.ID[:], id[:]) }
	if r.added {
		slices.SortFunc(r.sorted, func(x, y *docstore.Document) int { return byID(x, y.ID) })
		r.added = false
	}
	from, there := slices.BinarySearchFunc(r.sorted, after, byID)
	if there {
		from++
	}
	for _, doc := range r.sorted[from:] {
		if len(unsent) == limit {
			break
		}
		if doc.Unsent {
			unsent = append(unsent, *doc)
		}
	}
	return unsent, nil
}

func (r *receipts) Sent(_ context.Context, _ organisation.ID, refs []docstore.Ref) (removed int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses != nil {
		return 0, r.refuses
	}
	r.removals++
	for _, ref := range refs {
		if doc := r.byID[ref.ID]; doc.Unsent && doc.Version == ref.Version {
			doc.Unsent = false
			removed++
		}
	}
	return removed, nil
}

// of returns the documents of a row that have their mark.
func (r *receipts) of(row string) (marked []docstore.Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, doc := range r.rows[row] {
		if doc.Unsent {
			marked = append(marked, docstore.Ref{ID: doc.ID, Version: doc.Version})
		}
	}
	return marked
}

// trial is an outbox that runs in a bubble.
type trial struct {
	*outbox.Outbox
	receipts
	t       *testing.T
	metrics *prometheus.Registry
	log     kafkatest.Journal
	stop    func()
	counts  sync.Mutex
	counted map[string]int // how often each row was computed
	// fails is asked for why a row cannot be computed, before it is.
	fails func(ctx context.Context, row string) error
}

// bubble runs a test with an outbox in a bubble of testing/synctest.
func bubble(t *testing.T, test func(t *testing.T, o *trial)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &trial{t: t, metrics: prometheus.NewRegistry(), counted: map[string]int{}}
		o.Outbox = outbox.New(outbox.Config{
			Name: "receipts", Collection: &o.receipts, Metrics: o.metrics,
			Log: slog.New(slog.NewTextHandler(&o.log, nil)),
			Of:  func(doc docstore.Document) (string, string) { return string(doc.Body), "" },
			Do: func(ctx context.Context, row string) ([]docstore.Ref, error) {
				if o.fails != nil {
					if err := o.fails(ctx, row); err != nil {
						return nil, err
					}
				}
				o.counts.Lock()
				defer o.counts.Unlock()
				o.counted[row]++
				return o.of(row), nil
			},
		})
		o.stop = kafkatest.Running(t, o.Run)
		test(t, o)
		o.stop()
	})
}

// after lets some time pass, and returns how often a row was computed by then.
func (o *trial) after(pause time.Duration, row string) int {
	time.Sleep(pause)
	synctest.Wait()
	return o.done(row)
}

// done returns how often a row was computed.
func (o *trial) done(row string) int {
	o.counts.Lock()
	defer o.counts.Unlock()
	return o.counted[row]
}

// rowsDone returns how many rows were computed.
func (o *trial) rowsDone() int {
	o.counts.Lock()
	defer o.counts.Unlock()
	return len(o.counted)
}

// is compares a metric.
func (o *trial) is(metric string, want float64) {
	o.t.Helper()
	if got := kafkatest.Metric(o.t, o.metrics, metric); got != want {
		o.t.Errorf("%s is %v, want %v", metric, got, want)
	}
}

// marked compares how many documents have their mark.
func (o *trial) marked(want int) {
	o.t.Helper()
	if left, _ := o.Unsent(o.t.Context(), organisation.Exchange(), uuid.Nil, 1<<20); len(left) != want {
		o.t.Errorf("%d documents have their mark, want %d", len(left), want)
	}
}

func TestWhatManyAskForIsDoneOnce(t *testing.T) {
	bubble(t, func(t *testing.T, o *trial) {
		for range 100 {
			o.Due(o.put("a", 0), "")
			o.Due(o.put("b", 0), "")
		}
		if got := o.after(time.Millisecond, "a"); got != 1 {
			t.Errorf("computed %d times, want once", got)
		}
		o.is("bus_outbox_names", 2)
		time.Sleep(200 * time.Millisecond)
		// Who asks soon after waits until the row was not computed for a while.
		for range 10 {
			o.Due(o.put("a", 0), "")
		}
		if got := o.after(outbox.Apart-time.Second/2, "a"); got != 1 {
			t.Errorf("computed %d times in less than %s", got, outbox.Apart)
		}
		if got := o.after(time.Second/2, "a"); got != 2 {
			t.Errorf("computed %d times after %s, want twice", got, outbox.Apart)
		}
		if got := o.after(time.Hour, "a"); got != 2 {
			t.Errorf("computed %d times although nobody asks", got)
		}
		o.is("bus_outbox_names", 0)
		o.marked(0)
		o.mu.Lock()
		removals := o.removals
		o.mu.Unlock()
		if removals != 1 {
			t.Errorf("the marks were removed in %d calls, want one", removals)
		}
	})
}

// TestTheSweepFindsWhatNobodyAskedFor: documents from the past, and from a process whose clock is wrong.
func TestTheSweepFindsWhatNobodyAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T, o *trial) {
		for i := range 1200 {
			o.put(fmt.Sprint("old ", i), time.Hour)
		}
		o.put("young", 0)
		o.put("of the future", -time.Hour)
		if o.after(1100*time.Millisecond, "young") != 0 || o.done("of the future") != 1 || o.rowsDone() != 1201 {
			t.Errorf("%d rows were computed, the young one %d times, that of the future %d times", o.rowsDone(),
				o.done("young"), o.done("of the future"))
		}
		o.is("bus_outbox_age_seconds", 3601)
		if got := o.after(6*time.Second, "young"); got != 1 {
			t.Errorf("after its time the young one was computed %d times", got)
		}
		o.marked(0)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		o.is("bus_outbox_age_seconds", 0)
		o.is("bus_outbox_swept_total", 1202)
	})
}

// TestAFailureIsTriedAgainAndHoldsUpNothing has more rows that cannot be computed than workers, one of which panics.
func TestAFailureIsTriedAgainAndHoldsUpNothing(t *testing.T) {
	bubble(t, func(t *testing.T, o *trial) {
		var broken atomic.Bool
		broken.Store(true)
		tried := map[string]int{}
		var mu sync.Mutex
		o.fails = func(_ context.Context, row string) error {
			mu.Lock()
			tried[row]++
			mu.Unlock()
			switch {
			case !broken.Load() || row == "whole":
				return nil
			case row == "bad 3":
				panic("no such row")
			}
			return errors.New("the policies are away")
		}
		for i := range 20 {
			o.Due(o.put(fmt.Sprint("bad ", i), 0), "")
		}
		o.Due(o.put("whole", 0), "")
		if got := o.after(time.Millisecond, "whole"); got != 1 {
			t.Errorf("the whole one was computed %d times", got)
		}
		o.is("bus_outbox_failing", 20)
		if err := o.Check(); err == nil {
			t.Error("the check says nothing of the failure")
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		mu.Lock()
		got := tried["bad 0"]
		mu.Unlock()
		if got < 40 || got > 46 {
			t.Errorf("tried %d times in ten minutes, want about every 15 s", got)
		}
		broken.Store(false)
		if got := o.after(15*time.Second, "bad 3"); got != 1 {
			t.Errorf("after the failure it was computed %d times", got)
		}
		time.Sleep(time.Second)
		o.is("bus_outbox_failing", 0)
		o.marked(0)
		for text, want := range map[string]int{
			"fails and is tried again": 1, "fails any more": 1, "msg=panic": onceOrMore,
		} {
			if got := o.log.Count(text); got != want && (want != onceOrMore || got == 0) {
				t.Errorf("the log says %d times %q", got, text)
			}
		}
		if err := o.Check(); err != nil {
			t.Errorf("the check says %v", err)
		}
	})
}

// onceOrMore stands for once or more.
const onceOrMore = -1

// TestMoreThanThereIsRoomForIsFoundLater asks for more rows at once than an outbox keeps.
func TestMoreThanThereIsRoomForIsFoundLater(t *testing.T) {
	bubble(t, func(t *testing.T, o *trial) {
		const rows = 12_000
		room := 0
		for i := range rows {
			row := fmt.Sprint(i)
			o.put(row, 0)
			if o.Due(row, "") {
				room++
			}
		}
		if room < 10_000 || room >= 10_500 {
			t.Errorf("there was room for %d rows, want 10,000 and what was computed meanwhile", room)
		}
		o.is("bus_outbox_left_total", float64(rows-room))
		time.Sleep(time.Minute)
		synctest.Wait()
		if o.rowsDone() != rows {
			t.Errorf("%d rows were computed, want %d", o.rowsDone(), rows)
		}
		o.marked(0)
	})
}

// TestFailuresLeaveRoom: more rows fail than there is room for, or one that more documents are part of than a round of
// the sweep reads. A row that comes later is computed nevertheless.
func TestFailuresLeaveRoom(t *testing.T) {
	for name, row := range map[string]func(i int) string{
		"of many rows": func(i int) string { return fmt.Sprint("bad ", i) },
		"of one":       func(int) string { return "bad" },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, o *trial) {
				o.fails = func(_ context.Context, row string) error {
					if strings.HasPrefix(row, "bad") {
						return errors.New("it never can")
					}
					return nil
				}
				for i := range 11_000 {
					o.put(row(i), time.Hour)
				}
				o.put("good", time.Minute)
				if got := o.after(2*time.Minute, "good"); got == 0 {
					t.Error("the good one is not computed")
				}
				o.marked(11_000)
			})
		})
	}
}

func TestAMarkThatIsNotRemovedIsFoundAgain(t *testing.T) {
	bubble(t, func(t *testing.T, o *trial) {
		o.mu.Lock()
		o.refuses = errors.New("the store is away")
		o.mu.Unlock()
		o.Due(o.put("a", 0), "")
		if got := o.after(time.Minute, "a"); got < 10 {
			t.Errorf("computed %d times in a minute", got)
		}
		o.marked(1)
		o.mu.Lock()
		o.refuses = nil
		o.mu.Unlock()
		time.Sleep(3 * time.Second)
		o.marked(0)
		bad, good := o.log.Count("marks are not being removed"), o.log.Count("removed again")
		if bad != 1 || good != 1 {
			t.Errorf("the log says %d times that marks stay, and %d times that they do not", bad, good)
		}
	})
}

// TestWhatTakesLongLeavesTime: a row that takes two seconds and is always asked for is computed in a tenth of the time.
func TestWhatTakesLongLeavesTime(t *testing.T) {
	bubble(t, func(t *testing.T, o *trial) {
		o.fails = func(context.Context, string) error { time.Sleep(2 * time.Second); return nil }
		for range 600 {
			o.Due("large", "")
			time.Sleep(time.Second)
		}
		if got := o.done("large"); got < 27 || got > 28 {
			t.Errorf("computed %d times in ten minutes, want every 22 s", got)
		}
	})
}

// TestAStopFinishesWhatIsInHand: what is computed when the outbox is stopped is finished, with its marks, but not
// waited for longer than 2 s.
func TestAStopFinishesWhatIsInHand(t *testing.T) {
	for took, finishes := range map[time.Duration]bool{time.Second: true, time.Hour: false} {
		t.Run(took.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T, o *trial) {
				o.fails = func(ctx context.Context, _ string) error {
					select {
					case <-time.After(took):
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				o.Due(o.put("a", 0), "")
				time.Sleep(time.Millisecond)
				began := time.Now()
				o.stop()
				if waited := time.Since(began); waited > 2100*time.Millisecond {
					t.Errorf("stopped after %s", waited)
				}
				if finished := o.done("a") == 1; finished != finishes {
					t.Errorf("finished: %v", finished)
				}
				if left := len(o.of("a")); finishes == (left > 0) {
					t.Errorf("%d marks are left", left)
				}
			})
		})
	}
}
