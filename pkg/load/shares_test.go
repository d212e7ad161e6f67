package load_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// TestWhoFloodsAloneInTheQueueIsToldSo has one account ask for more than can be served beside another one that is
// served at once, so that nothing of it waits: the first one has the 429s. They end a while after the other one was
// seen.
func TestWhoFloodsAloneInTheQueueIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 2)
		c.others[0].Served()
		_, calm, refused := c.Begin(t.Context(), caller("calm"), load.Write)
		if refused != nil {
			t.Fatal(refused)
		}
		calm.Served()
		flood := func(when string) (told int) {
			for n := range 10 {
				c.ask(t.Context(), "ada", load.Read, fmt.Sprint(when, n))
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
		_, c.others[0], _ = c.Begin(t.Context(), caller("ada"), load.Read)
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

// TestWhoHasFloodedIsToldSoForAWhile has an account ask for more than its share, and get it. The next request of it
// that waits in vain is told 429, and one a while later 503. Another one is told 429 because of what it has in work.
func TestWhoHasFloodedIsToldSoForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		flood := func(of string) {
			for n := range 3 {
				c.ask(t.Context(), of, load.Read, fmt.Sprint(of, n))
			}
			for range 3 {
				c.taken.Served()
				c.taken = <-c.slots
			}
			c.taken.Served()
		}
		inVain := func(of string) *problem.Error {
			c.ask(t.Context(), of, load.Read, "in vain")
			time.Sleep(wait)
			synctest.Wait()
			return c.refusals()["in vain"]
		}
		flood("eve")
		_, c.taken, _ = c.Begin(t.Context(), caller("ada"), load.Read)
		if told := inVain("eve"); !errors.Is(told, load.ShareRefusal) {
			t.Errorf("after the flood: %v", told)
		}
		time.Sleep(time.Second)
		if told := inVain("eve"); !errors.Is(told, load.Refusal) {
			t.Errorf("a while after the flood: %v", told)
		}
		if told := inVain("ada"); !errors.Is(told, load.ShareRefusal) {
			t.Errorf("who has all that is in work: %v", told)
		}
		c.serve()
	})
}

// TestOneRequestIsNoMoreThanAShare has a caller wait for what another one has all of: it is refused with 503.
func TestOneRequestIsNoMoreThanAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 4)
		for _, name := range []string{"calm", "other", "third"} {
			c.ask(t.Context(), name, load.Read, name)
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
			c.ask(t.Context(), "acme/greedy", load.Read, fmt.Sprint("greedy ", n))
		}
		for n := range 2 {
			c.ask(t.Context(), "acme/calm", load.Read, fmt.Sprint("calm ", n))
			c.ask(t.Context(), "zenith/eve", load.Read, fmt.Sprint("eve ", n))
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
			c.ask(t.Context(), "ada/greedy", load.Read, fmt.Sprint("greedy ", n))
		}
		for _, name := range []string{"ada/b", "ada/c", "ada/d", "ada/e"} {
			c.ask(t.Context(), name, load.Read, name)
		}
		if !errors.Is(c.refusals()["greedy 6"], load.ShareRefusal) || len(c.refusals()) != 1 {
			t.Errorf("refused %v, want the last request of the greedy caller with 429", c.refusals())
		}
		c.ask(t.Context(), "zenith", load.Read, "zenith")
		if !errors.Is(c.refusals()["greedy 5"], load.ShareRefusal) || len(c.refusals()) != 2 {
			t.Errorf("refused %v, want one more of the greedy caller", c.refusals())
		}
		c.serve()
	})
}

// TestCallersAreForgotten has a hundred thousand callers ask once, in bounded memory.
func TestCallersAreForgotten(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	l := load.NewLimiter(load.LimiterConfig{Wait: wait, Target: target, Most: 10, MostWaiting: 10,
		Now: func() time.Time { return c.now }, Log: slog.New(slog.DiscardHandler)})
	before := inUse()
	for n := range 100_000 {
		_, slot, refused := l.Begin(t.Context(), caller(fmt.Sprintf("%d/%d", n/10, n)), load.Read)
		if refused != nil {
			t.Fatal(refused)
		}
		slot.Served()
	}
	if used := inUse() - before; used > 4<<20 {
		t.Errorf("they take %d bytes", used)
	}
	l.State() // the limiter is in use until here
}
