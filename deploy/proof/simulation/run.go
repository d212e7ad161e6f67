package simulation

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/deploy/proof/simulation/memorystore"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/claims"
	"insurance.example/exchange/services/coverage"
	"insurance.example/exchange/services/parties"
	"insurance.example/exchange/services/premium"
)

// Outcome is the result of a seed.
type Outcome struct {
	// Digest is a hash of the history. It is the same each time the seed is run.
	Digest uint64
	// Steps is the number of operations that the scheduler let happen.
	Steps int
	// Wrong lists the guarantees that were broken; it is empty if none was.
	Wrong []string
}

const (
	// troubled is how long faults happen. In a slow seed they happen for slowlyTroubled, so that sweeps meet
	// work in progress.
	troubled       = 6 * time.Second
	slowlyTroubled = 30 * time.Second
	// settling is how long everything may take to be right after the last fault and the last request.
	settling = 5 * time.Minute
)

// sets reads the value sets once for all processes: reading them costs more than a process does.
var sets = sync.OnceValues(func() (rest.Sets, error) { return valuesets.Load("") })

// replicas are the processes of one service.
type replicas struct {
	name string
	// program returns the program of the service. It is the same for all seeds.
	program func() (*program, error)
	number  int
}

func of(number int, service func() rest.Service, arguments ...string) replicas {
	return replicas{service().Name, sync.OnceValues(func() (*program, error) {
		return newProgram(service(), arguments...)
	}), number}
}

// kind is what a seed simulates: replicas of services, and the work of their callers.
type kind struct {
	services []replicas
	work     func(c *caller, ctx context.Context, number int)
	// stubs take the place of services that are not simulated.
	stubs map[string]http.Handler
	// finish is what one caller does in the end, when there are no more faults; nil for nothing.
	finish task
	// shared: organisations share the exchange, and each service has a store of its own, as access lists need it.
	shared bool
	// apart is by how much the clocks of replicas differ at most.
	apart time.Duration
	// slow are the operations of which a seed chooses one that is slow, while the others are quick. Of the empty one,
	// all are as in other parts.
	slow []string
}

// task is something that a caller does.
type task = func(c *caller, ctx context.Context)

// Part is a part of the exchange that seeds simulate.
type Part string

const (
	Core Part = "core"
	Desk Part = "desk"
	// Sharing is the services that keep access lists, and the one that changes these.
	Sharing Part = "sharing"
)

// kinds are what a seed chooses from. Receipts are more likely, because they involve the most parts.
var kinds = func() map[Part][]kind {
	const month = "--bordereau-period=month"
	receipts := kind{services: []replicas{of(2, premium.Service, month)}, work: (*caller).workOnReceipts, stubs: stubs}
	return map[Part][]kind{
		Core: {
			receipts, receipts,
			{services: []replicas{of(2, claims.Service)}, work: (*caller).workOnClaims, stubs: stubs},
			{services: []replicas{of(2, parties.Service)}, work: (*caller).workOnParties, stubs: stubs},
			{services: []replicas{of(2, coverage.Service), of(1, claims.Service)}, work: (*caller).workOnPolicies,
				stubs: stubs},
		},
		Desk: {
			deskOf(of(2, premium.Service, month), (*caller).workOnPremium, "receipt insert"),
			deskOf(of(2, premium.Service, month), (*caller).workOnPremium, "receipt insert"),
			deskOf(of(1, claims.Service), (*caller).workOnLosses, "claim insert"),
		},
		Sharing: {sharingKind()},
	}
}()

// exchange is the simulated part of the exchange.
type exchange struct {
	*world
	store *memorystore.Store
	// stores are the stores of the services. Unless organisations share the exchange they are one, store.
	stores map[string]*memorystore.Store
	hosts  []*host
	book   book
	// ahead is how much more the clock of the exchange has moved than time has passed.
	ahead time.Duration
	// working counts the callers that are still working.
	working atomic.Int32
}

// Run runs a seed of a part, in a bubble of testing/synctest. It writes every operation to trace, unless that is nil.
func Run(seed uint64, part Part, trace io.Writer) (Outcome, error) {
	w := newWorld(seed, trace)
	x := &exchange{world: w, store: &memorystore.Store{},
		stores: map[string]*memorystore.Store{}}
	x.book.claims.changes, x.book.parties, x.book.policies.filed = make(map[string]*change), make(partyBook), make(
		map[string]*filing)
	clock := time.Date(2026, 3, 31, 23, 59, 50+w.random.IntN(10), 0, time.UTC)
	kind := kinds[part][w.random.IntN(len(kinds[part]))]
	if len(kind.slow) > 0 {
		if w.slow = kind.slow[w.random.IntN(len(kind.slow))]; w.slow != "" {
			w.rivals, w.postponing, w.longest, w.troubled = false, 20, 30*time.Millisecond, slowlyTroubled
		}
	}
	now := func() time.Time { return clock.Add(time.Since(w.began) + x.ahead) }
	for _, service := range kind.services {
		program, err := service.program()
		if err != nil {
			return Outcome{}, err
		}
		if x.stores[service.name] = x.store; kind.shared {
			x.stores[service.name] = &memorystore.Store{}
		}
		for i := range service.number {
			var differs time.Duration
			if kind.apart > 0 {
				differs = time.Duration(w.random.Int64N(int64(kind.apart))) - kind.apart/2
			}
			x.hosts = append(x.hosts, &host{
				world: w, service: service.name, name: fmt.Sprintf("%s-%d", service.name, i+1), program: program,
				replicas: x.replicas, stubs: kind.stubs, store: x.stores[service.name],
				now: func() time.Time { return now().Add(differs) },
			})
		}
	}
	for _, h := range x.hosts {
		if err := h.start(); err != nil {
			return Outcome{}, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	policies := 1 + w.random.IntN(2)
	begun := 0
	var begin func(task)
	begin = func(work task) {
		begun++
		c := &caller{
			name: fmt.Sprintf("caller-%d", begun), random: rand.New(rand.NewPCG(seed, uint64(begun))), reach: x.reach,
			now: now, pass: x.pass, meanwhile: begin, storeOf: x.storeOf, policies: policies,
			troubled: w.troubled, book: &x.book,
		}
		x.working.Add(1)
		go func() {
			defer x.working.Add(-1)
			work(c, as(ctx, c.name))
		}()
	}
	for i := range 2 + w.random.IntN(3) {
		begin(func(c *caller, ctx context.Context) { kind.work(c, ctx, i) })
	}
	finish := func() bool {
		switch {
		case kind.finish == nil:
			return true
		case x.underWay("receipt insert ") || x.underWay("claim insert ") || x.underWay("claim replace "):
			return false // nobody waits for it any more, and it has to be reported
		}
		begin(kind.finish)
		kind.finish = nil
		return false
	}
	err := x.live(finish)
	var wrong []string
	if err == nil {
		wrong = slices.Concat(x.book.wrong, w.late, x.check())
		err = x.checkHistories(func(format string, values ...any) {
			wrong = append(wrong, fmt.Sprintf(format, values...))
		})
	}
	x.end()
	return Outcome{Digest: w.digest.Sum64(), Steps: w.steps, Wrong: wrong}, err
}

// replicas returns the hosts of a service; none if it is not simulated.
func (x *exchange) replicas(service string) []*host {
	return slices.DeleteFunc(slices.Clone(x.hosts), func(h *host) bool { return h.service != service })
}

// storeOf returns the store of a service, for what looks for faults in it.
func (x *exchange) storeOf(service string) docstore.Store { return x.stores[service] }

// reach returns a process of one of the replicas of a service; nil if the service is not simulated.
func (x *exchange) reach(service string, random *rand.Rand) *replica {
	replicas := x.replicas(service)
	if len(replicas) == 0 {
		return nil
	}
	return replicas[random.IntN(len(replicas))].current
}

// pass lets the clock of the exchange move on, although no time passes. It waits while a claim is changed: that takes
// seconds, and what claims were at the end of a month is read a minute later at the earliest.
func (x *exchange) pass(ctx context.Context, by time.Duration) {
	for x.underWay("claim replace ") && ctx.Err() == nil {
		pause(ctx, time.Second+time.Duration(x.random.Int64N(int64(time.Second))))
	}
	x.ahead += by
	x.note("the clock moves on by %v", by)
}

// live runs the exchange: first with faults, then without them until everything is right or the time for that is over.
// done is called once all callers have ended, and reports whether no others have begun.
func (x *exchange) live(done func() bool) (failure error) {
	var until time.Time
	x.run(func() bool {
		if failure != nil {
			return true
		}
		if !x.calm {
			return false
		}
		if until.IsZero() && x.working.Load() == 0 && done() {
			until = time.Now().Add(settling)
		}
		return !until.IsZero() && (time.Now().After(until) || x.quiet())
	}, func() {
		if !x.calm && time.Since(x.began) > x.troubled {
			x.calm = true
			x.note("no more faults")
		}
		for _, h := range x.hosts {
			if h.current.dead.Load() && (x.calm || time.Now().After(h.restart)) {
				if failure = h.start(); failure != nil {
					return
				}
				x.note("%s: starts", h.current.label)
			}
		}
		if !x.calm {
			x.mischief()
		}
	})
	return failure
}

// mischief crashes processes and has them be silent.
func (x *exchange) mischief() {
	switch x.random.IntN(600) {
	case 0, 1, 2:
		h := x.hosts[x.random.IntN(len(x.hosts))]
		if !h.current.dead.Load() {
			h.crash(time.Now().Add(time.Duration(x.random.Int64N(int64(5 * time.Second)))))
		}
	case 3, 4, 5:
		if called := x.called(); len(called) > 0 {
			p := called[x.random.IntN(len(called))].current
			silence := longestSilence
			if x.chance(2) {
				silence *= 5
			}
			p.silent = time.Now().Add(time.Duration(x.random.Int64N(int64(silence))))
			x.note("%s: is silent until %v", p.label, p.silent.Sub(x.began))
		}
	}
}

// called returns the hosts of the services that others call.
func (x *exchange) called() []*host {
	return slices.DeleteFunc(slices.Clone(x.hosts), func(h *host) bool {
		return !slices.ContainsFunc(x.hosts, func(other *host) bool {
			return slices.Contains(other.program.definition.Peers, h.service)
		})
	})
}

// longestSilence is how long a process mostly gives no response to other services. It is longer than a request may
// take. Some are silent for much longer, so that several requests wait in vain and others come after them.
const longestSilence = 25 * time.Second

// end ends all processes, and waits until their goroutines have ended.
func (x *exchange) end() {
	x.calm = true
	for _, h := range x.hosts {
		h.current.dead.Store(true)
		h.current.cancel()
		for _, o := range x.drop(h.current) {
			o.run(fails)
		}
	}
	for _, o := range x.waiting {
		o.run(fails)
	}
	time.Sleep(ending)
}

// ending is more than a process goes on with a message that it has begun to handle, after its end.
const ending = time.Minute
