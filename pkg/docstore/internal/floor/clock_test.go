package floor_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
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

// database is the ids of the documents that several processes share. Its clock is that of the test.
type database struct {
	mu  sync.Mutex
	ids []uuid.UUID
}

// clock returns the clock of a process, which takes the time of the database for so much later than it is.
func (d *database) clock(t *testing.T, wrong time.Duration) *floor.Clock {
	t.Helper()
	c := floor.NewClock(func(context.Context) (time.Time, error) { return time.Now().Add(wrong), nil })
	if err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (d *database) insert(id uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, _ := slices.BinarySearchFunc(d.ids, id, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	d.ids = slices.Insert(d.ids, at, id)
}

// page returns a page of the documents, as a store finds it.
func (d *database) page(ctx context.Context, c *floor.Clock, q docstore.Query) ([]docstore.Document, error) {
	return floor.Find(ctx, c, q, func() (docs []docstore.Document, err error) {
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

// write writes a document under an id, or under a younger one that the clock takes, in the time that it may take.
func (d *database) write(t *testing.T, c *floor.Clock, id uuid.UUID, random *rand.Rand) {
	for {
		left, err := c.Enter(id)
		if err == nil {
			time.Sleep(within(random, left))
			d.insert(id)
			return
		}
		passed, ok := errors.AsType[*docstore.PassedError](err)
		if !ok {
			t.Error(err)
			return
		}
		// As docstore.NewID, which has a time that no bubble begins anew.
		id = idAt(0)
		copy(id[:6], passed.Least[:6])
	}
}

// TestFollowers has three processes write whose clocks differ from that of the database by a second, while readers
// follow the pages. What the processes take for the time of the database is wrong by a fifth of a second.
func TestFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		var writers, readers sync.WaitGroup
		done, seed := make(chan struct{}), chance.Seed(t)
		for n, ahead := range []time.Duration{0, time.Second, -time.Second} {
			c := d.clock(t, ahead/5)
			for m := range 4 {
				writers.Go(func() {
					random := rand.New(rand.NewPCG(seed, uint64(4*n+m)))
					for range 100 {
						id := idAt(ahead)
						time.Sleep(within(random, 800*time.Millisecond)) // what a service asks others for
						d.write(t, c, id, random)
					}
				})
			}
			readers.Go(func() {
				seen := d.follow(t, c, done)
				d.mu.Lock()
				defer d.mu.Unlock()
				if !slices.Equal(seen, d.ids) {
					t.Errorf("a reader saw %d of %d documents", len(seen), len(d.ids))
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
	})
}

// follow follows the pages until the last page after the writes is read.
func (d *database) follow(t *testing.T, c *floor.Clock, done chan struct{}) (seen []uuid.UUID) {
	q := docstore.Query{Limit: 3, Settled: true}
	for last := false; ; {
		select {
		case <-done:
			last = true
		case <-time.After(time.Millisecond):
		}
		docs, err := d.page(t.Context(), c, q)
		if err != nil {
			t.Error(err)
			return seen
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
			return seen
		}
	}
}

// TestAPageWaitsForYoungDocuments: a page of old documents comes at once, and one of young ones after two seconds.
func TestAPageWaitsForYoungDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		c := d.clock(t, 0)
		for range 3 {
			d.insert(idAt(0))
		}
		for _, want := range []time.Duration{2*time.Second + time.Millisecond, 0} {
			began := time.Now()
			docs, err := d.page(t.Context(), c, docstore.Query{Limit: 2, Settled: true})
			if err != nil || len(docs) != 2 || docs[1].Body == nil {
				t.Errorf("the page is %v, error %v", docs, err)
			}
			if took := time.Since(began); took > want || took < want-2*time.Millisecond {
				t.Errorf("the page took %v, want %v", took, want)
			}
		}
	})
}

// TestAnIDFromTheFutureHoldsNoPageForEver: a process whose clock is far ahead has written.
func TestAnIDFromTheFutureHoldsNoPageForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		c := d.clock(t, 0)
		d.insert(idAt(0))
		d.insert(idAt(time.Hour))
		docs, err := d.page(t.Context(), c, docstore.Query{Limit: 2, Settled: true})
		if err != nil || len(docs) != 2 || docs[0].Body == nil || docs[1].Body != nil {
			t.Errorf("the page is %v, error %v", docs, err)
		}
	})
}

// TestClocksThatDifferAreTold: by more than a second, whatever happened before.
func TestClocksThatDifferAreTold(t *testing.T) {
	for wrong, want := range map[time.Duration]string{
		0: "", time.Second: "", -time.Second: "",
		1100 * time.Millisecond: "1.1s behind that", -time.Hour: "1h0m0s ahead of",
	} {
		synctest.Test(t, func(t *testing.T) {
			err := (&database{}).clock(t, wrong).Check()
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("clocks that differ by %v: %v, want %q", wrong, err, want)
			}
		})
	}
}

// TestTheTimeIsReadAgain: the clock of the database was set right after the start.
func TestTheTimeIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wrong atomic.Int64
		var away atomic.Bool
		wrong.Store(int64(time.Hour))
		c := floor.NewClock(func(context.Context) (time.Time, error) {
			if away.Load() {
				return time.Time{}, errors.New("away")
			}
			return time.Now().Add(time.Duration(wrong.Load())), nil
		})
		if err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go c.Keep(ctx, time.Second)
		wrong.Store(0)
		away.Store(true)
		time.Sleep(61 * time.Second)
		if err := c.Check(); err == nil {
			t.Error("a failure has counted")
		}
		away.Store(false)
		time.Sleep(60 * time.Second)
		if err := c.Check(); err != nil {
			t.Error(err)
		}
		cancel()
	})
}
