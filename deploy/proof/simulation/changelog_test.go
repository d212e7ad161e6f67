package simulation_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore/sequencer"
)

// breach is a way in which the scheme of the log of changes could be wrong.
type breach string

const (
	sound        breach = ""
	clearedFirst breach = "the marks are cleared before the segment is inserted"
	booleanMark  breach = "the mark does not say from which version on"
	noMajority   breach = "a segment that was inserted is taken back"
	anyVersion   breach = "a mark is cleared at any version"
	forgetful    breach = "a replacement drops what the log has"
	overwritten  breach = "a segment is inserted in the place of another"
	staleMarks   breach = "marks are read as they were before they were cleared"
	logsNewest   breach = "the version that is noted is the newest, not that of the segment"
	neverClosed  breach = "the watermark is raised while a segment is inserted"
)

// stored is a document as the simulated database holds it.
type stored struct {
	version, logged int64
	mark            time.Time // zero for none
}

// logWorld is a database, two sequencers and some writers. Every operation on the database waits for its turn, which
// the seed decides.
type logWorld struct {
	random *rand.Rand
	breach breach

	docs     map[uuid.UUID]*stored
	segments map[int64]sequencer.Segment
	head     sequencer.Head
	stale    []sequencer.Marked
	// first is each segment as it was first read, and shown the watermarks that readers got with the newest segment.
	first map[int64]sequencer.Segment
	shown []sequencer.Head

	started int
	calm    bool

	mu      sync.Mutex
	waiting []*turn
}

// turn is an operation that waits.
type turn struct {
	of *simulated
	do func()
	// decided says whether its caller hears of it.
	decided chan bool
}

// simulated is a process: its sequencer's connection to the database, with its own clock.
type simulated struct {
	*logWorld
	number int
	ahead  time.Duration
	paused int
	dead   bool
	cancel context.CancelFunc
}

var errLost = errors.New("the connection is lost")

// step makes an operation wait for its turn.
func (p *simulated) step(do func()) error {
	t := &turn{of: p, do: do, decided: make(chan bool, 1)}
	p.mu.Lock()
	p.waiting = append(p.waiting, t)
	p.mu.Unlock()
	if !<-t.decided {
		return errLost
	}
	return nil
}

func (p *simulated) now() time.Time { return time.Now().Add(p.ahead).UTC().Truncate(time.Millisecond) }

func (p *simulated) Head(context.Context) (head sequencer.Head, err error) {
	err = p.step(func() { head = p.head })
	return head, err
}

func (p *simulated) Newest(context.Context, int64) (newest sequencer.Segment, err error) {
	err = p.step(func() {
		newest = p.segments[int64(len(p.segments))]
		newest.Entries = slices.Clone(newest.Entries)
	})
	return newest, err
}

func (p *simulated) Marked(_ context.Context, limit int) (marked []sequencer.Marked, err error) {
	err = p.step(func() {
		for _, id := range slices.SortedFunc(maps.Keys(p.docs), byID) {
			doc := p.docs[id]
			if doc.mark.IsZero() {
				continue
			}
			m := sequencer.Marked{ID: id, Logged: doc.logged, Version: doc.version, At: doc.mark}
			if p.breach == booleanMark {
				m.Logged = doc.version - 1
			}
			marked = append(marked, m)
		}
		if p.breach == staleMarks && p.random.IntN(4) == 0 {
			marked = slices.Clone(p.stale)
		}
		p.stale = slices.Clone(marked)
		marked = sequencer.Order(marked, limit)
	})
	return marked, err
}

func byID(a, b uuid.UUID) int { return cmp.Compare(a.String(), b.String()) }

func (p *simulated) Clear(_ context.Context, entries []sequencer.Entry) error {
	for _, e := range entries { // each document by itself
		err := p.step(func() {
			doc := p.docs[e.ID]
			switch logged := max(doc.logged, e.Last); {
			case p.breach == logsNewest:
				doc.logged = doc.version
			case p.breach != forgetful || doc.version == e.Last:
				doc.logged = logged
			}
			if doc.version == e.Last || p.breach == anyVersion {
				doc.mark = time.Time{}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *simulated) Append(ctx context.Context, segment sequencer.Segment) (taken bool, err error) {
	if p.breach == clearedFirst {
		if err := p.Clear(ctx, segment.Entries); err != nil {
			return false, err
		}
	}
	err = p.step(func() {
		if _, taken = p.segments[segment.Number]; taken && p.breach != overwritten {
			return
		}
		taken = false
		segment.Entries = slices.Clone(segment.Entries)
		p.segments[segment.Number] = segment
	})
	if p.breach == noMajority && err == nil && p.random.IntN(5) == 0 {
		err = p.step(func() {
			if segment.Number == int64(len(p.segments)) {
				delete(p.segments, segment.Number)
			}
		})
	}
	return taken, err
}

func (p *simulated) Close(_ context.Context, number int64) (was sequencer.Head, err error) {
	err = p.step(func() {
		was = p.head
		if p.head.Number <= number {
			p.head.Number, p.head.Closed = number, true
		}
	})
	return was, err
}

func (p *simulated) Open(_ context.Context, segment sequencer.Segment) error {
	return p.step(func() {
		if p.head.Number < segment.Number {
			p.head = sequencer.Head{Number: segment.Number, Watermark: segment.Watermark}
		}
	})
}

func (p *simulated) Beat(_ context.Context, number int64, watermark time.Time) error {
	return p.step(func() {
		open := !p.head.Closed || p.breach == neverClosed
		if p.head.Number == number && open && watermark.After(p.head.Watermark) {
			p.head.Watermark = watermark
		}
	})
}

// write inserts or replaces a document, with the mark, in one step.
func (w *logWorld) write() {
	ids := slices.SortedFunc(maps.Keys(w.docs), byID)
	id := uuid.UUID{15: byte(len(ids)), 14: byte(len(ids) >> 8)}
	if len(ids) > 0 && w.random.IntN(2) == 0 {
		id = ids[w.random.IntN(len(ids))]
	}
	doc := w.docs[id]
	if doc == nil {
		doc = &stored{}
		w.docs[id] = doc
	}
	doc.version++
	if w.breach == forgetful {
		doc.logged = 0
	}
	at := time.Now().Add(time.Duration(w.random.IntN(3)-1) * 5 * time.Second).UTC().Truncate(time.Millisecond)
	if doc.mark.IsZero() || at.Before(doc.mark) {
		doc.mark = at
	}
}

// read is a reader at the end of the log.
func (w *logWorld) read() {
	newest := int64(len(w.segments))
	for number, segment := range w.segments {
		if _, before := w.first[number]; !before {
			segment.Entries = slices.Clone(segment.Entries)
			w.first[number] = segment
		}
	}
	shown := sequencer.Head{Number: newest, Watermark: w.segments[newest].Watermark}
	if w.head.Number == newest && w.head.Watermark.After(shown.Watermark) {
		shown.Watermark = w.head.Watermark
	}
	w.shown = append(w.shown, shown)
}

// start starts a process with a sequencer.
func (w *logWorld) start(t *testing.T) *simulated {
	ctx, cancel := context.WithCancel(t.Context())
	w.started++
	p := &simulated{logWorld: w, number: w.started, cancel: cancel}
	s := sequencer.New(p, p.now)
	go s.Run(ctx)
	return p
}

// next lets one of the waiting operations happen, or fail.
func (w *logWorld) next() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.waiting, func(a, b *turn) int { return cmp.Compare(a.of.number, b.of.number) })
	var can []*turn
	for _, t := range w.waiting {
		if t.of.paused == 0 || w.calm {
			can = append(can, t)
		} else {
			t.of.paused--
		}
	}
	if len(can) == 0 {
		return false
	}
	t := can[w.random.IntN(len(can))]
	if !w.calm && w.random.IntN(12) == 0 { // before this operation, not only between rounds
		t.of.paused = w.random.IntN(60)
		return true
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(other *turn) bool { return other == t })
	chance := w.random.IntN(30)
	if w.calm {
		chance = 30
	}
	if chance > 0 && (!t.of.dead || chance%2 != 0) {
		t.do()
		if w.random.IntN(3) == 0 {
			w.read()
		}
	}
	t.decided <- chance > 1 && !t.of.dead
	return true
}

// run runs a seed, and returns what is wrong with the log.
func runLog(t *testing.T, seed uint64, b breach) (wrong error) {
	synctest.Test(t, func(t *testing.T) {
		w := &logWorld{random: rand.New(rand.NewPCG(seed, 1)), breach: b, docs: map[uuid.UUID]*stored{},
			segments: map[int64]sequencer.Segment{}, first: map[int64]sequencer.Segment{}}
		processes := []*simulated{w.start(t), w.start(t)}
		// In some histories little is written, so that the watermark is raised.
		writes := 1 + w.random.IntN(10)
		for range 600 {
			synctest.Wait()
			i := w.random.IntN(len(processes))
			switch what := w.random.IntN(60); {
			case what == 0: // between any two steps
				processes[i].dead = true
				processes[i].cancel()
				processes[i] = w.start(t)
			case what == 1:
				processes[i].paused = w.random.IntN(200)
			case what == 2:
				processes[i].ahead = time.Duration(w.random.IntN(3)-1) * 5 * time.Second
			case what < 3+writes:
				w.write()
			default:
				if !w.next() || w.random.IntN(20) == 0 {
					time.Sleep(time.Duration(w.random.IntN(int(2 * time.Second))))
				}
			}
		}
		w.calm = true
		for range 20_000 {
			synctest.Wait()
			if !w.next() {
				time.Sleep(time.Second)
				if w.quiet() {
					break
				}
			}
		}
		w.read()
		wrong = w.check()
		for _, p := range processes {
			p.cancel()
		}
		for synctest.Wait(); w.next(); synctest.Wait() {
			continue
		}
	})
	return wrong
}

// quiet reports whether the log has everything.
func (w *logWorld) quiet() bool {
	for _, doc := range w.docs {
		if !doc.mark.IsZero() {
			return false
		}
	}
	return true
}

// check returns what is wrong with the log.
func (w *logWorld) check() error {
	last, at := map[uuid.UUID]int64{}, time.Time{}
	for number := int64(1); number <= int64(len(w.segments)); number++ {
		segment, there := w.segments[number]
		if !there {
			return fmt.Errorf("segment %d of %d is missing", number, len(w.segments))
		}
		if first, seen := w.first[number]; seen && !reflect.DeepEqual(first, segment) {
			return fmt.Errorf("segment %d has changed", number)
		}
		for _, e := range segment.Entries {
			if e.First != last[e.ID]+1 || e.Last < e.First {
				return fmt.Errorf("versions %d to %d of %v follow version %d", e.First, e.Last, e.ID, last[e.ID])
			}
			last[e.ID] = e.Last
			if e.At.Before(at) {
				return fmt.Errorf("an entry of %v follows one of %v", e.At, at)
			}
			at = e.At
			for _, shown := range w.shown {
				if shown.Number < number && e.At.Before(shown.Watermark) {
					return fmt.Errorf("an entry of %v follows the watermark %v", e.At, shown.Watermark)
				}
			}
		}
	}
	for id, doc := range w.docs {
		if last[id] != doc.version {
			return fmt.Errorf("%v is at version %d, and the log has %d", id, doc.version, last[id])
		}
	}
	return nil
}

// logSeeds is the number of histories that are tried.
const logSeeds = 1000

// TestLogOfChanges runs the sequencers of the log of changes on a simulated database: they are paused, crash between
// any two steps, lose their connection, and have clocks that step, while documents are replaced.
func TestLogOfChanges(t *testing.T) {
	for seed := range uint64(logSeeds) {
		if err := runLog(t, seed, sound); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestBrokenLogOfChanges breaks the scheme in each way. A seed finds it.
func TestBrokenLogOfChanges(t *testing.T) {
	for _, b := range []breach{clearedFirst, booleanMark, noMajority, anyVersion, forgetful, overwritten, staleMarks,
		logsNewest, neverClosed} {
		t.Run(string(b), func(t *testing.T) {
			for seed := range uint64(logSeeds) {
				if err := runLog(t, seed, b); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Error("no seed finds it")
		})
	}
}
