package load_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/load"
)

// visitor is one connection at a gate, and the context of its requests.
type visitor struct {
	*load.Visitor
	ctx context.Context
}

// visit returns a connection that has proved to be that of a caller.
func visit(t *testing.T, g *load.Gate, name string) visitor {
	t.Helper()
	ctx, v := g.Visit(t.Context())
	gin.SetMode(gin.ReleaseMode)
	free := load.NewLimiter(load.LimiterConfig{Wait: wait, Most: 1, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequestWithContext(ctx, http.MethodGet, "/vehicle/7", nil)
	if refused := free.Admit(c, caller(name), "/vehicle/:id"); refused != nil {
		t.Fatal(refused)
	}
	load.Leave(c)
	return visitor{v, ctx}
}

// arrivals are the names of the requests that have passed a gate, in their order.
type arrivals struct {
	mu    sync.Mutex
	names []string
}

// enter has a request come, which waits for a slot as soon as it has passed.
func (a *arrivals) enter(v visitor, name string) {
	go func() {
		v.Enter()
		a.mu.Lock()
		defer a.mu.Unlock()
		v.Await()
		a.names = append(a.names, name)
	}()
	synctest.Wait()
}

// all returns what has passed so far.
func (a *arrivals) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.names)
}

// TestFewAreReadWhileOthersWait checks that requests are read only while few of those that were read wait for slots.
func TestFewAreReadWhileOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := load.NewGate(1, 100, wait, nil, nil)
		var passed arrivals
		var visitors []visitor
		for n := range 4 {
			visitors = append(visitors, visit(t, g, "greedy"))
			passed.enter(visitors[n], fmt.Sprint("greedy ", n))
		}
		if waiting := g.Waiting(); waiting != 3 || !slices.Equal(passed.all(), []string{"greedy 0"}) {
			t.Errorf("%d wait, and %v have passed", waiting, passed.all())
		}
		visitors[0].Leave()
		synctest.Wait()
		if waiting := g.Waiting(); waiting != 0 || len(passed.all()) != 4 {
			t.Errorf("afterwards %d wait, and %v have passed", waiting, passed.all())
		}
	})
}

// TestWhatIsLateIsRead checks that requests are read after the time for which they may wait, because only what is read
// can be refused, and all of them when the process stops.
func TestWhatIsLateIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := load.NewGate(1, 100, wait, nil, nil)
		var passed arrivals
		passed.enter(visit(t, g, "ada"), "first")
		passed.enter(visit(t, g, "ada"), "late")
		time.Sleep(wait - time.Nanosecond)
		synctest.Wait()
		if len(passed.all()) != 1 {
			t.Errorf("%v have passed before the time", passed.all())
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		passed.enter(visit(t, g, "ada"), "at the stop")
		if want := []string{"first", "late"}; !slices.Equal(passed.all(), want) {
			t.Errorf("passed %v, want %v", passed.all(), want)
		}
		g.Open()
		synctest.Wait()
		passed.enter(visit(t, g, "ada"), "afterwards")
		if len(passed.all()) != 4 || g.Waiting() != 0 {
			t.Errorf("passed %v, and %d wait", passed.all(), g.Waiting())
		}
	})
}

// TestOneTimeForBothWaits checks that what has waited at the gate waits for a slot only for the rest of the time.
func TestOneTimeForBothWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded(t, 1)
		g := load.NewGate(1, 100, wait, nil, nil)
		v := visit(t, g, "ada")
		began := time.Now()
		v.Enter()
		time.Sleep(wait / 2)
		if _, _, refused := c.Begin(v.ctx, caller("ada"), load.Read); refused == nil {
			t.Error("it gets a slot that is taken")
		}
		if took := time.Since(began); took != wait {
			t.Errorf("it waits for %v, want %v", took, wait)
		}
		c.serve()
	})
}

// TestTheNextRequestIsHeld checks that a refusal on a connection of HTTP/1 is sent at once, and that what follows it is
// read later.
func TestTheNextRequestIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := load.NewHolder(5000)
		v := visit(t, load.NewGate(1, 100, wait, h, nil), "ada")
		for range free {
			refuse(h, t.Context())
		}
		began := time.Now()
		refuse(h, v.ctx)
		if took := time.Since(began); took != 0 {
			t.Errorf("the refusal takes %v", took)
		}
		v.Rest()
		if took := time.Since(began); took < shortest || took > longest {
			t.Errorf("the next request is read after %v", took)
		}
		began = time.Now()
		v.Rest()
		if took := time.Since(began); took != 0 {
			t.Errorf("one after a request that was not refused is read after %v", took)
		}
	})
}

// TestTheBellIsHeard checks that all waiting requests are let in when only requests that end ring the bell.
func TestTheBellIsHeard(t *testing.T) {
	bell, err := load.NewBell()
	if err != nil {
		t.Fatal(err)
	}
	l := load.NewLimiter(load.LimiterConfig{Wait: time.Hour, Target: target, Most: 4, MostWaiting: 1000, Bell: bell,
		Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	g := load.NewGate(2, 1000, time.Hour, nil, bell)
	var all sync.WaitGroup
	for n := range 500 {
		all.Go(func() {
			ctx, v := g.Visit(t.Context())
			v.Enter()
			_, slot, refused := l.Begin(ctx, caller(fmt.Sprint(n%7)), load.Read)
			if refused != nil {
				t.Error(refused)
			}
			slot.Served()
		})
	}
	all.Wait()
	if s := l.State(); s.InWork != 0 || s.Waiting != 0 || g.Waiting() != 0 {
		t.Errorf("at the end: %+v, and %d at the gate", s, g.Waiting())
	}
	if err := bell.Close(); err != nil {
		t.Error(err)
	}
}
