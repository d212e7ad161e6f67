package load

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// LimiterConfig is the configuration of a Limiter.
type LimiterConfig struct {
	// Wait is how long a request may wait for a slot.
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
// safe for concurrent use.
type Limiter struct {
	config LimiterConfig

	mu sync.Mutex
	// all is everybody who has something here. Who has nothing any more was forgotten at swept, a while after.
	all   party
	swept time.Time
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

// NewLimiter returns a limiter.
func NewLimiter(config LimiterConfig) *Limiter { return &Limiter{config: config} }

// State returns the state of the limiter.
func (l *Limiter) State() LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state
	s.InWork, s.Waiting = l.all.inWork, l.all.waiting
	return s
}

// Refusal is the error of the requests that are refused because too many are asked for. It is logged for all of them
// together.
var Refusal = later(problem.Overloaded,
	"The exchange is asked for more than it can serve. Nothing was done; send the request again.")

// ShareRefusal is the error of the requests of a caller that are refused while those of other callers are served.
var ShareRefusal = later(problem.ShareUsedUp,
	"More is asked for by this caller than its share of what can be served. Nothing was done; send the request again "+
		"when the others have their responses.")

// later returns the error of a request that may be sent again after a second: what fills a service ends within that,
// mostly.
func later(kind problem.Kind, detail string) *problem.Error {
	return problem.New(kind, detail).WithHeader("Retry-After", "1")
}

// Begin gives a request of a caller its slot. It waits if none is free, and returns Refusal or ShareRefusal if it may
// wait no longer. A request whose context ends leaves the queue.
func (l *Limiter) Begin(ctx context.Context, caller Caller) (*Slot, *problem.Error) {
	slot := l.enter(caller)
	if slot.decided != nil {
		if refused := l.await(ctx, slot); refused != nil {
			return nil, refused
		}
	}
	if !slot.crowded {
		runtime.Gosched()
	}
	return slot, nil
}

// enter has a request be in work if a slot is free, and else wait.
func (l *Limiter) enter(who Caller) *Slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, lasting := time.Now(), l.config.Wait+remembered
	if now.Sub(l.swept) > lasting {
		l.all.forget(now.Add(-lasting))
		l.swept = now
	}
	slot := &Slot{limiter: l, caller: l.all.part(who.Account, now).part(who.Name, now)}
	if l.all.inWork < l.config.Most { // nothing waits then
		l.begin(slot)
		return slot
	}
	slot.decided = make(chan struct{})
	slot.turn = slot.caller.turns.PushBack(slot)
	slot.caller.wait(1)
	if l.all.waiting > l.config.MostWaiting {
		l.refuse(l.all.worst())
	}
	return slot
}

// leave has a request wait no longer.
func (l *Limiter) leave(slot *Slot) {
	slot.caller.turns.Remove(slot.turn)
	slot.turn = nil
	slot.caller.wait(-1)
	close(slot.decided)
}

// begin gives a request its slot.
func (l *Limiter) begin(slot *Slot) {
	slot.work()
	slot.crowded = l.all.waiting >= crowd
	l.state.Admitted++
}

// dispatch gives the free slots to those that wait.
func (l *Limiter) dispatch() {
	for l.all.waiting > 0 && l.all.inWork < l.config.Most {
		slot := l.all.next()
		l.leave(slot)
		l.begin(slot)
	}
}

// await returns when a request that waits has its slot, or why it gets none.
func (l *Limiter) await(ctx context.Context, slot *Slot) *problem.Error {
	patient, cancel := context.WithTimeout(ctx, l.config.Wait)
	defer cancel()
	select {
	case <-slot.decided:
	case <-patient.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case slot.turn == nil: // it is decided
	case errors.Is(patient.Err(), context.Canceled):
		l.leave(slot)
		slot.refused = Refusal // which nobody reads
	default:
		l.refuse(slot)
	}
	return slot.refused
}

// refuse refuses a request that waits. The log has that once in a while.
func (l *Limiter) refuse(slot *Slot) {
	if slot.caller.overShare() {
		slot.refused = ShareRefusal
		l.state.ShareUsedUp++
	} else {
		slot.refused = Refusal
		l.state.Overloaded++
	}
	l.leave(slot)
	l.unsaid++
	if now := time.Now(); now.Sub(l.said) >= sayEvery {
		l.config.Log.Warn("more is asked for than can be served: requests are refused with 503 or 429", "limit",
			l.config.Most, "refused", l.unsaid)
		l.said, l.unsaid = now, 0
	}
}
