package load

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// Class says which requests are refused before others.
type Class int

// The classes: what is refused last comes first. Internal requests are parts of those that another process has
// admitted, and are never refused.
const (
	Internal Class = iota
	Read
	Write
	List
)

// String returns the name of a class in metrics.
func (c Class) String() string { return [...]string{"internal", "read", "write", "list"}[c] }

// Classes returns all classes.
func Classes() []Class { return []Class{Internal, Read, Write, List} }

// share returns the part of the limit up to which requests of a class are admitted.
func (c Class) share() float64 { return [...]float64{1, 1, 0.85, 0.6}[c] }

// LimiterConfig is the configuration of a Limiter.
type LimiterConfig struct {
	// Target is how long requests may take on average while others are refused. Requests that take long by themselves
	// have twice the time that they took when few were in work, but no more than mostTargets times the target.
	Target time.Duration
	// Most is the greatest number of requests in work.
	Most int
	// Now returns the present time.
	Now func() time.Time
	// Log gets a line when requests are refused, and one each sayEvery as long as they are.
	Log *slog.Logger
}

// sayEvery is the least time between two lines of the log.
const sayEvery = 10 * time.Second

const (
	// atRest is how many requests may be in work before anything is known, or when nothing is in work. A burst that
	// an exchange at rest gets is within the share of any class.
	atRest = 256
	// least is how many requests may be in work however long they take: what is slow by itself is not made faster by
	// less work.
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
	// recent is the weight of the last window in the time that requests take by themselves.
	recent = 0.1
)

// Limiter admits requests to a service. It is safe for concurrent use. A nil limiter admits everything.
type Limiter struct {
	config LimiterConfig

	mu     sync.Mutex
	limit  float64
	inWork int
	// alone is how long requests take on average when few are in work; 0 if that is not known.
	alone time.Duration
	// What was measured since began. peak is the most that were in work.
	began   time.Time
	took    time.Duration
	count   int
	peak    int
	refused bool
	// unsaid is the number of refusals since the last line of the log, at said.
	unsaid int64
	said   time.Time
	// What was counted since the start, by class.
	admissions, refusals [List + 1]int64
}

// NewLimiter returns a limiter, or nil if the target is 0.
func NewLimiter(config LimiterConfig) *Limiter {
	if config.Target == 0 {
		return nil
	}
	l := &Limiter{config: config, began: config.Now()}
	l.limit = l.rest()
	return l
}

func (l *Limiter) rest() float64 { return min(atRest, float64(l.config.Most)) }

// Refusal is the error of all requests that are refused. It is logged for all of them together.
var Refusal = problem.New(problem.Overloaded,
	"The exchange is asked for more than it can serve. Nothing was done; send the request again.").
	WithHeader("Retry-After", "1")

type slotKey struct{}

// Begin admits a request, which has a slot under the context that is returned until the slot ends, or returns
// Refusal. A request that has a slot keeps it: what a service does for it in the process of the gateway was admitted
// there; the slot that is returned then is nil.
func (l *Limiter) Begin(ctx context.Context, class Class) (under context.Context, slot *Slot, refused *problem.Error) {
	if l == nil || ctx.Value(slotKey{}) != nil {
		return ctx, nil, nil
	}
	if slot = l.admit(class); slot == nil {
		return ctx, nil, Refusal
	}
	return context.WithValue(ctx, slotKey{}, slot), slot, nil
}

// admit returns a slot, or nil if there is none for the class.
func (l *Limiter) admit(class Class) *Slot {
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inWork == 0 {
		// Nothing is in work, so that what was measured before says nothing.
		l.limit = max(l.limit, l.rest())
	}
	if l.full(class) {
		l.refuse(class, now)
		return nil
	}
	l.inWork++
	l.peak = max(l.peak, l.inWork)
	l.admissions[class]++
	return &Slot{limiter: l, began: now}
}

// full reports whether no slot is free for a class. While nothing is in work there is one.
func (l *Limiter) full(class Class) bool {
	return class != Internal && l.inWork > 0 && float64(l.inWork) >= l.limit*class.share()
}

// refuse counts a refusal.
func (l *Limiter) refuse(class Class, now time.Time) {
	l.refused = true
	l.refusals[class]++
	l.unsaid++
	l.say(now)
}

// say logs that requests are refused, unless it did so a short time ago.
func (l *Limiter) say(now time.Time) {
	if !l.said.IsZero() && now.Sub(l.said) < sayEvery {
		return
	}
	l.config.Log.Warn("more is asked for than can be served: requests are refused with 503", "limit", int(l.limit),
		"refused", l.unsaid)
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
	case !l.refused:
		l.limit += (l.rest() - l.limit) / 8
		l.learn(mean)
	case mean > longest:
		l.limit *= max(steepest, float64(longest)/float64(mean))
	default:
		l.limit *= rise
	}
	l.limit = min(max(l.limit, least), float64(l.config.Most))
	l.began, l.took, l.count, l.peak, l.refused = now, 0, 0, l.inWork, false
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
	// Limit is how many requests may be in work, and InWork how many are.
	Limit, InWork int
	// Admitted and Refused hold how many requests of each class were.
	Admitted, Refused map[Class]int64
}

// State returns the state of a limiter that is not nil.
func (l *Limiter) State() LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LimiterState{Limit: int(l.limit), InWork: l.inWork, Admitted: map[Class]int64{}, Refused: map[Class]int64{}}
	for _, class := range Classes() {
		s.Admitted[class], s.Refused[class] = l.admissions[class], l.refusals[class]
	}
	return s
}

// Slot is one slot of the limiter, held by an admitted request until Served or End. A nil slot stands for a request
// that nothing limits.
type Slot struct {
	limiter *Limiter
	began   time.Time
	// The mutex of the limiter guards what follows. The time that a request waits for its caller does not count, and
	// neither is it in work then.
	waiting bool
	waited  time.Duration
	left    time.Time
	ended   bool
}

// Served ends a request that was served: how long it took says how much the service can do. Only the first call of
// Served and End counts.
func (p *Slot) Served() { p.end(true) }

// End gives back the slot of a request that was refused or had no response. The limiter learns nothing from it.
func (p *Slot) End() { p.end(false) }

func (p *Slot) end(measured bool) {
	if p == nil {
		return
	}
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if !p.waiting {
		l.inWork--
	}
	if measured {
		l.took += now.Sub(p.began) - p.waited
		l.count++
		l.adjust(now)
	}
}

// Body returns the body of the request. While the body is awaited, the request does not count as in work, so that a
// client that sends slowly keeps no one out. It counts again afterwards, even if the limit is reached by then.
func (p *Slot) Body(of io.ReadCloser) io.ReadCloser {
	if p == nil || of == nil || of == http.NoBody {
		return of
	}
	return &body{of, p}
}

type body struct {
	io.ReadCloser
	slot *Slot
}

func (b *body) Read(into []byte) (int, error) {
	b.slot.wait()
	defer b.slot.resume()
	return b.ReadCloser.Read(into)
}

func (p *Slot) wait() {
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.ended && !p.waiting {
		p.waiting, p.left = true, now
		l.inWork--
	}
}

func (p *Slot) resume() {
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.ended && p.waiting {
		p.waiting = false
		p.waited += now.Sub(p.left)
		l.inWork++
	}
}
