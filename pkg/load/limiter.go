package load

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// LimiterConfig is the configuration of a Limiter.
type LimiterConfig struct {
	// Wait is how long a request may wait for a slot. If it is 0, nothing is limited.
	Wait time.Duration
	// Most is the greatest number of requests in work, and MostWaiting that of those that wait.
	Most, MostWaiting int
	// Log gets a line when requests are refused, and one each sayEvery as long as they are.
	Log *slog.Logger
}

const (
	// sayEvery is the least time between two lines of the log.
	sayEvery = 10 * time.Second
	// remembered is for how long after its last request could wait a caller is one of those that share.
	remembered = time.Second
	// crowd is how many wait while what else has come is left unread. Else a request with a slot lets that be looked at
	// before its work begins, so that it takes part in the turns. But to read, and to refuse, costs as much as a part
	// of the work.
	crowd = 1024
)

// Limiter gives requests to a service their slots, and has those for which none is free wait in a fair queue. It is
// safe for concurrent use. A nil limiter admits everything.
type Limiter struct {
	config LimiterConfig

	mu    sync.Mutex
	queue queue
	// unsaid is the number of refusals since the last line of the log, at said.
	unsaid int64
	said   time.Time
	state  LimiterState
}

// LimiterState is what a limiter does at present, and has done since its start.
type LimiterState struct {
	// InWork is how many requests are in work, and Waiting how many wait.
	InWork, Waiting int
	// Admitted is how many were, Overloaded how many were refused with 503, and ShareUsedUp with 429.
	Admitted, Overloaded, ShareUsedUp int64
}

// NewLimiter returns a limiter, or nil if requests may not wait.
func NewLimiter(config LimiterConfig) *Limiter {
	if config.Wait == 0 {
		return nil
	}
	config.Most = max(1, config.Most)
	return &Limiter{config: config, queue: queue{lasting: config.Wait + remembered}}
}

// State returns the state of a limiter that is not nil.
func (l *Limiter) State() LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state
	s.InWork, s.Waiting = l.queue.inWork, l.queue.waiting
	return s
}

// Refusal is the error of the requests that are refused because too many are asked for. It is logged for all of them
// together.
var Refusal = problem.New(problem.Overloaded,
	"The exchange is asked for more than it can serve. Nothing was done; send the request again.").
	WithHeader("Retry-After", retryAfter)

// ShareRefusal is the error of the requests of a caller that are refused while those of other callers are served.
var ShareRefusal = problem.New(problem.ShareUsedUp,
	"More is asked for by this caller than its share of what can be served. Nothing was done; send the request again "+
		"when the others have their responses.").
	WithHeader("Retry-After", retryAfter)

type slotKey struct{}

// Begin gives a request of a caller its slot, which it has under the context that is returned until the slot ends. It
// waits if none is free, and returns Refusal or ShareRefusal if it may wait no longer. A request that has a slot
// keeps it: what a service does for it in the process of the gateway was admitted there; the slot that is returned
// then is nil. A request whose context ends leaves the queue.
func (l *Limiter) Begin(ctx context.Context, caller Caller) (
	under context.Context, slot *Slot, refused *problem.Error,
) {
	if l == nil || ctx.Value(slotKey{}) != nil {
		return ctx, nil, nil
	}
	slot = l.enter(caller)
	if slot.decided != nil {
		if refused = l.await(ctx, slot); refused != nil {
			return ctx, nil, refused
		}
	}
	if !slot.crowded {
		runtime.Gosched()
	}
	return context.WithValue(ctx, slotKey{}, slot), slot, nil
}

// enter has a request be in work if a slot is free, and else wait.
func (l *Limiter) enter(who Caller) *Slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	slot := &Slot{limiter: l}
	slot.account, slot.caller = l.queue.find(who, time.Now())
	if l.queue.inWork < l.config.Most { // nothing waits then
		l.begin(slot)
		return slot
	}
	slot.decided = make(chan struct{})
	l.queue.add(slot)
	if l.queue.waiting > l.config.MostWaiting {
		l.refuse(l.queue.worst())
	}
	return slot
}

// begin gives a request its slot.
func (l *Limiter) begin(slot *Slot) {
	slot.work(1)
	slot.crowded = l.queue.waiting >= crowd
	l.state.Admitted++
}

// dispatch gives the free slots to those that wait.
func (l *Limiter) dispatch() {
	for l.queue.waiting > 0 && l.queue.inWork < l.config.Most {
		slot := l.queue.next()
		l.begin(slot)
		close(slot.decided)
	}
}

// await returns when a request that waits has its slot, or why it gets none.
func (l *Limiter) await(ctx context.Context, slot *Slot) *problem.Error {
	late := time.NewTimer(l.config.Wait)
	defer late.Stop()
	left := false
	select {
	case <-slot.decided:
	case <-late.C:
	case <-ctx.Done():
		left = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case slot.place == nil: // it is decided
	case left:
		l.queue.remove(slot)
		slot.refused = Refusal // which nobody reads
	default:
		l.refuse(slot)
	}
	return slot.refused
}

// refuse refuses a request that waits.
func (l *Limiter) refuse(slot *Slot) {
	if l.queue.overShare(slot) {
		slot.refused = ShareRefusal
		l.state.ShareUsedUp++
	} else {
		slot.refused = Refusal
		l.state.Overloaded++
	}
	l.queue.remove(slot)
	close(slot.decided)
	l.unsaid++
	l.say(time.Now())
}

// say logs that requests are refused, unless it did so a short time ago.
func (l *Limiter) say(now time.Time) {
	if !l.said.IsZero() && now.Sub(l.said) < sayEvery {
		return
	}
	l.config.Log.Warn("more is asked for than can be served: requests are refused with 503 or 429", "limit",
		l.config.Most, "refused", l.unsaid)
	l.said, l.unsaid = now, 0
}
