package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// outcome is what happens to an operation.
type outcome int

const (
	happens outcome = iota
	// fails: it does not happen, and its caller gets an error.
	fails
	// happensUnheard: it happens, and its caller gets an error.
	happensUnheard
	// torn: a part of it happens, and its caller gets an error.
	torn
)

func (o outcome) String() string {
	return [...]string{"happens", "fails", "happens unheard", "is torn"}[o]
}

// errFault is the cause of an error that the scheduler decided.
var errFault = errors.New("simulation: the connection is lost")

// world is everything that one seed decides.
type world struct {
	random *rand.Rand
	began  time.Time
	digest interface {
		io.Writer
		Sum64() uint64
	}
	// trace gets every operation; nil if nobody reads it.
	trace io.Writer
	// postponing and longest decide how often and for how long operations are postponed: one in so many, for at most
	// longest.
	postponing int
	longest    time.Duration
	// slow is a part of the names of operations that are postponed more often and for longer than others, so that
	// others overtake them; empty for none.
	slow string
	// rivals: the write of a record is held until another process has written the record, for at most longestHeld.
	rivals bool
	// troubled is how long faults happen.
	troubled time.Duration
	// calm is true once no more faults happen.
	calm  bool
	steps int
	// late lists the requests that took longer than they may.
	late []string

	mu      sync.Mutex
	waiting []*operation
	// arrived gets an element when an operation begins to wait.
	arrived chan struct{}
}

// operation is a step that waits for the scheduler.
type operation struct {
	// name is the same in every run of a seed. Waiting operations with one name are interchangeable.
	name    string
	process *replica
	// run performs the operation with an outcome, and wakes its caller, if the caller still waits.
	run func(outcome)
	// inParts is true if the operation can be torn.
	inParts bool
	// due is the earliest time at which it can happen.
	due time.Time
	// postponed is true if it was postponed; that happens once at most.
	postponed bool
	// awaits is the record that another process must write first; empty if the operation is not held.
	awaits string
}

// longestHeld is how long a write is held at most. Its process may have given up by then.
const longestHeld = 20 * time.Second

// replaces returns the record that the operation replaces; "" if it does something else.
func (o *operation) replaces() string {
	_, what, _ := strings.Cut(o.name, ": ")
	record, _, _ := strings.Cut(what, " at ")
	if !strings.Contains(record, " replace ") {
		return ""
	}
	return record
}

func newWorld(seed uint64, trace io.Writer) *world {
	random := rand.New(rand.NewPCG(seed, 0))
	w := &world{
		random: random, postponing: []int{2, 6, 20}[random.IntN(3)],
		longest: []time.Duration{30 * time.Millisecond, 500 * time.Millisecond, 8 * time.Second}[random.IntN(3)],
		began:   time.Now(), digest: fnv.New64a(), trace: trace,
		arrived: make(chan struct{}, 1), troubled: troubled,
	}
	w.rivals = w.chance(3)
	if w.rivals || w.chance(4) {
		w.postponing, w.longest, w.troubled = 2, 8*time.Second, slowlyTroubled
	}
	return w
}

// chance returns true with a probability of 1 in n.
func (w *world) chance(n int) bool { return w.random.IntN(n) == 0 }

// note writes a line of the history.
func (w *world) note(format string, values ...any) {
	line := fmt.Sprintf("%12v %s\n", time.Since(w.began), fmt.Sprintf(format, values...))
	_, _ = io.WriteString(w.digest, line) // never fails
	if w.trace != nil {
		_, _ = io.WriteString(w.trace, line)
	}
}

// wait adds a waiting operation.
func (w *world) wait(o *operation) {
	w.mu.Lock()
	w.waiting = append(w.waiting, o)
	w.mu.Unlock()
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

// result is what an operation returned.
type result[T any] struct {
	value T
	err   error
}

// call waits until the scheduler lets an operation happen, and returns its result. failure makes the error of an
// operation that fails or happens unheard. If ctx ends first, call returns, and the operation may still happen.
func call[T any](
	ctx context.Context, p *replica, name string, failure func(error) error, do func() (T, error),
) (T, error) {
	return callInParts(ctx, p, name, failure, do, nil)
}

// callInParts is call for an operation that can be torn: begin performs a random part of it. If begin is nil, the
// operation happens wholly or not at all.
func callInParts[T any](
	ctx context.Context, p *replica, name string, failure func(error) error, do func() (T, error),
	begin func(*rand.Rand),
) (T, error) {
	var none T
	if p.dead.Load() {
		return none, failure(errFault)
	}
	if err := ctx.Err(); err != nil {
		return none, failure(err)
	}
	done := make(chan result[T], 1)
	p.world.wait(&operation{
		name: p.label + " " + actor(ctx) + ": " + name, process: p, inParts: begin != nil,
		run: func(o outcome) {
			var r result[T]
			switch o {
			case happens, happensUnheard:
				r.value, r.err = do()
			case torn:
				begin(p.world.random)
			}
			if o != happens {
				r = result[T]{err: failure(errFault)}
			}
			done <- r
		},
	})
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, failure(ctx.Err())
	}
}

type actorKey struct{}

// as returns a context whose operations belong to an actor.
func as(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

func actor(ctx context.Context) string {
	name, _ := ctx.Value(actorKey{}).(string)
	return name
}

// next takes one of the operations that can happen now; nil if there is none.
func (w *world) next() *operation {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	var can []*operation
	for _, o := range w.waiting {
		if !o.due.After(now) {
			can = append(can, o)
		}
	}
	if len(can) == 0 {
		return nil
	}
	slices.SortStableFunc(can, func(a, b *operation) int { return cmp.Compare(a.name, b.name) })
	chosen := can[w.random.IntN(len(can))]
	w.waiting = slices.DeleteFunc(w.waiting, func(o *operation) bool { return o == chosen })
	return chosen
}

// underWay reports whether an operation waits that has a part in its name.
func (w *world) underWay(part string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.waiting, func(o *operation) bool { return strings.Contains(o.name, part) })
}

// drop removes all waiting operations of a process.
func (w *world) drop(p *replica) (dropped []*operation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = slices.DeleteFunc(w.waiting, func(o *operation) bool {
		if o.process == p {
			dropped = append(dropped, o)
		}
		return o.process == p
	})
	slices.SortStableFunc(dropped, func(a, b *operation) int { return cmp.Compare(a.name, b.name) })
	return dropped
}

// run lets operations happen, one after another, until enough returns true. It calls between before each.
func (w *world) run(enough func() bool, between func()) {
	for {
		synctest.Wait()
		if enough() {
			return
		}
		between()
		synctest.Wait()
		o := w.next()
		if o == nil {
			w.idle()
			continue
		}
		w.steps++
		// Nothing else happens at this instant: the seed does not decide the order of timers of one instant.
		time.Sleep(time.Duration(1 + w.random.IntN(50_000)))
		synctest.Wait()
		w.perform(o)
	}
}

// idle lets time pass until an operation waits or a postponed one is due.
func (w *world) idle() {
	const longest = 250 * time.Millisecond
	wake := time.NewTimer(longest + time.Duration(w.random.IntN(1000)))
	defer wake.Stop()
	select {
	case <-w.arrived:
	case <-wake.C:
	}
}

// perform decides the outcome of an operation.
func (w *world) perform(o *operation) {
	if o.process.dead.Load() {
		// Its process crashed after sending it, so nobody gets the result.
		decided := happens
		if w.chance(2) {
			decided = fails
		} else if o.inParts && w.chance(2) {
			decided = torn
		}
		w.note("%s: %v after the crash", o.name, decided)
		o.run(decided)
		return
	}
	record := o.replaces()
	decided := happens
	if !w.calm {
		if w.rivals && record != "" && !o.postponed && w.chance(2) {
			o.postponed, o.due, o.awaits = true, time.Now().Add(longestHeld), record
			w.note("%s: held until another process has done so", o.name)
			w.wait(o)
			return
		}
		postponing, longest := w.postponing, w.longest
		if w.slow != "" && strings.Contains(o.name, w.slow) {
			postponing, longest = 2, longestHeld
		}
		if !o.postponed && w.chance(postponing) {
			o.postponed, o.due = true, time.Now().Add(time.Duration(w.random.Int64N(int64(longest))))
			w.note("%s: postponed", o.name)
			w.wait(o)
			return
		}
		switch w.random.IntN(40) {
		case 0:
			decided = fails
		case 1:
			decided = happensUnheard
		case 2, 3, 4:
			if o.inParts {
				decided = torn
			}
		}
	}
	w.note("%s: %v", o.name, decided)
	o.run(decided)
	if record != "" && decided != fails && decided != torn {
		w.release(record, o.process)
	}
}

// release lets the held writes of a record happen, once a process other than theirs has written it.
func (w *world) release(record string, by *replica) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.waiting {
		if o.awaits == record && o.process != by {
			o.due = time.Now()
		}
	}
}

// asIs returns the cause of a failure as the error of an operation.
func asIs(cause error) error { return cause }

// pause waits for some time, or until ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
