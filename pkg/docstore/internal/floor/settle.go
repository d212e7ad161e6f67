package floor

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Settle raises State.Least as far as the announcements allow.
func (s *Shared) Settle(ctx context.Context, first, last uuid.UUID) (uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	wanted := Reach(last, time.Now())
	for {
		settled, err := s.raise(ctx, wanted)
		if err != nil {
			return settled, err
		}
		if Less(first, settled) {
			return settled, nil
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return uuid.Nil, ctx.Err()
		}
	}
}

// raise tries once to raise State.Least to what is wanted, and returns what it is then.
func (s *Shared) raise(ctx context.Context, wanted uuid.UUID) (uuid.UUID, error) {
	now, err := s.board.Read(ctx)
	if err != nil {
		return uuid.Nil, err
	}
	s.note(now)
	s.mu.Lock()
	member := s.member
	s.mu.Unlock()
	if Less(now.Wanted, wanted) && len(now.Processes) > 0 {
		if err := s.board.Want(ctx, wanted); err != nil {
			return uuid.Nil, err
		}
		now.Wanted = wanted
		s.note(now)
		if member != "" { // the others see it when they renew theirs
			if now, err = s.renew(ctx, member); err != nil {
				return uuid.Nil, err
			}
		}
	}
	least, dead := s.reach(now, wanted)
	if !Less(now.Least, least) && len(dead) == 0 {
		return now.Least, nil
	}
	least = greater(now.Least, least)
	raised, err := s.board.Raise(ctx, now.Revision, least, dead)
	if err != nil || !raised {
		return now.Least, err
	}
	now.Least = least
	s.note(now)
	return least, nil
}

// reach returns how far State.Least may be raised, and the processes that count as dead, with their beats.
func (s *Shared) reach(now State, wanted uuid.UUID) (least uuid.UUID, dead map[string]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	least, dead = wanted, map[string]int64{}
	for name, process := range now.Processes {
		if time.Since(s.beats[name].since) > Expiry {
			dead[name] = process.Beat
		} else if Less(process.Floor, least) {
			least = process.Floor
		}
	}
	return least, dead
}

// leastAt returns the least id of version 7 of an instant.
func leastAt(at time.Time) (id uuid.UUID) {
	ms := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6], id[8] = 0x70, 0x80
	return id
}
