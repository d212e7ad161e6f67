// Package floor keeps the promise of docstore.Query.Settled: no document appears before one that a settled page has
// returned. An id fixes the place of a document before the document is stored, so a write that is slower than
// another one would appear behind readers who have gone on.
//
// A floor is an id. No write begins with an id below it, and a page is settled below it once the writes that began
// before have ended. Floor is the floor of one process, which waits for its own writes. Clock is that of several, which
// wait until the time of such writes is up.
package floor

import (
	"bytes"
	"sync"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// grace is how old an id may be when its write begins, unless pages have come so close.
const grace = 50 * time.Millisecond

// Floor is the floor of one process. The zero value lets every id in.
type Floor struct {
	mu    sync.Mutex
	least uuid.UUID
}

// Check lets a write with an id begin, or not. Errors: *docstore.PassedError.
func (f *Floor) Check(id uuid.UUID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if Less(id, f.least) {
		return &docstore.PassedError{Least: f.least}
	}
	return nil
}

// Raise refuses the ids below an id from now on. It does not wait for the writes under way.
func (f *Floor) Raise(to uuid.UUID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.least = greater(f.least, to)
}

// Least returns the id below which no write begins.
func (f *Floor) Least() uuid.UUID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.least
}

// Less reports whether an id comes before another.
func Less(a, b uuid.UUID) bool { return bytes.Compare(a[:], b[:]) < 0 }

// Reach returns how far a floor is raised for a page that ends with an id, if no write is under way: the ids that are
// older than writes are given time for are passed as well, so that most pages need not ask again.
func Reach(last uuid.UUID, now time.Time) uuid.UUID {
	return greater(Next(last), docstore.LeastID(now.Add(-grace)))
}

func greater(a, b uuid.UUID) uuid.UUID {
	if Less(a, b) {
		return b
	}
	return a
}

// Next returns the id that follows another, and the greatest for the greatest.
func Next(id uuid.UUID) uuid.UUID {
	if id == uuid.Max {
		return id
	}
	for i := len(id) - 1; ; i-- {
		if id[i]++; id[i] != 0 {
			return id
		}
	}
}
