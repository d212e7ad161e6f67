package load_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/load"
)

const target = 25 * time.Millisecond

// clock is the time of a test, which passes only when the test says so.
type clock struct{ now time.Time }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func limiter(c *clock) *load.Limiter {
	return load.NewLimiter(load.LimiterConfig{
		Wait: time.Hour, Target: target, Most: 1000, MostWaiting: 5000,
		Now: func() time.Time { return c.now }, Log: slog.New(slog.DiscardHandler),
	})
}

// impatient is the context of requests that leave the queue at once.
func impatient(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// caller returns the caller of a name, such as "acme/ada" of the account acme, or one with an account of its own.
func caller(name string) load.Caller {
	account, _, _ := strings.Cut(name, "/")
	return load.Caller{Account: account, Name: name}
}

// admitted begins requests of a class until one would have to wait, at most a number of them, and returns their places.
func admitted(t *testing.T, l *load.Limiter, class load.Class, most int) []*load.Slot {
	t.Helper()
	var places []*load.Slot
	for ctx := impatient(t); len(places) < most; {
		_, place, refused := l.Begin(ctx, caller("ada"), class)
		if refused != nil {
			break
		}
		places = append(places, place)
	}
	return places
}

func end(places []*load.Slot) {
	for _, p := range places {
		p.End()
	}
}

// burst is what callers at rest may send at once.
const burst = 64

// machine serves a number of requests each millisecond, the oldest first, however many are in work.
type machine struct {
	*clock
	limiter *load.Limiter
	each    int
	inWork  []job
	done    int
	took    []time.Duration
}

type job struct {
	place *load.Slot
	began time.Time
}

// run asks for more than the machine does, for some time.
func (m *machine) run(t *testing.T, d time.Duration) {
	ctx := impatient(t)
	for until := m.now.Add(d); m.now.Before(until); m.pass(time.Millisecond) {
		for range 3 * m.each {
			_, place, refused := m.limiter.Begin(ctx, caller("ada"), load.Read)
			if refused != nil {
				break // as all the others would be
			}
			m.inWork = append(m.inWork, job{place, m.now})
		}
		m.finish(m.each)
	}
}

func (m *machine) finish(count int) {
	for _, j := range m.inWork[:min(count, len(m.inWork))] {
		j.place.Served()
		m.took = append(m.took, m.now.Sub(j.began))
		m.done++
	}
	m.inWork = slices.Delete(m.inWork, 0, min(count, len(m.inWork)))
}

// TestABurstAtRestDoesNotWait checks that a burst at rest is admitted, in any class, at first and after an overload
// that has lowered the limit.
func TestABurstAtRestDoesNotWait(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	l := limiter(c)
	rest := func(when string) {
		for _, class := range load.Classes() {
			places := admitted(t, l, class, burst)
			if len(places) != burst {
				t.Errorf("%s, %d of a burst of %d are admitted as %s", when, len(places), burst, class)
			}
			end(places)
		}
	}
	rest("at first")
	slow := &machine{clock: c, limiter: l, each: 1}
	slow.run(t, 5*time.Second)
	if limit := l.State().Limit; limit > 100 {
		t.Fatalf("the limit is %d for a machine that serves one request each millisecond", limit)
	}
	end(placesOf(slow.inWork))
	rest("after an overload")
}

func placesOf(jobs []job) (places []*load.Slot) {
	for _, j := range jobs {
		places = append(places, j.place)
	}
	return places
}

// TestInternalRequestsNeverWait checks that parts of requests that were admitted already are admitted beyond the limit.
func TestInternalRequestsNeverWait(t *testing.T) {
	l := limiter(&clock{now: time.Unix(0, 0)})
	all := admitted(t, l, load.Read, 2000)
	inner := admitted(t, l, load.Internal, 1000)
	if len(all) == 2000 || len(inner) != 1000 {
		t.Errorf("%d reads and %d of 1000 internal requests are admitted", len(all), len(inner))
	}
	if state := l.State(); state.InWork != len(all)+len(inner) {
		t.Errorf("%d are in work, want %d", state.InWork, len(all)+len(inner))
	}
	end(all)
	end(inner)
	if state := l.State(); state.InWork != 0 {
		t.Errorf("%d are in work after the end", state.InWork)
	}
}

// TestLimitFollowsTheTime checks that a machine with three times the requests that it can serve is always busy, and
// that admitted requests take about the target, however fast the machine is.
func TestLimitFollowsTheTime(t *testing.T) {
	for _, each := range []int{3, 10, 30} {
		m := &machine{clock: &clock{now: time.Unix(0, 0)}, each: each}
		m.limiter = limiter(m.clock)
		m.run(t, 2*time.Second) // to find the limit
		m.took, m.done = nil, 0
		m.run(t, 5*time.Second)
		slices.Sort(m.took)
		longest := m.took[len(m.took)*99/100]
		if m.done < each*5000*9/10 || longest > 2*target {
			t.Errorf("%d in a millisecond: %d served in 5 s, p99 %v, limit %d", each, m.done, longest,
				m.limiter.State().Limit)
		}
	}
}

// TestOneSlowCommitDoesNotEmptyTheExchange stalls a busy machine for as long as a slow disk does.
func TestOneSlowCommitDoesNotEmptyTheExchange(t *testing.T) {
	m := &machine{clock: &clock{now: time.Unix(0, 0)}, each: 10}
	m.limiter = limiter(m.clock)
	m.run(t, 5*time.Second)
	before := m.limiter.State().Limit
	m.pass(2 * time.Second)
	m.finish(len(m.inWork))
	lowest := before
	for range 100 {
		m.run(t, 5*time.Millisecond)
		lowest = min(lowest, m.limiter.State().Limit)
	}
	if lowest < before*6/10 {
		t.Errorf("the limit falls from %d to %d", before, lowest)
	}
	m.run(t, 2*time.Second)
	if after := m.limiter.State().Limit; after < before*8/10 {
		t.Errorf("the limit is %d two seconds later, and was %d", after, before)
	}
}

// TestWhatIsSlowByItselfIsAdmitted has requests that take longer than the target however few are in work, as with a
// distant database.
func TestWhatIsSlowByItselfIsAdmitted(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	l := limiter(c)
	const alone = 3 * target
	for range 50 {
		places := admitted(t, l, load.Read, 20)
		c.pass(alone)
		for _, p := range places {
			p.Served()
		}
	}
	for range 100 {
		places := admitted(t, l, load.Read, 2000)
		c.pass(alone)
		for _, p := range places {
			p.Served()
		}
	}
	if limit := l.State().Limit; limit != 1000 {
		t.Errorf("the limit is %d although more in work do not take longer, want the greatest", limit)
	}
}

// TestSlowSendersKeepNobodyOut has more requests wait for their bodies than may be in work.
func TestSlowSendersKeepNobodyOut(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	l := limiter(c)
	var senders []*io.PipeWriter
	ended := make(chan error)
	const slow = 1000
	for range slow {
		place := admitted(t, l, load.Write, 1)
		if len(place) == 0 {
			t.Fatal("a request is refused although all others wait for their bodies")
		}
		from, to := io.Pipe()
		senders = append(senders, to)
		body := place[0].Body(from)
		reading := make(chan struct{})
		go func() {
			close(reading)
			_, err := io.ReadAll(body)
			place[0].Served()
			ended <- err
		}()
		<-reading
		// The pipe takes a byte only when the body is being read.
		if _, err := to.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range senders {
		_ = to.Close()
	}
	for range senders {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if state := l.State(); state.InWork != 0 {
		t.Errorf("%d are in work after the end", state.InWork)
	}
}

// TestTimeOfTheCallerDoesNotCount checks that waiting for bodies does not lower the limit while others wait for slots.
func TestTimeOfTheCallerDoesNotCount(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	l := limiter(c)
	at := l.State().Limit
	defer end(admitted(t, l, load.Read, at-1))
	for range 100 {
		place := admitted(t, l, load.Write, 1)
		if len(place) == 0 {
			t.Fatalf("a write has to wait: %+v", l.State())
		}
		end(admitted(t, l, load.List, 1)) // has to wait, as long as the limit does not rise
		if _, err := io.ReadAll(place[0].Body(io.NopCloser(&lateReader{c, strings.NewReader("{}")}))); err != nil {
			t.Fatal(err)
		}
		place[0].Served()
	}
	if limit := l.State().Limit; limit < at {
		t.Errorf("the limit falls from %d to %d", at, limit)
	}
}

// lateReader is a body whose parts come a second apart.
type lateReader struct {
	clock *clock
	from  io.Reader
}

func (r *lateReader) Read(into []byte) (int, error) {
	r.clock.pass(time.Second)
	return r.from.Read(into)
}

// TestARequestHasOneSlot checks that a service in the process of the gateway admits what was admitted there.
func TestARequestHasOneSlot(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	gateway, service := limiter(c), limiter(c)
	ctx, place, refused := gateway.Begin(t.Context(), caller("ada"), load.Read)
	if refused != nil {
		t.Fatal(refused)
	}
	full := admitted(t, service, load.Read, 2000)
	inner, none, refused := service.Begin(ctx, caller("ada"), load.Read)
	if refused != nil || none != nil || inner != ctx {
		t.Errorf("a request that has a place gets %v and %v", none, refused)
	}
	none.Served()
	none.End()
	if got := none.Body(http.NoBody); got != http.NoBody {
		t.Errorf("its body is %v", got)
	}
	place.Served()
	place.End()
	end(full)
	if n := gateway.State().InWork + service.State().InWork; n != 0 {
		t.Errorf("%d are in work after the end", n)
	}
}

func TestWithoutAWaitNothingIsRefused(t *testing.T) {
	l := load.NewLimiter(load.LimiterConfig{Most: 1})
	for range 10 {
		if _, _, refused := l.Begin(impatient(t), caller("ada"), load.List); refused != nil {
			t.Fatal(refused)
		}
	}
}
