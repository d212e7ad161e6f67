package load

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Large is the size in bytes from which on the work on a body, or on a stored record, waits for a turn. It takes a
// processor for milliseconds, and ordinary requests must not wait for it.
const Large = 64 << 10

// mostWaiting is how many requests may wait for a turn, and shareWaiting how many of them may be those of one caller.
const (
	mostWaiting  = 64
	shareWaiting = mostWaiting / 2
)

// Turns bounds how many large requests are worked on at a time, so that processors are left for all others. Those
// that wait are served in the order in which they came.
type Turns struct {
	// free holds an element for each turn that nobody has.
	free chan struct{}
	// longest is how long a request waits.
	longest time.Duration
	refused atomic.Int64

	mu      sync.Mutex
	waiting int
	// callers holds how many requests of each caller wait, if any.
	callers map[string]int
}

// NewTurns returns a number of turns; half of the processors, and at least one, for 0. longest is how long a request
// waits for one.
func NewTurns(count int, longest time.Duration) *Turns {
	if count == 0 {
		count = max(1, runtime.GOMAXPROCS(0)/2)
	}
	t := &Turns{free: make(chan struct{}, count), longest: longest, callers: map[string]int{}}
	for range count {
		t.free <- struct{}{}
	}
	return t
}

// Taken returns how many turns are taken.
func (t *Turns) Taken() int { return cap(t.free) - len(t.free) }

// Waiting returns how many requests wait for a turn.
func (t *Turns) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting
}

// Refused returns how many requests got no turn, because too many waited or they had waited for too long.
func (t *Turns) Refused() int64 { return t.refused.Load() }

// awaitTurn waits until a request may begin to work on something of a size in bytes. The request has the turn until
// endTurn, or until it ends. Anything smaller than Large needs no turn. A request takes at most one: what another
// service does for it in the same process is part of its turn. waited reports whether other requests had their turns
// before, which may have changed what this one has read. Errors: problem.Overloaded if too many requests wait or this
// one has waited for too long; problem.ShareUsedUp if too many of its caller wait; the error of the context.
func (a *account) awaitTurn(ctx context.Context, bytes int) (waited bool, err error) {
	if bytes < Large || a.budget.turns == nil {
		return false, nil
	}
	caller, has := a.turnOf()
	if has {
		return false, nil
	}
	if waited, err = a.budget.turns.take(ctx, caller); err != nil {
		return waited, err
	}
	a.beginTurn()
	return waited, nil
}

// turnOf returns who takes a turn for the request, and whether it has one.
func (a *account) turnOf() (caller string, has bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.caller, a.turn
}

// beginTurn notes that the request has the turn it waited for. It gives the turn back at once if the request has ended,
// or if another goroutine of the same request got one meanwhile.
func (a *account) beginTurn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turn || a.closed {
		a.budget.turns.give()
		return
	}
	a.turn = true
}

// endTurn gives back the turn of a request, if it has one: when its response begins, so that a client that reads slowly
// keeps no other waiting.
func (a *account) endTurn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turn {
		a.turn = false
		a.budget.turns.give()
	}
}

func (t *Turns) give() { t.free <- struct{}{} }

// take takes a turn, and reports whether it had to be waited for.
func (t *Turns) take(ctx context.Context, caller string) (waited bool, err error) {
	select {
	case <-t.free: // nobody waits
		return false, nil
	default:
	}
	if err := t.enter(caller); err != nil {
		t.refused.Add(1)
		return false, err
	}
	defer t.leave(caller)
	late := time.NewTimer(t.longest)
	defer late.Stop()
	select {
	case <-t.free:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	case <-late.C:
		t.refused.Add(1)
		return true, overloaded()
	}
}

// enter counts a request as waiting, unless too many are.
func (t *Turns) enter(caller string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.callers[caller] >= shareWaiting:
		return shareUsedUp()
	case t.waiting >= mostWaiting:
		return overloaded()
	}
	t.waiting++
	t.callers[caller]++
	return nil
}

func (t *Turns) leave(caller string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting--
	if t.callers[caller]--; t.callers[caller] == 0 {
		delete(t.callers, caller)
	}
}
