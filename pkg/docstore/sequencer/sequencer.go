// Package sequencer makes the log of changes of a database that has no transactions over several documents. Each
// write marks its own document with its instant, in the same update. A sequencer moves what is marked into segments of
// the log, which have dense numbers and never change. Any number of sequencers may run.
//
// Every entry is in the log once, because a segment begins where the last one ended: a sequencer reads the newest
// segment n, takes the versions that n has off the marks, reads what is still marked, and inserts the segment n+1,
// which fails if another one was quicker. Nothing is lost, because a mark goes only with the version that the log has.
// Neither depends on a clock. The clocks of the writers decide the order between documents only.
package sequencer

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

const (
	// Length is the greatest number of documents in a segment.
	Length = 500
	// Delay is how old a mark is when it is moved to the log, so that the marks of slower writes come before it.
	Delay = 50 * time.Millisecond
	// Beat is the time from one heartbeat to the next while nothing is written.
	Beat = 200 * time.Millisecond
	// between is the time from one search for marks to the next, unless a segment was full: the fewer segments, the
	// less a write costs.
	between = 4 * Delay
	// waitFactor bounds what a slow database does for a sequencer, which waits waitFactor times as long as its last
	// round took, half of standby at most: the others must see that it is at work.
	waitFactor = 4
	// standby is how long a sequencer leaves the work to another one that it has seen at work.
	standby = time.Second
	// retryAfter is the time from a failure of the database to the next attempt.
	retryAfter = time.Second
)

// Entry is the versions of a document that a segment has: all from First to Last.
type Entry struct {
	Collection  string
	ID          uuid.UUID
	First, Last int64
	At          time.Time
}

// Segment is a part of the log. Its entries are in order of their instants.
type Segment struct {
	Number  int64
	Entries []Entry
	// Watermark is an instant that no entry of a later segment is before.
	Watermark time.Time
}

// Marked is a document of which the log lacks the versions after Logged.
type Marked struct {
	Collection      string
	ID              uuid.UUID
	Logged, Version int64
	// At is the instant of the first write after the mark was last removed.
	At time.Time
}

// Head is what is known of the log beside its segments.
type Head struct {
	// Number is the number of a stored segment, mostly the newest; 0 if there is none.
	Number int64
	// Closed says that the segment after the one with this number may be stored at any time. While it is set, the
	// watermark does not move.
	Closed bool
	// Watermark is an instant that no entry of a later segment than Number is before.
	Watermark time.Time
}

func (h Head) equal(other Head) bool {
	return h.Number == other.Number && h.Closed == other.Closed && h.Watermark.Equal(other.Watermark)
}

// Database is what a sequencer works on. Each operation on one document is atomic. A write has returned nil once no
// failure takes it back, and every later read sees it.
type Database interface {
	// Head returns the head of the log.
	Head(ctx context.Context) (Head, error)
	// Newest returns the newest segment, which is not older than the segment from; a Segment without a number if
	// there is none.
	Newest(ctx context.Context, from int64) (Segment, error)
	// Marked returns up to limit marked documents, those of the earliest instants, in order of instant.
	Marked(ctx context.Context, limit int) ([]Marked, error)
	// Clear notes that the log has the entries. It removes the mark of each document that is still at the last
	// version of its entry.
	Clear(ctx context.Context, entries []Entry) error
	// Append inserts a segment. taken means that there is one with its number.
	Append(ctx context.Context, segment Segment) (taken bool, err error)
	// Close closes the head for a segment that is there, unless the head is beyond it. It returns the head as it was.
	Close(ctx context.Context, number int64) (Head, error)
	// Open opens the head for a segment that is there, if the head is before it.
	Open(ctx context.Context, segment Segment) error
	// Beat raises the watermark of the head, if the head has the number and is open.
	Beat(ctx context.Context, number int64, watermark time.Time) error
}

// Sequencer makes the log of a database, together with others.
type Sequencer struct {
	database Database
	// clock may be set back.
	clock func() time.Time
	// newest is the newest segment that was seen, and cleared the one whose entries this sequencer has cleared.
	newest, cleared int64
	// seen says since when a mark was seen that is younger than Delay by this process's clock.
	seen map[uuid.UUID]time.Time
	// expected is the head as this sequencer has last seen or changed it; nil before. others is when another one was
	// last seen to have changed it.
	expected *Head
	others   time.Time
}

// New returns a sequencer of a database. Its clock decides nothing but the order between documents.
func New(database Database, clock func() time.Time) *Sequencer {
	return &Sequencer{database: database, clock: clock, seen: map[uuid.UUID]time.Time{}}
}

// Run makes the log until the context ends.
func (s *Sequencer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		moved, err := s.Round(ctx)
		wait := max(between, min(waitFactor*time.Since(began), standby/2))
		switch {
		case err != nil:
			wait = retryAfter
			s.expected = nil // what it has changed is not known
		case time.Since(s.others) < standby:
			wait = standby / 2
		case moved == Length:
			continue
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// Round moves marks to the log once, unless another sequencer does. It returns how many documents it has moved.
func (s *Sequencer) Round(ctx context.Context) (moved int, err error) {
	head, err := s.database.Head(ctx)
	if err != nil {
		return 0, err
	}
	if s.expected != nil && !s.expected.equal(head) {
		s.others = time.Now()
	}
	s.expected = &head
	if time.Since(s.others) < standby {
		return 0, nil
	}
	newest, err := s.database.Newest(ctx, max(s.newest, head.Number))
	if err != nil {
		return 0, err
	}
	if s.newest = newest.Number; s.cleared != newest.Number {
		// First, so that the marks that are read are not in the log yet.
		if err := s.database.Clear(ctx, newest.Entries); err != nil {
			return 0, err
		}
		s.cleared = newest.Number
	}
	marked, err := s.database.Marked(ctx, Length)
	if err != nil {
		return 0, err
	}
	next := Segment{Number: newest.Number + 1, Entries: s.ripe(marked)}
	// Only another segment opens a head that was closed for the newest one.
	closed := head.Closed && head.Number == newest.Number
	if len(next.Entries) == 0 && !closed {
		return 0, s.rest(ctx, head, newest)
	}
	if err := s.append(ctx, newest, next); err != nil {
		return 0, err
	}
	return len(next.Entries), nil
}

// ripe returns the entries of the marks that are old enough: by their instants, or because they were seen long enough
// ago. So a mark whose instant is far in the future is no older than others, but comes.
func (s *Sequencer) ripe(marked []Marked) (entries []Entry) {
	now, clock := time.Now(), s.clock()
	seen := map[uuid.UUID]time.Time{}
	for _, m := range marked {
		since, before := s.seen[m.ID]
		if !before {
			since = now
		}
		if seen[m.ID] = since; clock.Sub(m.At) < Delay && now.Sub(since) < Delay {
			continue
		}
		entries = append(entries, Entry{m.Collection, m.ID, m.Logged + 1, m.Version, m.At})
	}
	s.seen = seen
	return entries
}

// append inserts the segment after the newest. The head is closed first, so that no watermark is given any more that
// an entry could be before.
func (s *Sequencer) append(ctx context.Context, newest, next Segment) error {
	was, err := s.database.Close(ctx, newest.Number)
	if err != nil || was.Number > newest.Number {
		return err
	}
	s.expected = &Head{Number: newest.Number, Closed: true, Watermark: was.Watermark}
	least := newest.Watermark
	if was.Number == newest.Number && was.Watermark.After(least) {
		least = was.Watermark
	}
	next.Watermark = least
	for i := range next.Entries {
		// The entries are in order of instant, so that they stay so.
		if at := &next.Entries[i].At; at.Before(least) {
			*at = least
		} else if at.After(next.Watermark) {
			next.Watermark = *at
		}
	}
	taken, err := s.database.Append(ctx, next)
	if err != nil || taken {
		return err
	}
	s.newest = next.Number
	if err := s.database.Clear(ctx, next.Entries); err != nil {
		return err
	}
	s.cleared = next.Number
	return nil
}

// rest raises the watermark while nothing is written.
func (s *Sequencer) rest(ctx context.Context, head Head, newest Segment) error {
	if head.Number < newest.Number {
		s.expected = &Head{Number: newest.Number, Watermark: newest.Watermark}
		return s.database.Open(ctx, newest)
	}
	watermark := s.clock().Add(-Delay).UTC().Truncate(time.Millisecond)
	if len(s.seen) > 0 || watermark.Sub(head.Watermark) < Beat {
		return nil
	}
	s.expected = &Head{Number: newest.Number, Watermark: watermark}
	return s.database.Beat(ctx, newest.Number, watermark)
}

// Order puts marked documents of several collections in the order of their instants.
func Order(marked []Marked, limit int) []Marked {
	slices.SortStableFunc(marked, func(a, b Marked) int { return a.At.Compare(b.At) })
	return marked[:min(limit, len(marked))]
}
