package admission_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"insurance.example/exchange/pkg/admission"
	"insurance.example/exchange/pkg/problem"
)

// process is one that reads its requests one after the other, as they came. Each is refused or served before the next
// one is read, so that none is ever in work when another one is read.
type process struct {
	*clock
	limiter *admission.Limiter
	backlog *admission.Backlog
	class   func(n int) admission.Class
	// serves and refuses are how long it takes to serve and to refuse a request.
	serves, refuses time.Duration
	// queue holds when the requests came that were not read yet, and the zero time for a probe.
	queue []time.Time
	came  int
	// What became of those that were read, by class: how long it took until they were served, and how many were
	// refused.
	took    map[admission.Class][]time.Duration
	refused map[admission.Class]int
}

func newProcess(serves, refuses time.Duration) *process {
	p := &process{clock: &clock{now: time.Unix(1e9, 0)}, serves: serves, refuses: refuses, class: func(int) admission.Class { return admission.Read }}
	now := func() time.Time { return p.now }
	p.backlog = admission.NewBacklog(admission.BacklogConfig{Target: target, Now: now, Probe: func() bool {
		p.queue = append(p.queue, time.Time{})
		return true
	}})
	p.limiter = admission.New(admission.Config{Target: target, Most: 1000, Now: now, Log: slog.New(slog.DiscardHandler), Backlog: p.backlog})
	p.forget()
	return p
}

func (p *process) forget() {
	p.took, p.refused = map[admission.Class][]time.Duration{}, map[admission.Class]int{}
}

// run has a number of requests come in each second, for some time, while less than a number wait.
func (p *process) run(t *testing.T, perSecond, most int, d time.Duration) {
	t.Helper()
	each := time.Second / time.Duration(perSecond)
	next := p.now
	for until := p.now.Add(d); p.now.Before(until); {
		for ; !next.After(p.now); next = next.Add(each) {
			if len(p.queue) < most {
				p.queue = append(p.queue, next)
			}
		}
		if len(p.queue) == 0 {
			p.now = next
			continue
		}
		p.readNext(t)
	}
}

// burst has a number of requests come at once, and reads them all.
func (p *process) burst(t *testing.T, count int) {
	t.Helper()
	p.queue = append(p.queue, slices.Repeat([]time.Time{p.now}, count)...)
	for len(p.queue) > 0 {
		p.readNext(t)
	}
}

func (p *process) readNext(t *testing.T) {
	came := p.queue[0]
	p.queue = p.queue[1:]
	if came.IsZero() {
		p.backlog.Passed()
		return
	}
	class := p.class(p.came)
	p.came++
	if p.limiter.Refuse(class) {
		p.refused[class]++
		p.pass(p.refuses)
		return
	}
	_, place, refused := p.limiter.Begin(t.Context(), class)
	if refused != nil {
		if refused.Kind != problem.Overloaded {
			t.Fatal(refused)
		}
		p.refused[class]++
		p.pass(p.refuses)
		return
	}
	p.pass(p.serves)
	place.Served()
	p.took[class] = append(p.took[class], p.now.Sub(came))
}

func (p *process) share(class admission.Class) float64 {
	served := float64(len(p.took[class]))
	return served / (served + float64(p.refused[class]))
}

// TestWhatHasWaitedTooLongIsRefused asks a process for three times what it can do. It spends what time refusing
// leaves on serving, and what it serves has not waited long.
func TestWhatHasWaitedTooLongIsRefused(t *testing.T) {
	const seconds = 2
	for serves, most := range map[time.Duration]int{400 * time.Microsecond: 4000, 200 * time.Microsecond: 12000} {
		p := newProcess(serves, serves/10)
		asked := 3 * int(time.Second/serves)
		p.run(t, asked, most, time.Second)
		p.forget()
		p.run(t, asked, most, seconds*time.Second)
		took := p.took[admission.Read]
		slices.Sort(took)
		longest := took[len(took)*99/100]
		// x served and 3-x refused, each for a tenth, take all of the time if x is 0.7/0.9.
		if best := 0.7 / 0.9 * float64(seconds*time.Second/serves); float64(len(took)) < 0.95*best || longest > 100*time.Millisecond {
			t.Errorf("%v each, %d callers: %d served of %.0f that can be, p99 %v", serves, most, len(took), best, longest)
		}
	}
}

// TestRefusingDoesNotTakeAllTime asks a process for more than it can even refuse.
func TestRefusingDoesNotTakeAllTime(t *testing.T) {
	p := newProcess(600*time.Microsecond, 200*time.Microsecond)
	p.run(t, 6000, 400, 2*time.Second)
	if serving := time.Duration(len(p.took[admission.Read])) * p.serves; serving < 400*time.Millisecond {
		t.Errorf("%v of 2 s are spent on serving", serving)
	}
}

// TestWaitingClassesAreRefusedInTheirOrder asks a process for twice what it can do, with requests of all classes.
func TestWaitingClassesAreRefusedInTheirOrder(t *testing.T) {
	p := newProcess(100*time.Microsecond, 10*time.Microsecond)
	order := []admission.Class{admission.Internal, admission.Read, admission.Write, admission.List}
	p.class = func(n int) admission.Class { return order[n%len(order)] }
	p.run(t, 20_000, 4000, 2*time.Second)
	if p.refused[admission.Internal] > 0 {
		t.Errorf("%d internal requests are refused", p.refused[admission.Internal])
	}
	for i, class := range order[1:] {
		if before := order[i]; p.share(class) > p.share(before) {
			t.Errorf("%.0f %% of class %s are served, and %.0f %% of %s", 100*p.share(class), class, 100*p.share(before), before)
		}
	}
	if p.share(admission.List) > p.share(admission.Read)/2 {
		t.Errorf("%.0f %% of the lists are served, and %.0f %% of the reads", 100*p.share(admission.List), 100*p.share(admission.Read))
	}
}

// TestBurstsMayWait has many requests come at once, each of which takes long, now and then.
func TestBurstsMayWait(t *testing.T) {
	p := newProcess(2*time.Millisecond, 10*time.Microsecond)
	for range 100 {
		p.burst(t, 256)
		p.pass(100 * time.Millisecond)
	}
	if n := p.refused[admission.Read]; n > 0 {
		t.Errorf("%d requests of bursts are refused", n)
	}
}

// TestFewCallersMayWait has as many callers as may be in work at least, each of which asks again as soon as it has
// its response, of a process that refused others a moment before.
func TestFewCallersMayWait(t *testing.T) {
	p := newProcess(2*time.Millisecond, 10*time.Microsecond)
	p.run(t, 1500, 4000, 5*time.Second)
	if p.refused[admission.Read] == 0 {
		t.Fatal("nothing is refused of what is more than can be served")
	}
	p.queue = nil
	p.backlog.Passed() // if it was among them
	p.forget()
	for range 100 {
		p.burst(t, 64)
	}
	if n := p.refused[admission.Read]; n > 0 {
		t.Errorf("%d requests of few callers are refused", n)
	}
}

// TestAPauseIsNotAnOverload stops a busy process that can do what it is asked for, as a machine does that has other
// work. Requests come meanwhile.
func TestAPauseIsNotAnOverload(t *testing.T) {
	const perSecond, pause = 5000, 80 * time.Millisecond
	p := newProcess(100*time.Microsecond, 10*time.Microsecond)
	for range 5 {
		p.run(t, perSecond, 4000, time.Second)
		for range int(perSecond * pause / time.Second) {
			p.queue = append(p.queue, p.now)
			p.pass(time.Second / perSecond)
		}
	}
	if n := p.refused[admission.Read]; n > 0 {
		t.Errorf("%d requests are refused after a pause", n)
	}
}

// TestProcessWithoutProbesRefusesNothing holds that what cannot be known is no reason to refuse.
func TestProcessWithoutProbesRefusesNothing(t *testing.T) {
	c := &clock{now: time.Unix(1e9, 0)}
	now := func() time.Time { return c.now }
	l := admission.New(admission.Config{Target: target, Most: 1000, Now: now, Log: slog.New(slog.DiscardHandler),
		Backlog: admission.NewBacklog(admission.BacklogConfig{Target: target, Now: now, Probe: func() bool { return false }})})
	for range 10_000 {
		if l.Refuse(admission.List) {
			t.Fatal("a list is refused")
		}
		end(admitted(t, l, admission.List, 1))
		c.pass(time.Millisecond)
	}
}
