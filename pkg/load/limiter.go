package load

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// LimiterConfig is the configuration of a Limiter.
type LimiterConfig struct {
	// Wait is how long a request may wait for a slot. If it is 0, nothing is limited.
	Wait time.Duration
	// Target is how long requests may be in work on average while others wait. Requests that take long by themselves
	// have twice the time that they took when few were in work, but no more than mostTargets times the target.
	Target time.Duration
	// Most is the greatest number of requests in work, and MostWaiting that of those that wait.
	Most, MostWaiting int
	// Bell says when those that wait get the slots that are free.
	Bell *Bell
	// Now returns the present time.
	Now func() time.Time
	// Log gets a line when requests are refused, and one each sayEvery as long as they are.
	Log *slog.Logger
}

// sayEvery is the least time between two lines of the log.
const sayEvery = 10 * time.Second

const (
	// atRest is how many requests may be in work before anything is known, or when nothing is in work.
	atRest = 256
	// least is how many requests may be in work however long they take, unless Most is less: what is slow by itself is
	// not made faster by less work.
	least = 64
	// few is how many in work do not wait for each other much.
	few = 32
	// mostTargets bounds what a time by itself can do to the target.
	mostTargets = 8
	// window is how long requests are measured before the limit changes, and samples is how many of them at least.
	window  = 100 * time.Millisecond
	samples = 16
	// steepest is the most that the limit falls in a window, so that one slow commit does not empty the exchange, and
	// rise is what it rises by.
	steepest = 0.8
	rise     = 1.1
	// recent is the weight of the last window in the average of how long requests take while few are in work.
	recent = 0.1
)

// Limiter gives requests to a service their slots, and has those for which none is free wait in a fair queue. It is
// safe for concurrent use. A nil limiter admits everything.
type Limiter struct {
	config LimiterConfig

	mu     sync.Mutex
	limit  float64
	queue  *queue
	shares *shares
	// alone is how long requests take on average when few are in work; 0 if that is not known.
	alone time.Duration
	// What was measured since began. peak is the most that were in work, and pressed says that a request had to wait.
	began   time.Time
	took    time.Duration
	count   int
	peak    int
	pressed bool
	// unsaid is the number of refusals since the last line of the log, at said.
	unsaid int64
	said   time.Time
	// What was counted since the start, by class; refusals also by their reason.
	admissions [List + 1]int64
	refusals   [Share + 1][List + 1]int64
}

// NewLimiter returns a limiter, or nil if requests may not wait.
func NewLimiter(config LimiterConfig) *Limiter {
	if config.Wait == 0 {
		return nil
	}
	l := &Limiter{config: config, began: config.Now(), queue: newQueue(config.MostWaiting),
		shares: newShares(config.Wait + remembered)}
	l.limit = l.rest()
	config.Bell.at(l.letIn)
	return l
}

func (l *Limiter) rest() float64 { return min(atRest, float64(l.config.Most)) }

// Reason says why a request was refused.
type Reason int

// The reasons: Late is what waited as long as it may, Full what was refused because too many waited, and Share what was
// refused for either because its caller had more than its share, or had so a short time ago.
const (
	Late Reason = iota
	Full
	Share
)

// String returns the name of a reason in metrics.
func (r Reason) String() string { return [...]string{"late", "full", "share"}[r] }

// Reasons returns all reasons.
func Reasons() []Reason { return []Reason{Late, Full, Share} }

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

func (r Reason) problem() *problem.Error {
	if r == Share {
		return ShareRefusal
	}
	return Refusal
}

type slotKey struct{}

// Begin gives a request of a caller its slot, which it has under the context that is returned until the slot ends. It
// waits if none is free, and returns Refusal or ShareRefusal if it may wait no longer. A request that has a slot
// keeps it: what a service does for it in the process of the gateway was admitted there; the slot that is returned
// then is nil. A request whose context ends leaves the queue.
func (l *Limiter) Begin(ctx context.Context, caller Caller, class Class) (
	under context.Context, slot *Slot, refused *problem.Error,
) {
	if l == nil || ctx.Value(slotKey{}) != nil {
		return ctx, nil, nil
	}
	visitor := visitorOf(ctx)
	defer visitor.Leave()
	slot, waits := l.admit(caller, class)
	if waits != nil {
		visitor.Await()
		if slot, refused = l.await(ctx, waits); refused != nil {
			return ctx, nil, refused
		}
	}
	return context.WithValue(ctx, slotKey{}, slot), slot, nil
}

// admit returns a slot, or the place of the request in the queue if none is free.
func (l *Limiter) admit(caller Caller, class Class) (*Slot, *waiter) {
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shares.see(caller, now)
	if l.shares.inWork == 0 {
		// Nothing is in work, so that what was measured before says nothing.
		l.limit = max(l.limit, l.rest())
	}
	if class == Internal || l.queue.waiting == 0 && l.free() {
		return l.slot(caller, class, now), nil
	}
	l.pressed = true
	w, worst := l.queue.add(caller, class)
	l.usedUp(w, now)
	if worst != nil {
		l.refuse(worst, Full, now)
	}
	l.pass(now)
	return nil, w
}

// free reports whether a slot is free. While nothing is in work there is one.
func (l *Limiter) free() bool { return l.shares.inWork == 0 || float64(l.shares.inWork) < l.limit }

func (l *Limiter) slot(caller Caller, class Class, now time.Time) *Slot {
	slot := &Slot{limiter: l, caller: caller, began: now}
	slot.start()
	l.peak = max(l.peak, l.shares.inWork)
	l.admissions[class]++
	return slot
}

// pass has the free slots given to those that wait, if any do.
func (l *Limiter) pass(now time.Time) {
	for l.queue.waiting > 0 && l.free() && !l.config.Bell.ring() {
		l.dispatch(now)
	}
}

func (l *Limiter) letIn() {
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dispatch(now)
	l.pass(now) // the others after the next look at the network
}

// dispatch gives free slots to those that wait, to a few at a time.
func (l *Limiter) dispatch(now time.Time) {
	for given := 0; given < atATime(l.queue.waiting) && l.queue.waiting > 0 && l.free(); given++ {
		w := l.queue.next()
		w.decided <- decision{slot: l.slot(w.caller, w.class, now)}
	}
}

// await waits until it is decided whether a request gets a slot.
func (l *Limiter) await(ctx context.Context, w *waiter) (*Slot, *problem.Error) {
	late := time.NewTimer(l.config.Wait - waited(ctx, time.Now()))
	defer late.Stop()
	select {
	case d := <-w.decided:
		return d.slot, d.refused
	case <-late.C:
		l.leave(w, true)
	case <-ctx.Done():
		l.leave(w, false)
	}
	// It is decided by now.
	d := <-w.decided
	if ctx.Err() != nil {
		d.slot.End()
		return nil, Refusal
	}
	return d.slot, d.refused
}

// leave takes a request out of the queue if it waits there. counted says that it is refused, and has not left by
// itself.
func (l *Limiter) leave(w *waiter, counted bool) {
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.line == nil {
		return
	}
	if counted {
		l.refuse(w, Late, now)
	} else {
		l.queue.remove(w)
		w.decided <- decision{refused: Refusal}
	}
}

// refuse refuses a request that waits, for a reason or because the share of its caller is used up.
func (l *Limiter) refuse(w *waiter, reason Reason, now time.Time) {
	if l.usedUp(w, now) {
		reason = Share
	}
	l.queue.remove(w)
	w.decided <- decision{refused: reason.problem()}
	l.refusals[reason][w.class]++
	l.unsaid++
	l.say(now)
}

func (l *Limiter) usedUp(w *waiter, now time.Time) bool {
	return l.shares.usedUp(w, l.queue.waiting, now)
}

// say logs that requests are refused, unless it did so a short time ago.
func (l *Limiter) say(now time.Time) {
	if !l.said.IsZero() && now.Sub(l.said) < sayEvery {
		return
	}
	l.config.Log.Warn("more is asked for than can be served: requests are refused with 503 or 429", "limit",
		int(l.limit), "refused", l.unsaid)
	l.said, l.unsaid = now, 0
}

// adjust moves the limit at the end of a window.
func (l *Limiter) adjust(now time.Time) {
	if l.count < samples || now.Sub(l.began) < window {
		return
	}
	mean := l.took / time.Duration(l.count)
	longest := min(max(l.config.Target, 2*l.alone), mostTargets*l.config.Target)
	switch {
	case !l.pressed:
		l.limit += (l.rest() - l.limit) / 8
		l.learn(mean)
	case mean > longest:
		l.limit *= max(steepest, float64(longest)/float64(mean))
	default:
		l.limit *= rise
	}
	l.limit = min(max(l.limit, least), float64(l.config.Most))
	l.began, l.took, l.count, l.peak, l.pressed = now, 0, 0, l.shares.inWork, l.queue.waiting > 0
}

// learn notes how long requests take by themselves, if few were in work.
func (l *Limiter) learn(mean time.Duration) {
	switch {
	case l.peak > few:
	case l.alone == 0:
		l.alone = mean
	default:
		l.alone += time.Duration(recent * float64(mean-l.alone))
	}
}

// LimiterState is what a limiter does at present, and has done since its start.
type LimiterState struct {
	// Limit is how many requests may be in work, InWork how many are, and Waiting how many wait.
	Limit, InWork, Waiting int
	// Admitted holds how many requests of each class were, and Refused how many for each reason.
	Admitted map[Class]int64
	Refused  map[Reason]map[Class]int64
}

// State returns the state of a limiter that is not nil.
func (l *Limiter) State() LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LimiterState{
		Limit: int(l.limit), InWork: l.shares.inWork, Waiting: l.queue.waiting,
		Admitted: map[Class]int64{}, Refused: map[Reason]map[Class]int64{},
	}
	for _, reason := range Reasons() {
		s.Refused[reason] = map[Class]int64{}
		for _, class := range Classes() {
			s.Refused[reason][class] = l.refusals[reason][class]
		}
	}
	for _, class := range Classes() {
		s.Admitted[class] = l.admissions[class]
	}
	return s
}
