package load

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

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
	// Metrics is where the requests are counted; nil if they are not.
	Metrics prometheus.Registerer
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

	admitted prometheus.Counter
	// refused counts by problem.
	refused *prometheus.CounterVec
}

// NewLimiter returns a limiter. deploy/README.md describes its metrics.
func NewLimiter(config LimiterConfig) *Limiter {
	l := &Limiter{config: config, all: party{parts: map[string]*party{}}}
	with := promauto.With(config.Metrics)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_limit", Help: "How many requests may be in work.",
	}, func() float64 { return float64(config.Most) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_in_work", Help: "How many admitted requests are in work.",
	}, func() float64 { return float64(l.InWork()) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_waiting", Help: "How many requests wait until they are worked on.",
	}, func() float64 { return float64(l.Waiting()) })
	l.admitted = with.NewCounter(prometheus.CounterOpts{
		Name: "exchange_admission_admitted_total", Help: "Requests that were admitted.",
	})
	l.refused = with.NewCounterVec(prometheus.CounterOpts{
		Name: "exchange_admission_refused_total", Help: "Requests that were refused because there were too many.",
	}, []string{"problem"})
	for _, refusal := range []*problem.Error{Refusal, ShareRefusal} {
		l.refused.WithLabelValues(refusal.Kind.Slug()) // 0 is shown as well
	}
	return l
}

// InWork returns how many requests are in work.
func (l *Limiter) InWork() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.inWork
}

// Waiting returns how many requests wait for a slot.
func (l *Limiter) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.waiting
}

// Refusal is the error of the requests that are refused because too many are asked for. It is logged for all of them
// together.
var Refusal = problem.Later(problem.Overloaded,
	"The exchange is asked for more than it can serve. Nothing was done; send the request again.")

// ShareRefusal is the error of the requests of a caller that are refused while those of other callers are served.
var ShareRefusal = problem.Later(problem.ShareUsedUp,
	"More is asked for by this caller than its share of what can be served. Nothing was done; send the request again "+
		"when the others have their responses.")

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
	slot.decided = make(chan *problem.Error, 1)
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
}

// begin gives a request its slot.
func (l *Limiter) begin(slot *Slot) {
	slot.work()
	slot.crowded = l.all.waiting >= crowd
	l.admitted.Inc()
}

// dispatch gives the free slots to those that wait.
func (l *Limiter) dispatch() {
	for l.all.waiting > 0 && l.all.inWork < l.config.Most {
		slot := l.all.next()
		l.leave(slot)
		l.begin(slot)
		slot.decided <- nil
	}
}

// await returns when a request that waits has its slot, or why it gets none.
func (l *Limiter) await(ctx context.Context, slot *Slot) *problem.Error {
	patient, cancel := context.WithTimeout(ctx, l.config.Wait)
	defer cancel()
	select {
	case refused := <-slot.decided:
		return refused
	case <-patient.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case slot.turn == nil: // it is decided
	case errors.Is(patient.Err(), context.Canceled):
		l.leave(slot)
		return Refusal // which nobody reads
	default:
		l.refuse(slot)
	}
	return <-slot.decided
}

// refuse refuses a request that waits. The log has that once in a while.
func (l *Limiter) refuse(slot *Slot) {
	refused := Refusal
	if slot.caller.overShare() {
		refused = ShareRefusal
	}
	l.refused.WithLabelValues(refused.Kind.Slug()).Inc()
	l.leave(slot)
	slot.decided <- refused
	l.unsaid++
	if now := time.Now(); now.Sub(l.said) >= sayEvery {
		l.config.Log.Warn("more is asked for than can be served: requests are refused with 503 or 429", "limit",
			l.config.Most, "refused", l.unsaid)
		l.said, l.unsaid = now, 0
	}
}
