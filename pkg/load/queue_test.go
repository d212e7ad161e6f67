package load_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// wait is how long requests may wait in these tests. Their time passes only while all goroutines wait.
const wait = 500 * time.Millisecond

// crowded is a limiter whose slots are taken, and what became of the requests that wait for the first of them.
type crowded struct {
	*load.Limiter
	t      *testing.T
	taken  *load.Slot
	others []*load.Slot
	log    strings.Builder

	mu sync.Mutex
	// served are the names of the requests that had the slot, in their order; slots gets these in turn.
	served  []string
	slots   chan *load.Slot
	refused map[string]*problem.Error
}

// newCrowded returns a limiter for whose slots five times as many requests may wait.
func newCrowded(t *testing.T, slots int) *crowded {
	c := &crowded{t: t, slots: make(chan *load.Slot, 100), refused: map[string]*problem.Error{}}
	c.Limiter = load.NewLimiter(load.LimiterConfig{
		Wait: wait, Target: target, Most: slots, MostWaiting: 5 * slots, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(&c.log, nil)),
	})
	all := admitted(t, c.Limiter, load.Read, slots)
	c.taken, c.others = all[0], all[1:]
	return c
}

// ask has a request of a caller wait.
func (c *crowded) ask(ctx context.Context, by string, class load.Class, name string) {
	go func() {
		_, slot, refused := c.Begin(ctx, caller(by), class)
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
		c.taken.Served()
		synctest.Wait()
		select {
		case c.taken = <-c.slots:
		default:
			c.taken = nil
		}
	}
	end(c.others)
	if s := c.State(); s.InWork != 0 || s.Waiting != 0 {
		c.t.Errorf("at the end %d are in work and %d wait", s.InWork, s.Waiting)
	}
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
			c.ask(t.Context(), "greedy", load.Read, fmt.Sprint("greedy ", n))
		}
		c.ask(t.Context(), "calm", load.Read, "calm")
		c.ask(t.Context(), "other", load.List, "other")
		c.serve()
		got, first := c.served, []string{"greedy 0", "calm", "other", "greedy 1"}
		if len(got) != 12 || !slices.Equal(got[:4], first) || got[11] != "greedy 9" {
			t.Errorf("served %v", got)
		}
	})
}

// TestClassesOfOneCaller checks the order in which the requests of one caller are worked on: most of them reads, and
// none that waits forever.
func TestClassesOfOneCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 10)
		for _, class := range []load.Class{load.List, load.Write, load.Read} {
			for range 8 {
				c.ask(t.Context(), "ada", class, class.String())
			}
		}
		c.serve()
		want := strings.Fields("read read write read read write read list " +
			"read read write read write write write " + "list write write " + strings.Repeat("list ", 6))
		if !slices.Equal(c.served, want) {
			t.Errorf("served %v, want %v", c.served, want)
		}
	})
}

// TestWhatWaitsTooLongIsRefused checks that requests are refused when they have waited as long as they may, and not
// before: with 503, and with 429 where the caller has more than its share.
func TestWhatWaitsTooLongIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		c.ask(t.Context(), "greedy", load.Read, "greedy 0")
		c.ask(t.Context(), "greedy", load.Read, "greedy 1")
		time.Sleep(time.Nanosecond)
		c.ask(t.Context(), "calm", load.Write, "calm")
		time.Sleep(wait - 2*time.Nanosecond)
		synctest.Wait()
		if len(c.refusals()) != 0 {
			t.Errorf("refused before the time: %v", c.refusals())
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		shares := 0
		for _, name := range []string{"greedy 0", "greedy 1"} {
			if errors.Is(c.refusals()[name], load.ShareRefusal) {
				shares++
			}
		}
		if shares != 2 || !errors.Is(c.refusals()["calm"], load.Refusal) || len(c.refusals()) != 3 {
			t.Errorf("refused %v", c.refusals())
		}
		for name, refused := range c.refusals() {
			if refused.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After in %v", name, refused)
			}
		}
		late := c.State().Refused[load.Late]
		if c.State().Refused[load.Share][load.Read] != 2 || late[load.Read] != 0 || late[load.Write] != 1 {
			t.Errorf("counted %v", c.State().Refused)
		}
		c.serve()
	})
}

// TestTheCallerWithMostWaitingIsRefusedFirst fills the queue. Those who have less waiting still enter it, and of the
// one with the most, lists go first, the last one of them before.
func TestTheCallerWithMostWaitingIsRefusedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		const fits = 5 // the queue of one slot
		for n := range fits - 1 {
			c.ask(t.Context(), "ada", load.Read, fmt.Sprint("greedy ", n))
		}
		c.ask(t.Context(), "ada", load.List, "greedy list")
		c.ask(t.Context(), "ada", load.Read, "greedy 4")
		if c.refusals()["greedy list"] == nil || len(c.refusals()) != 1 {
			t.Errorf("refused %v, want the list of the only caller", c.refusals())
		}
		if !errors.Is(c.refusals()["greedy list"], load.Refusal) {
			t.Errorf("the only caller gets %v", c.refusals()["greedy list"])
		}
		c.ask(t.Context(), "calm", load.List, "calm")
		if !errors.Is(c.refusals()["greedy 4"], load.ShareRefusal) || len(c.refusals()) != 2 {
			t.Errorf("refused %v, want the last request of the greedy caller", c.refusals())
		}
		if waiting := c.State().Waiting; waiting != fits {
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
			c.ask(ctx, "gone", load.Read, fmt.Sprint("gone ", n))
		}
		c.ask(t.Context(), "left", load.Read, "left")
		cancel()
		synctest.Wait()
		if s := c.State(); s.Waiting != 1 || len(c.refusals()) != 3 {
			t.Errorf("%d wait after others have left: %v", s.Waiting, c.refusals())
		}
		for reason, of := range c.State().Refused {
			if slices.Max(slices.Collect(maps.Values(of))) != 0 {
				t.Errorf("counted as %s: %v", reason, of)
			}
		}
		c.serve()
		if !slices.Equal(c.served, []string{"left"}) {
			t.Errorf("served %v", c.served)
		}
	})
}

// TestRefusalsAreLoggedTogether checks that the log has one line for many refusals, and another one after a while.
func TestRefusalsAreLoggedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		for range 3 {
			c.ask(t.Context(), "ada", load.Read, "early")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		c.ask(t.Context(), "ada", load.Read, "later")
		time.Sleep(time.Second)
		synctest.Wait()
		if lines := strings.Count(c.log.String(), "\n"); lines != 2 || !strings.Contains(c.log.String(), "refused=3") {
			t.Errorf("the log has %d lines for 4 refusals:\n%s", lines, c.log.String())
		}
		c.serve()
	})
}

// TestManyWaitInBoundedMemory has 5,000 requests of many callers wait, in less than 8 KiB each with their goroutines,
// and leaves nothing of them.
func TestManyWaitInBoundedMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const asked = 6000
		l := load.NewLimiter(load.LimiterConfig{
			Wait: wait, Target: target, Most: 1000, MostWaiting: 5000, Now: time.Now,
			Log: slog.New(slog.DiscardHandler),
		})
		places := admitted(t, l, load.Read, 1000)
		before := inUse()
		var ended sync.WaitGroup
		var mu sync.Mutex
		served := 0
		for n := range asked {
			ended.Go(func() {
				_, slot, refused := l.Begin(t.Context(), caller(fmt.Sprint("caller ", n%100)), load.Read)
				if refused == nil {
					slot.Served()
					mu.Lock()
					defer mu.Unlock()
					served++
				}
			})
		}
		synctest.Wait()
		if waiting := l.State().Waiting; waiting != 5000 {
			t.Errorf("%d wait, want the bound", waiting)
		}
		if used := inUse() - before; used > 5000*8<<10 {
			t.Errorf("they take %d bytes", used)
		}
		end(places)
		ended.Wait()
		if s := l.State(); s.Waiting != 0 || s.InWork != 0 || served != 5000 {
			t.Errorf("%d were served, and at the end %d wait and %d are in work", served, s.Waiting, s.InWork)
		}
	})
}

// inUse returns the bytes of the heap and of stacks that are in use.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
