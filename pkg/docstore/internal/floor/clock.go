package floor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// The times of a floor that is kept by the clock of a database.
const (
	// age is how old an id may be when its insert begins, and Longest how long an insert may take from then on.
	age     = 500 * time.Millisecond
	Longest = time.Second
	// behind is how long ago the ids are below which a page is settled. What is left of it after age and Longest is
	// for what the estimates of two processes differ by.
	behind = 2 * time.Second
	// apart is by how much the clock of a process may differ from that of the database.
	apart = time.Second
	// rereadAfter is the time from one look at the clock of the database to the next.
	rereadAfter = time.Minute
)

// Clock is the floor of processes that share a database, by the clock of that. No insert begins with an id that is
// older than age, and each has ended, or is not acknowledged, before its id is so old that a page may go on after it.
// It holds as long as what the processes take for the time of the database differs by less than half a second.
//
// Between two looks at the database the time goes by the monotonic clock of the process, so that a correction of its
// wall clock plays no part.
type Clock struct {
	read func(context.Context) (time.Time, error)

	mu sync.Mutex
	// at is an instant of this process, and the database's time was there then.
	at, there time.Time
}

// NewClock returns a clock that reads the time of a database. It has to be read before it is used.
func NewClock(read func(context.Context) (time.Time, error)) *Clock { return &Clock{read: read} }

// Read looks at the time of the database.
func (c *Clock) Read(ctx context.Context) error {
	sent := time.Now()
	there, err := c.read(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// It was read somewhere between the question and the response.
	c.at, c.there = sent.Add(time.Since(sent)/2), there
	return nil
}

// Keep reads the time every minute until the context ends. After a failure the former one counts.
func (c *Clock) Keep(ctx context.Context, timeout time.Duration) {
	for {
		select {
		case <-time.After(rereadAfter):
		case <-ctx.Done():
			return
		}
		bounded, cancel := context.WithTimeout(ctx, timeout)
		_ = c.Read(bounded)
		cancel()
	}
}

// now returns what the time of the database is.
func (c *Clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.there.Add(time.Since(c.at))
}

// Check returns an error if the clocks of the process and of the database differ by more than a second.
func (c *Clock) Check() error {
	now := time.Now().Round(0) // the wall clock
	difference := now.Sub(c.now()).Round(time.Millisecond)
	if difference.Abs() <= apart {
		return nil
	}
	is := "ahead of"
	if difference < 0 {
		is = "behind"
	}
	return fmt.Errorf("the clock of this process is %v %s that of the database, and may differ by %v: set it right",
		difference.Abs(), is, apart)
}

// Enter begins an insert with an id, and returns for how long it may go on: what has not been acknowledged then must
// not be. Errors: *docstore.PassedError.
func (c *Clock) Enter(id uuid.UUID) (left time.Duration, err error) {
	now := c.now()
	if least := docstore.LeastID(now.Add(-age)); Less(id, least) {
		return 0, &docstore.PassedError{Least: docstore.LeastID(now)}
	}
	return Longest, nil
}

// Least returns an id below which every insert has ended.
func (c *Clock) Least() uuid.UUID { return docstore.LeastID(c.now().Add(-behind)) }

// Settle waits until every insert up to an id has ended. For an id that lies in the future, of a clock that is ahead,
// it waits as long as it would if clocks differed by as much as they may.
func (c *Clock) Settle(ctx context.Context, _, last uuid.UUID) (uuid.UUID, error) {
	wait := docstore.CreatedAt(last).Add(behind + time.Millisecond).Sub(c.now())
	select {
	case <-time.After(min(wait, behind+2*apart)):
		return c.Least(), nil
	case <-ctx.Done():
		return uuid.Nil, ctx.Err()
	}
}
