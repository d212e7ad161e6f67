package floor

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
)

// The times of a shared floor.
const (
	// grace is how old an id may be when its write begins, unless pages have come so close.
	grace = 50 * time.Millisecond
	// renewal is the time from one announcement of a process that writes to the next. A database that takes long for
	// one gets fewer, unless a reader waits for them: the next comes after waitFactor times as long, longestWait at
	// most.
	renewal     = 50 * time.Millisecond
	waitFactor  = 10
	longestWait = 500 * time.Millisecond
	// rest is the time without writes after which a process takes its announcement back.
	rest = time.Second
	// Expiry is the time without an announcement after which a process counts as dead.
	Expiry = 10 * time.Second
	// trust is the time after an announcement in which writes may begin. What is left until the expiry is the time
	// that the network and a pause of the process may take.
	trust = 2 * time.Second
	// patience is how long a page waits for the writes under way.
	patience = 2 * time.Second
	// settling is the time between two tries to end a write with an unknown outcome.
	settling = 500 * time.Millisecond
	// poll is the time between two looks at the board.
	poll = 20 * time.Millisecond
)

// Announced is what a process has announced: it gives no id below the floor. Each announcement has another beat.
type Announced struct {
	Floor uuid.UUID
	Beat  int64
}

// State is what the board says.
type State struct {
	// Least is the id below which pages are settled. It never falls.
	Least uuid.UUID
	// Wanted is the id below which a reader wants the pages to be settled. It never falls.
	Wanted uuid.UUID
	// Revision changes with Least and with each process that joins.
	Revision int64
	// Processes are the announcements by the names of the processes.
	Processes map[string]Announced
}

// Board is the document of a database on which processes announce their floors. Each operation is atomic and durable.
type Board interface {
	// Read returns what the board says.
	Read(ctx context.Context) (State, error)
	// Join announces a process, unless the floor is below State.Least; then joined is false.
	Join(ctx context.Context, process string, floor uuid.UUID) (joined bool, err error)
	// Renew announces another floor of a process. member is false if the process has no announcement.
	Renew(ctx context.Context, process string, floor uuid.UUID) (now State, member bool, err error)
	// Want raises State.Wanted.
	Want(ctx context.Context, wanted uuid.UUID) error
	// Leave takes the announcement of a process back.
	Leave(ctx context.Context, process string) error
	// Raise sets State.Least and removes the processes that are dead, if the revision and the beats of the dead are
	// still those named.
	Raise(ctx context.Context, revision int64, least uuid.UUID, dead map[string]int64) (raised bool, err error)
}

// Shared is a floor that processes share. A page is settled below State.Least, which is raised only as far as every
// process has announced that it gives no lower id. A process that joins begins at State.Least or above. So no document
// appears below, whatever the clocks of the processes say. Processes raise their floors to State.Wanted: while nobody
// reads pages that come close to what is written, no id is refused.
//
// A process that ends without leaving holds the pages back for Expiry. One that was paused finds out that it is no
// member any more, and joins again.
type Shared struct {
	board  Board
	closed context.Context
	close  context.CancelFunc
	work   sync.WaitGroup
	// announcing is held during an announcement.
	announcing chan struct{}

	mu    sync.Mutex
	local Floor
	// member is the name of this process on the board; empty if it has none. announced is its floor there.
	member    string
	announced uuid.UUID
	// confirmed is when the last announcement that the board has was sent, and used when the last write began.
	confirmed, used time.Time
	// settled and wanted are the greatest State.Least and State.Wanted that were seen.
	settled, wanted uuid.UUID
	// beats says since when each process has been seen with its beat.
	beats map[string]beat
}

type beat struct {
	of    int64
	since time.Time
}

// Share returns the floor of a board.
func Share(board Board) *Shared {
	s := &Shared{board: board, announcing: make(chan struct{}, 1), beats: map[string]beat{}}
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// Enter begins a write with an id. Errors: *docstore.PassedError, docstore.ErrUnavailable.
func (s *Shared) Enter(ctx context.Context, id uuid.UUID) error {
	for {
		if done, err := s.enter(id); done {
			return err
		}
		if err := s.announce(ctx); err != nil {
			return unavailable(err)
		}
	}
}

// enter is Enter for a process that has announced its floor of late.
func (s *Shared) enter(id uuid.UUID) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.trusted(now) {
		return false, nil
	}
	s.used = now
	return true, s.local.Enter(id)
}

// trusted reports whether the board is known to have an announcement of this process.
func (s *Shared) trusted(now time.Time) bool { return s.member != "" && now.Sub(s.confirmed) < trust }

// Leave ends a write: it is stored or never will be.
func (s *Shared) Leave(id uuid.UUID) { s.local.Leave(id) }

// Await leaves a write with an unknown outcome once its end is known: end makes sure of it, and reports whether it did.
func (s *Shared) Await(id uuid.UUID, end func(context.Context) bool) {
	s.work.Go(func() {
		for !end(s.closed) {
			select {
			case <-time.After(settling):
			case <-s.closed.Done():
				return
			}
		}
		s.Leave(id)
	})
}

// Least returns an id below which every write has ended.
func (s *Shared) Least() uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled
}

// Close takes the announcement back. No write may be under way.
func (s *Shared) Close(ctx context.Context) {
	s.close()
	s.work.Wait()
	s.mu.Lock()
	member := s.member
	s.member = ""
	s.mu.Unlock()
	if member != "" {
		_ = s.board.Leave(ctx, member) // else it expires
	}
}

// announce renews the announcement of this process, or joins the others, unless another goroutine has just done so.
func (s *Shared) announce(ctx context.Context) error {
	select {
	case s.announcing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed.Done():
		return errors.New("the store is closed")
	}
	defer func() { <-s.announcing }()
	s.mu.Lock()
	member, trusted := s.member, s.trusted(time.Now())
	s.mu.Unlock()
	switch {
	case trusted:
		return nil
	case member == "":
		return s.join(ctx)
	default:
		_, err := s.renew(ctx, member)
		return err
	}
}

// join announces this process under a new name: an announcement that was taken back may yet be removed.
func (s *Shared) join(ctx context.Context) error {
	name := rand.Text()
	for {
		now, err := s.board.Read(ctx)
		if err != nil {
			return err
		}
		s.note(now)
		sent := time.Now()
		floor := s.promise()
		joined, err := s.board.Join(ctx, name, floor)
		if err != nil {
			s.forsake(name)
			return err
		}
		if !joined {
			continue
		}
		s.mu.Lock()
		s.member, s.announced, s.confirmed, s.used = name, floor, sent, time.Now()
		s.mu.Unlock()
		s.work.Go(func() { s.keep(name) })
		return nil
	}
}

// forsake removes an announcement that may be there.
func (s *Shared) forsake(name string) {
	ctx, cancel := context.WithTimeout(s.closed, patience)
	s.work.Go(func() {
		defer cancel()
		_ = s.board.Leave(ctx, name) // else it expires
	})
}

// promise refuses the ids that are passed from now on, and returns the least that is not.
func (s *Shared) promise() uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.local.Raise(greater(s.settled, s.wanted))
	return s.local.Least()
}

// renew announces the floor of a member, and returns what the board says.
func (s *Shared) renew(ctx context.Context, member string) (State, error) {
	sent := time.Now()
	s.promise()
	lowest, _ := s.local.Lowest()
	s.mu.Lock()
	// A write of an earlier membership may be lower, and is not protected any more.
	floor := greater(lowest, s.announced)
	s.mu.Unlock()
	now, still, err := s.board.Renew(ctx, member, floor)
	if err != nil {
		return now, err
	}
	s.note(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.member != member:
	case !still:
		s.member = ""
	default:
		s.announced, s.confirmed = greater(floor, s.announced), sent
	}
	return now, nil
}

// note keeps what the board says.
func (s *Shared) note(now State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled, s.wanted = greater(s.settled, now.Least), greater(s.wanted, now.Wanted)
	at := time.Now()
	for name, process := range now.Processes {
		if seen, known := s.beats[name]; !known || seen.of != process.Beat {
			s.beats[name] = beat{process.Beat, at}
		}
	}
	for name := range s.beats {
		if _, there := now.Processes[name]; !there {
			delete(s.beats, name)
		}
	}
}

// keep renews the announcement of a member until it has not written for a while, and then takes it back.
func (s *Shared) keep(member string) {
	var took time.Duration
	for {
		select {
		case <-time.After(s.pause(took)):
		case <-s.closed.Done():
			return
		}
		if s.retire(member) {
			s.forsake(member)
			return
		}
		s.mu.Lock()
		gone := s.member != member
		s.mu.Unlock()
		if gone {
			return
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(s.closed, patience)
		_, _ = s.renew(ctx, member) // else the next one does
		cancel()
		took = time.Since(began)
	}
}

// pause returns the time until the next announcement, given how long the last one took.
func (s *Shared) pause(took time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if Less(s.announced, s.wanted) {
		return renewal
	}
	return min(max(renewal, waitFactor*took), longestWait)
}

// retire ends the membership of a process that has not written for a while, and reports whether it did.
func (s *Shared) retire(member string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, busy := s.local.Lowest()
	if s.member != member || busy || time.Since(s.used) < rest {
		return false
	}
	s.member = ""
	return true
}
