package sequencer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/docstore/sequencer"
)

// database is a log and the marks of documents that are written once. Each operation takes some time, as over a
// network; writes take none of it and wait for nothing.
type database struct {
	takes time.Duration
	// random chooses it around that.
	random *rand.Rand

	mu       sync.Mutex
	marked   []sequencer.Marked // in order of instant
	newest   sequencer.Segment
	head     sequencer.Head
	logged   map[uuid.UUID]int
	segments int64
	searches int // for marks
	beats    int
	failing  bool // is true while no beat succeeds
}

func newDatabase(t *testing.T, takes time.Duration) *database {
	t.Helper()
	return &database{
		takes: takes, random: rand.New(rand.NewPCG(chance.Seed(t), 0)), logged: map[uuid.UUID]int{},
	}
}

// write writes new documents.
func (d *database) write(count int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range count {
		d.marked = append(d.marked, sequencer.Marked{ID: uuid.New(), Version: 1, At: time.Now()})
	}
}

// does has an operation happen after the time that it takes.
func (d *database) does(how func()) error {
	d.mu.Lock()
	takes := d.takes/2 + time.Duration(d.random.Int64N(int64(d.takes)))
	d.mu.Unlock()
	time.Sleep(takes)
	d.mu.Lock()
	defer d.mu.Unlock()
	how()
	return nil
}

func (d *database) Head(context.Context) (head sequencer.Head, err error) {
	return head, d.does(func() { head = d.head })
}

func (d *database) Newest(context.Context, int64) (newest sequencer.Segment, err error) {
	return newest, d.does(func() { newest = d.newest })
}

func (d *database) Marked(_ context.Context, limit int) (marked []sequencer.Marked, err error) {
	return marked, d.does(func() {
		d.searches++
		marked = append(marked, d.marked[:min(limit, len(d.marked))]...)
	})
}

func (d *database) Clear(_ context.Context, entries []sequencer.Entry) error {
	return d.does(func() {
		for _, e := range entries {
			if len(d.marked) > 0 && d.marked[0].ID == e.ID {
				d.marked = d.marked[1:]
			}
		}
	})
}

func (d *database) Append(_ context.Context, segment sequencer.Segment) (taken bool, err error) {
	return taken, d.does(func() {
		if taken = segment.Number != d.segments+1; !taken {
			d.segments, d.newest = segment.Number, segment
			for _, e := range segment.Entries {
				d.logged[e.ID]++
			}
		}
	})
}

func (d *database) Close(_ context.Context, number int64) (was sequencer.Head, err error) {
	return was, d.does(func() {
		if was = d.head; was.Number <= number {
			d.head.Number, d.head.Closed = number, true
		}
	})
}

func (d *database) Open(_ context.Context, segment sequencer.Segment) error {
	return d.does(func() {
		if d.head.Number < segment.Number {
			d.head = sequencer.Head{Number: segment.Number, Watermark: segment.Watermark}
		}
	})
}

func (d *database) Beat(_ context.Context, number int64, watermark time.Time) error {
	var failed error
	err := d.does(func() {
		if d.failing {
			failed = errors.New("no connection")
		} else if d.head.Number == number && !d.head.Closed && d.head.Watermark.Before(watermark) {
			d.head.Watermark = watermark
			d.beats++
		}
	})
	return errors.Join(err, failed)
}

// TestItCatchesUpAtTwiceTheRate writes for ten minutes without a sequencer, and then goes on writing while one runs. In
// ten minutes more it has moved all to the log, each version once: it moves what is new and as much again.
func TestItCatchesUpAtTwiceTheRate(t *testing.T) {
	const away, every, count = 10 * time.Minute, 100 * time.Millisecond, 50
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(t, 20*time.Millisecond)
		written := 0
		write := func() {
			for range away / every {
				d.write(count)
				written += count
				time.Sleep(every)
			}
		}
		write()
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { sequencer.New(d, time.Now).Run(ctx) })
		write()
		time.Sleep(2 * time.Second) // for the last marks, which are too young
		stop()
		running.Wait()
		if behind := time.Since(d.head.Watermark); len(d.logged) != written || behind > time.Second {
			t.Errorf("%d of %d documents are in the log, which is known up to %v ago", len(d.logged), written, behind)
		}
		for id, times := range d.logged {
			if times != 1 {
				t.Fatalf("%s is in the log %d times", id, times)
			}
		}
	})
}

// TestASlowDatabaseIsAskedLess counts the searches for marks of two sequencers in ten seconds without writes. The one
// that has the work keeps it, however long it waits between two rounds.
func TestASlowDatabaseIsAskedLess(t *testing.T) {
	for takes, most := range map[time.Duration]int{
		time.Millisecond:      49, // 200 ms from one round to the next, and 4 ms for a round
		20 * time.Millisecond: 26, // 320 ms, and 80 ms for a round
		50 * time.Millisecond: 15, // 500 ms, and 200 ms for a round
	} {
		t.Run(takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDatabase(t, takes)
				ctx, stop := context.WithCancel(t.Context())
				var running sync.WaitGroup
				for range 2 {
					running.Go(func() { sequencer.New(d, time.Now).Run(ctx) })
					time.Sleep(30 * time.Millisecond) // no two processes start at the same instant
				}
				time.Sleep(5 * time.Second) // until one has left the work to the other
				d.mu.Lock()
				d.searches, d.beats = 0, 0
				d.mu.Unlock()
				time.Sleep(10 * time.Second)
				stop()
				running.Wait()
				if d.searches > most+2 || d.searches < most/2 {
					t.Errorf("%d searches, want up to %d", d.searches, most+2)
				}
				if d.beats < d.searches-2 {
					t.Errorf("%d searches raised the watermark %d times", d.searches, d.beats)
				}
			})
		})
	}
}

// TestItGoesOnAfterAFailure has the database fail for a while. A second after it is back the watermark is raised again.
func TestItGoesOnAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase(t, time.Millisecond)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { sequencer.New(d, time.Now).Run(ctx) })
		for _, phase := range []struct {
			failing bool
			lasts   time.Duration
		}{{false, time.Second}, {true, 300 * time.Millisecond}, {false, 1300 * time.Millisecond}} {
			d.mu.Lock()
			d.failing, d.beats = phase.failing, 0
			d.mu.Unlock()
			time.Sleep(phase.lasts)
		}
		stop()
		running.Wait()
		if d.beats == 0 {
			t.Error("a second after the failure the watermark is not raised")
		}
	})
}
