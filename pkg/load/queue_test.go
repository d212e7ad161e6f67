package load_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// wait is how long requests may wait in these tests. Their time passes only while all goroutines wait.
const wait = 500 * time.Millisecond

// crowded is a limiter whose slots are taken, and what became of the requests that wait for the first of them.
type crowded struct {
	*load.Limiter
	t       *testing.T
	taken   *load.Slot
	others  []*load.Slot
	log     strings.Builder
	metrics *prometheus.Registry

	mu sync.Mutex
	// served are the names of the requests that had the slot, in their order; slots gets these in turn.
	served  []string
	slots   chan *load.Slot
	refused map[string]*problem.Error
}

// newCrowded returns a limiter for whose slots five times as many requests may wait.
func newCrowded(t *testing.T, slots int) *crowded {
	c := &crowded{
		t: t, slots: make(chan *load.Slot, 100), refused: map[string]*problem.Error{},
		metrics: prometheus.NewRegistry(),
	}
	c.Limiter = load.NewLimiter(load.LimiterConfig{
		Wait: wait, Most: slots, MostWaiting: 5 * slots, Log: slog.New(slog.NewTextHandler(&c.log, nil)),
		Metrics: c.metrics,
	})
	all := admitted(t, c.Limiter, slots)
	c.taken, c.others = all[0], all[1:]
	return c
}

// ask has a request of a caller wait.
func (c *crowded) ask(ctx context.Context, by, name string) {
	go func() {
		slot, refused := c.Begin(ctx, caller(by))
		c.mu.Lock()
		defer c.mu.Unlock()
		if refused != nil {
			c.refused[name] = refused
			return
		}
		c.served = append(c.served, name)
		c.slots <- slot
	}()
	synctest.Wait()
}

// serve ends what is in work, one after the other, until nothing waits.
func (c *crowded) serve() {
	for c.taken != nil {
		c.taken.End()
		synctest.Wait()
		select {
		case c.taken = <-c.slots:
		default:
			c.taken = nil
		}
	}
	end(c.others)
	if c.InWork() != 0 || c.Waiting() != 0 {
		c.t.Errorf("at the end %d are in work and %d wait", c.InWork(), c.Waiting())
	}
}

// counted returns how many refusals with a problem the metrics have.
func (c *crowded) counted(kind problem.Kind) (count int) {
	families, err := c.metrics.Gather()
	if err != nil {
		c.t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if labels := metric.GetLabel(); len(labels) == 1 && labels[0].GetValue() == kind.Slug() {
				count += int(metric.GetCounter().GetValue())
			}
		}
	}
	return count
}

// refusals returns what was refused so far, by name.
func (c *crowded) refusals() map[string]*problem.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.refused)
}

// TestCallersTakeTurns has one caller ask ten times before two others ask once: they do not wait for the ten.
func TestCallersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 10)
		for n := range 10 {
			c.ask(t.Context(), "greedy", fmt.Sprint("greedy ", n))
		}
		c.ask(t.Context(), "calm", "calm")
		c.ask(t.Context(), "other", "other")
		c.serve()
		got, first := c.served, []string{"greedy 0", "calm", "other", "greedy 1"}
		if len(got) != 12 || !slices.Equal(got[:4], first) || got[11] != "greedy 9" {
			t.Errorf("served %v", got)
		}
	})
}

// TestWhatWaitsTooLongIsRefused checks that requests are refused when they have waited as long as they may, and not
// before: with 503, and with 429 where the caller has more than its share.
func TestWhatWaitsTooLongIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		c.ask(t.Context(), "greedy", "greedy 0")
		c.ask(t.Context(), "greedy", "greedy 1")
		time.Sleep(time.Nanosecond)
		c.ask(t.Context(), "calm", "calm")
		time.Sleep(wait - 2*time.Nanosecond)
		synctest.Wait()
		if len(c.refusals()) != 0 {
			t.Errorf("refused before the time: %v", c.refusals())
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if !errors.Is(c.refusals()["calm"], load.Refusal) || len(c.refusals()) != 3 {
			t.Errorf("refused %v", c.refusals())
		}
		for name, refused := range c.refusals() {
			if refused.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After in %v", name, refused)
			}
		}
		// The last one of a caller is never more than a share.
		if full, share := c.counted(problem.Overloaded), c.counted(problem.ShareUsedUp); full != 2 || share != 1 {
			t.Errorf("counted %d and %d", full, share)
		}
		c.serve()
	})
}

// TestTheCallerWithMostWaitingIsRefusedFirst fills the queue. Those who have less waiting still enter it, and of the
// one with the most, the last request is refused.
func TestTheCallerWithMostWaitingIsRefusedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		const fits = 5 // the queue of one slot
		for n := range fits + 1 {
			c.ask(t.Context(), "ada", fmt.Sprint("greedy ", n))
		}
		if !errors.Is(c.refusals()["greedy 5"], load.Refusal) || len(c.refusals()) != 1 {
			t.Errorf("refused %v, want the last request of the only caller with 503", c.refusals())
		}
		c.ask(t.Context(), "calm", "calm")
		if !errors.Is(c.refusals()["greedy 4"], load.ShareRefusal) || len(c.refusals()) != 2 {
			t.Errorf("refused %v, want the last request of the greedy caller with 429", c.refusals())
		}
		if waiting := c.Waiting(); waiting != fits {
			t.Errorf("%d wait, want %d", waiting, fits)
		}
		c.serve()
		if c.served[1] != "calm" {
			t.Errorf("served %v, want the calm caller as the second one", c.served)
		}
	})
}

// TestWhoeverLeavesTakesNoSlot has requests end while they wait: they leave the queue, are no refusals, and the slot
// goes to those that are left.
func TestWhoeverLeavesTakesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		ctx, cancel := context.WithCancel(t.Context())
		for n := range 3 {
			c.ask(ctx, "gone", fmt.Sprint("gone ", n))
		}
		c.ask(t.Context(), "left", "left")
		cancel()
		synctest.Wait()
		if c.Waiting() != 1 || len(c.refusals()) != 3 {
			t.Errorf("%d wait after others have left: %v", c.Waiting(), c.refusals())
		}
		if n := c.counted(problem.Overloaded) + c.counted(problem.ShareUsedUp); n != 0 {
			t.Errorf("%d are counted as refused", n)
		}
		c.serve()
		if !slices.Equal(c.served, []string{"left"}) {
			t.Errorf("served %v", c.served)
		}
	})
}

// TestWhoseTimeEndsIsRefused has a request wait until its own time ends, before it has waited as long as it may.
func TestWhoseTimeEndsIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), wait/2)
		defer cancel()
		c.ask(ctx, "ada", "late")
		time.Sleep(wait / 2)
		synctest.Wait()
		if !errors.Is(c.refusals()["late"], load.Refusal) || c.counted(problem.Overloaded) != 1 {
			t.Errorf("refused %v, counted %d", c.refusals(), c.counted(problem.Overloaded))
		}
		c.serve()
	})
}

// TestWhoFloodsAloneInTheQueueIsToldSo has one account ask for more than can be served beside another one that is
// served at once, so that nothing of it waits: the first one has the 429s. They end a while after the other one was
// seen.
func TestWhoFloodsAloneInTheQueueIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 2)
		c.others[0].End()
		calm, refused := c.Begin(t.Context(), caller("calm"))
		if refused != nil {
			t.Fatal(refused)
		}
		calm.End()
		time.Sleep(time.Second)
		flood := func(when string) (told int) {
			for n := range 10 {
				c.ask(t.Context(), "ada", fmt.Sprint(when, n))
			}
			time.Sleep(2 * wait)
			synctest.Wait()
			for name, refused := range c.refusals() {
				if errors.Is(refused, load.ShareRefusal) && name[:len(when)] == when {
					if told++; refused.Header.Get("Retry-After") == "" {
						t.Errorf("no Retry-After in %v", refused)
					}
				}
			}
			return told
		}
		c.others[0], _ = c.Begin(t.Context(), caller("ada"))
		if told := flood("beside"); told < 9 {
			t.Errorf("%d of 10 are told that the share of their caller is used up", told)
		}
		time.Sleep(2 * time.Second)
		if told := flood("alone"); told != 0 {
			t.Errorf("%d are told so with nobody else there", told)
		}
		c.serve()
	})
}

// TestOneRequestIsNoMoreThanAShare has a caller wait for what another one has all of: it is refused with 503.
func TestOneRequestIsNoMoreThanAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 4)
		for _, name := range []string{"calm", "other", "third"} {
			c.ask(t.Context(), name, name)
		}
		time.Sleep(2 * wait)
		synctest.Wait()
		for name, refused := range c.refusals() {
			if !errors.Is(refused, load.Refusal) {
				t.Errorf("%s gets %v", name, refused)
			}
		}
		c.serve()
	})
}

// TestCallersOfAnAccountTakeTurns has one caller of an account ask ten times before another one of it, and one of
// another account, ask twice: turns are over accounts, and over the callers of each.
func TestCallersOfAnAccountTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 10)
		for n := range 10 {
			c.ask(t.Context(), "acme/greedy", fmt.Sprint("greedy ", n))
		}
		for n := range 2 {
			c.ask(t.Context(), "acme/calm", fmt.Sprint("calm ", n))
			c.ask(t.Context(), "zenith/eve", fmt.Sprint("eve ", n))
		}
		c.serve()
		want := []string{"greedy 0", "eve 0", "calm 0", "eve 1", "greedy 1", "calm 1", "greedy 2"}
		if !slices.Equal(c.served[:len(want)], want) {
			t.Errorf("served %v, want first %v", c.served, want)
		}
	})
}

// TestTheGreedyCallerOfTheGreedyAccountIsRefusedFirst fills the queue with four callers of one account. What is refused
// for another one is the last request of the caller of it with the most, and that caller is told 429. The only account
// has 503 for nobody but such a caller.
func TestTheGreedyCallerOfTheGreedyAccountIsRefusedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 2)
		for n := range 7 {
			c.ask(t.Context(), "ada/greedy", fmt.Sprint("greedy ", n))
		}
		for _, name := range []string{"ada/b", "ada/c", "ada/d", "ada/e"} {
			c.ask(t.Context(), name, name)
		}
		if !errors.Is(c.refusals()["greedy 6"], load.ShareRefusal) || len(c.refusals()) != 1 {
			t.Errorf("refused %v, want the last request of the greedy caller with 429", c.refusals())
		}
		c.ask(t.Context(), "zenith", "zenith")
		if !errors.Is(c.refusals()["greedy 5"], load.ShareRefusal) || len(c.refusals()) != 2 {
			t.Errorf("refused %v, want one more of the greedy caller", c.refusals())
		}
		c.serve()
	})
}

// TestTheCallersOfAGreedyAccountAreToldSo has eight callers of one account ask once each beside another account: they
// are told 429 although none has too much by itself, but for the last one, which is no longer more than a share.
func TestTheCallersOfAGreedyAccountAreToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 2)
		for n := range 8 {
			name := fmt.Sprint("acme/", n)
			c.ask(t.Context(), name, name)
		}
		c.ask(t.Context(), "zenith", "zenith")
		time.Sleep(2 * wait)
		synctest.Wait()
		if full, share := c.counted(problem.Overloaded), c.counted(problem.ShareUsedUp); full != 2 || share != 7 ||
			!errors.Is(c.refusals()["zenith"], load.Refusal) {
			t.Errorf("%d are told 503 and %d 429: %v", full, share, c.refusals())
		}
		c.serve()
	})
}

// TestRefusalsAreLoggedTogether checks that the log has one line for many refusals, and another one after a while.
func TestRefusalsAreLoggedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		for range 3 {
			c.ask(t.Context(), "ada", "early")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		c.ask(t.Context(), "ada", "later")
		time.Sleep(time.Second)
		synctest.Wait()
		if lines := strings.Count(c.log.String(), "\n"); lines != 2 || !strings.Contains(c.log.String(), "refused=3") {
			t.Errorf("the log has %d lines for 4 refusals:\n%s", lines, c.log.String())
		}
		c.serve()
	})
}
