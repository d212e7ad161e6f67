package load

import (
	"container/list"
	"time"
)

// Callers that have nothing in work are remembered for as long as requests may wait and remembered, mostIdle of them.
const (
	remembered = time.Second
	mostIdle   = 1024
)

// shares is who shares what can be in work: who has something there, or has asked a short time ago. So who asks for too
// much is known beside others that have nothing waiting. It is not safe for concurrent use.
type shares struct {
	// lasting is how long who has nothing in work is one of them.
	lasting  time.Duration
	inWork   int
	accounts map[string]*sharer
	// idle holds the callers that have nothing in work, in the order in which they were last seen.
	idle list.List
}

// sharer is one who shares: an account, or one of its callers.
type sharer struct {
	name   string
	inWork int
	// over is when it had more than its share last.
	over time.Time
	// An account has its callers.
	callers map[string]*sharer
	// A caller has its account. While it has nothing in work it has been seen last at an instant.
	account *sharer
	seen    time.Time
	idle    *list.Element // in shares.idle
}

func newShares(lasting time.Duration) *shares {
	return &shares{lasting: lasting, accounts: map[string]*sharer{}}
}

// see notes that a caller asks at an instant.
func (s *shares) see(caller Caller, now time.Time) {
	s.forget(now)
	if c := s.sharer(caller); c.inWork == 0 {
		s.rest(c, now)
	}
}

// forget removes those that were seen too long ago, or are too many.
func (s *shares) forget(now time.Time) {
	for front := s.idle.Front(); front != nil; front = s.idle.Front() {
		c := front.Value.(*sharer)
		if s.idle.Len() <= mostIdle && now.Sub(c.seen) <= s.lasting {
			return
		}
		s.idle.Remove(front)
		if delete(c.account.callers, c.name); len(c.account.callers) == 0 {
			delete(s.accounts, c.account.name)
		}
	}
}

// begin counts a request of a caller as in work, and end as no longer so.
func (s *shares) begin(caller Caller) *sharer {
	c := s.sharer(caller)
	if c.idle != nil {
		s.idle.Remove(c.idle)
		c.idle = nil
	}
	s.count(c, 1)
	return c
}

func (s *shares) end(c *sharer, now time.Time) {
	if s.count(c, -1); c.inWork == 0 {
		s.rest(c, now)
	}
}

func (s *shares) count(c *sharer, by int) {
	s.inWork += by
	c.account.inWork += by
	c.inWork += by
}

// sharer returns a caller, which is one of those that share from now on.
func (s *shares) sharer(caller Caller) *sharer {
	account := s.accounts[caller.Account]
	if account == nil {
		account = &sharer{name: caller.Account, callers: map[string]*sharer{}}
		s.accounts[caller.Account] = account
	}
	c := account.callers[caller.Name]
	if c == nil {
		c = &sharer{name: caller.Name, account: account}
		account.callers[caller.Name] = c
	}
	return c
}

// rest notes that a caller has nothing in work, and was seen at an instant.
func (s *shares) rest(c *sharer, now time.Time) {
	c.seen = now
	if c.idle == nil {
		c.idle = s.idle.PushBack(c)
	} else {
		s.idle.MoveToBack(c.idle)
	}
}

// usedUp reports whether the account of a request that waits has more than its share at an instant, or had so a short
// time ago, or its caller more than its share of that: in work and waiting together. All have equal shares of what is
// in work and waits. One request is never too much.
func (s *shares) usedUp(w *waiter, waiting int, now time.Time) bool {
	account := s.accounts[w.caller.Account]
	if account == nil {
		return false // it was forgotten for others
	}
	share := (s.inWork + waiting) / len(s.accounts)
	over := account.overSince(w.account.waiting, share, now)
	if c := account.callers[w.caller.Name]; c != nil {
		over = c.overSince(w.line.waiting, share/len(account.callers), now) || over
	}
	return over
}

// overSince reports whether a sharer has more than a share, or had so a short time ago.
func (c *sharer) overSince(waiting, share int, now time.Time) bool {
	if c.inWork+waiting > max(1, share) {
		c.over = now
	}
	return now.Sub(c.over) <= remembered
}
