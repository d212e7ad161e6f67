package floor_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/floor"
)

// database is the board and the ids of the documents that several processes share.
type database struct {
	mu    sync.Mutex
	state floor.State
	ids   []uuid.UUID
}

func (d *database) Read(context.Context) (floor.State, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now(), nil
}

func (d *database) now() floor.State {
	now := d.state
	now.Processes = maps.Clone(d.state.Processes)
	return now
}

func (d *database) Join(_ context.Context, process string, least uuid.UUID) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if floor.Less(least, d.state.Least) {
		return false, nil
	}
	if d.state.Processes == nil {
		d.state.Processes = map[string]floor.Announced{}
	}
	d.state.Processes[process] = floor.Announced{Floor: least}
	d.state.Revision++
	return true, nil
}

func (d *database) Renew(_ context.Context, process string, least uuid.UUID) (floor.State, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	announced, member := d.state.Processes[process]
	if member {
		d.state.Processes[process] = floor.Announced{Floor: least, Beat: announced.Beat + 1}
	}
	return d.now(), member, nil
}

func (d *database) Want(_ context.Context, wanted uuid.UUID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if floor.Less(d.state.Wanted, wanted) {
		d.state.Wanted = wanted
	}
	return nil
}

func (d *database) Leave(_ context.Context, process string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.state.Processes, process)
	return nil
}

func (d *database) Raise(_ context.Context, revision int64, least uuid.UUID, dead map[string]int64) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for process, beat := range dead {
		if d.state.Processes[process].Beat != beat {
			return false, nil
		}
	}
	if d.state.Revision != revision {
		return false, nil
	}
	for process := range dead {
		delete(d.state.Processes, process)
	}
	d.state.Least = least
	d.state.Revision++
	return true, nil
}

func (d *database) insert(id uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, _ := slices.BinarySearchFunc(d.ids, id, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	d.ids = slices.Insert(d.ids, at, id)
}

// page returns a page of the documents, as a store finds it.
func (d *database) page(ctx context.Context, s *floor.Shared, q docstore.Query) ([]docstore.Document, error) {
	return floor.Find(ctx, s, q, func() (docs []docstore.Document, err error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, id := range d.ids {
			if floor.Less(q.After, id) && len(docs) < q.Limit {
				docs = append(docs, docstore.Document{ID: id, Body: []byte("{}")})
			}
		}
		return docs, nil
	})
}

// pausable is a process's connection to the database, which waits while the process is paused.
type pausable struct {
	*database
	// paused is closed when the process goes on; nil until it is paused.
	paused atomic.Pointer[chan struct{}]
}

func (p *pausable) Renew(ctx context.Context, process string, least uuid.UUID) (floor.State, bool, error) {
	if paused := p.paused.Load(); paused != nil {
		<-*paused
	}
	return p.database.Renew(ctx, process, least)
}

// idAt returns a new id of a clock that is ahead.
func idAt(ahead time.Duration) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	ms := time.Now().Add(ahead).UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	return id
}

// within returns a random time below a bound.
func within(random *rand.Rand, bound time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(bound)))
}

// usual is how long a write takes.
const usual = 20 * time.Millisecond

// write writes a document under an id, or one that the floor takes, and takes a while for it.
func (d *database) write(t *testing.T, s *floor.Shared, id uuid.UUID, takes time.Duration) {
	for {
		err := s.Enter(t.Context(), id)
		if err == nil {
			break
		}
		passed, ok := errors.AsType[*docstore.PassedError](err)
		if !ok {
			t.Error(err)
			return
		}
		if id, err = docstore.NewID(passed.Least); err != nil {
			t.Error(err)
		}
	}
	defer s.Leave(id)
	time.Sleep(takes)
	d.insert(id)
}

// TestFollowers has three processes write whose clocks differ by five seconds, while readers follow the pages.
func TestFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		var writers, readers sync.WaitGroup
		done, seed := make(chan struct{}), chance.Seed(t)
		for n, ahead := range []time.Duration{0, 5 * time.Second, -5 * time.Second} {
			s := floor.Share(d)
			t.Cleanup(func() { s.Close(context.Background()) })
			for m := range 4 {
				writers.Go(func() {
					random := rand.New(rand.NewPCG(seed, uint64(4*n+m)))
					for range 100 {
						id := idAt(ahead)
						time.Sleep(within(random, 80*time.Millisecond))
						d.write(t, s, id, within(random, 2*usual))
					}
					time.Sleep(within(random, 2*time.Second)) // and some rest, and begin again
					d.write(t, s, idAt(ahead), usual)
				})
			}
			readers.Go(func() {
				seen, held := d.follow(t, s, done)
				d.mu.Lock()
				defer d.mu.Unlock()
				if !slices.Equal(seen, d.ids) {
					t.Errorf("a reader saw %d of %d documents", len(seen), len(d.ids))
				}
				if held > 3 {
					t.Errorf("%d pages were held back for longer than the patience", held)
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
	})
}

// follow follows the pages until the last page after the writes is read. held counts the pages that were refused.
func (d *database) follow(t *testing.T, s *floor.Shared, done chan struct{}) (seen []uuid.UUID, held int) {
	q := docstore.Query{Limit: 3, Settled: true}
	for last := false; ; {
		select {
		case <-done:
			last = true
		case <-time.After(time.Millisecond):
		}
		docs, err := d.page(t.Context(), s, q)
		if errors.Is(err, docstore.ErrUnavailable) {
			held++
			continue
		}
		if len(docs) == q.Limit || len(docs) > 0 && docs[len(docs)-1].Body == nil {
			docs = docs[:len(docs)-1]
		} else if !last {
			continue
		}
		for _, doc := range docs {
			seen = append(seen, doc.ID)
		}
		if q.After = seen[len(seen)-1]; last && q.After == d.ids[len(d.ids)-1] {
			return seen, held
		}
	}
}

// TestDeath has a process stop in the middle of a write. It holds the pages back until it has expired. When it goes
// on, it may not write with the old id.
func TestDeath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		connection := &pausable{database: d}
		paused, reads := floor.Share(connection), floor.Share(d)
		defer reads.Close(context.Background())
		defer paused.Close(context.Background())
		young := idAt(0)
		if err := paused.Enter(t.Context(), young); err != nil {
			t.Fatal(err)
		}
		goesOn := make(chan struct{})
		connection.paused.Store(&goesOn)
		for range 3 {
			d.write(t, reads, idAt(0), usual)
		}
		began := time.Now()
		for {
			_, err := d.page(t.Context(), reads, docstore.Query{Limit: 3, Settled: true})
			if err == nil {
				break
			}
			if !errors.Is(err, docstore.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		if held := time.Since(began); held < floor.Expiry-time.Second || held > 2*floor.Expiry {
			t.Errorf("the pages were held back for %v, want about %v", held, floor.Expiry)
		}
		paused.Leave(young)
		go func() {
			time.Sleep(time.Millisecond)
			close(goesOn)
		}()
		if _, passed := errors.AsType[*docstore.PassedError](paused.Enter(t.Context(), young)); !passed {
			t.Error("a process that was taken for dead writes with an id that is passed")
		}
	})
}

// slow is a board whose announcements take a while. It counts them.
type slow struct {
	*database
	takes     time.Duration
	announced atomic.Int64
}

func (s *slow) Renew(ctx context.Context, process string, least uuid.UUID) (floor.State, bool, error) {
	s.announced.Add(1)
	time.Sleep(s.takes)
	return s.database.Renew(ctx, process, least)
}

// TestASlowBoardIsAskedLess counts the announcements of a process that writes for ten seconds, and measures how long a
// reader waits for them.
func TestASlowBoardIsAskedLess(t *testing.T) {
	const least, most, poll = 50 * time.Millisecond, 500 * time.Millisecond, 20 * time.Millisecond
	for _, takes := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		pause := min(max(least, 10*takes), most)
		announced := int64(10*time.Second/(pause+takes)) + 2
		// What is under way may have begun before the reader asked, and the next one says how far it is.
		waits := pause + takes + least + takes + 2*poll
		t.Run(takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &database{}
				b := &slow{database: d, takes: takes}
				writer, reader := floor.Share(b), floor.Share(d)
				defer writer.Close(context.Background())
				for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
					d.write(t, writer, idAt(0), usual)
				}
				if got := b.announced.Load(); got > announced || got < announced/2 {
					t.Errorf("%d announcements, want up to %d", got, announced)
				}
				last := idAt(0)
				d.write(t, writer, last, usual)
				began := time.Now()
				if _, err := reader.Settle(t.Context(), last, last); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(began); got > waits {
					t.Errorf("the reader waited %s, want %s at most", got, waits)
				}
			})
		})
	}
}
