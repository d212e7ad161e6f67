package load_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/load"
)

// refuse sends the refusal of a request that a door with a holder has let in.
func refuse(h *load.Holder, ctx context.Context) *httptest.ResponseRecorder {
	gin.SetMode(gin.ReleaseMode)
	recorder := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(recorder)
	c.Request = httptest.NewRequestWithContext(ctx, http.MethodGet, "/vehicle/7", nil)
	defer load.Door{Holder: h}.Enter(c)()
	load.HoldBack(c)
	c.Status(http.StatusUnauthorized)
	c.Writer.WriteHeaderNow()
	return recorder
}

// several sends that many refusals at once, and returns how many have been sent so far, and a function that waits for
// all of them.
func several(ctx context.Context, h *load.Holder, count int) (sent *atomic.Int64, wait func()) {
	var all sync.WaitGroup
	sent = new(atomic.Int64)
	for range count {
		all.Go(func() {
			refuse(h, ctx)
			sent.Add(1)
		})
	}
	synctest.Wait()
	return sent, all.Wait
}

const (
	// free is how many refusals a second are sent at once.
	free     = 200
	shortest = 50 * time.Millisecond
	longest  = 500 * time.Millisecond
)

// TestFewRefusalsAreSentAtOnce checks that refusals wait for nothing as long as they are few, each second anew.
func TestFewRefusalsAreSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := load.NewHolder(5000)
		for range 3 {
			began := time.Now()
			for range free {
				refuse(h, t.Context())
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("a few refusals take %v", took)
			}
			time.Sleep(time.Second)
		}
		if s := h.State(); s != (load.HolderState{}) {
			t.Errorf("held: %+v", s)
		}
	})
}

// TestManyRefusalsAreHeld checks that the more refusals there are the longer they are held, within the bounds, and that
// nothing is left of them.
func TestManyRefusalsAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 3000
		h := load.NewHolder(5000)
		sent, wait := several(t.Context(), h, free+many)
		if n, held := sent.Load(), h.State().Held; n != free || held != many {
			t.Errorf("%d are sent at once and %d are held", n, held)
		}
		time.Sleep(shortest - time.Nanosecond)
		synctest.Wait()
		if n := sent.Load(); n != free {
			t.Errorf("%d are sent before the shortest time", n)
		}
		time.Sleep(longest - shortest)
		synctest.Wait()
		if n := sent.Load(); n <= free || n >= free+many/2 {
			t.Errorf("%d are sent just before the longest time", n)
		}
		began := time.Now()
		wait()
		if took := time.Since(began); took != time.Nanosecond {
			t.Errorf("the last ones take %v longer", took)
		}
		if s := h.State(); s.Held != 0 || s.Total != many || s.Beyond != 0 {
			t.Errorf("afterwards: %+v", s)
		}
	})
}

// TestBeyondTheBoundConnectionsAreClosed checks that no more are held than may be, and that others close their
// connections.
func TestBeyondTheBoundConnectionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 10
		h := load.NewHolder(most)
		_, wait := several(t.Context(), h, free+most)
		began := time.Now()
		got := refuse(h, t.Context())
		if took := time.Since(began); took != 0 || got.Header().Get("Connection") != "close" {
			t.Errorf("one more is held for %v, with %v", took, got.Header())
		}
		wait()
		if got := refuse(h, t.Context()); got.Header().Get("Connection") != "" {
			t.Errorf("afterwards: %v", got.Header())
		}
		if s := h.State(); s.Held != 0 || s.Beyond != 1 {
			t.Errorf("counted %+v", s)
		}
	})
}

// TestHeldRefusalsEnd checks that what is held ends with its request, and when the process stops.
func TestHeldRefusalsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := load.NewHolder(5000)
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		_, left := several(ctx, h, free+10)
		cancel()
		left()
		_, stopped := several(t.Context(), h, 10)
		if held := h.State().Held; held != 10 {
			t.Errorf("%d are held", held)
		}
		h.Release()
		stopped()
		refuse(h, t.Context())
		if took := time.Since(began); took != 0 || h.State().Held != 0 {
			t.Errorf("it takes %v, and %d are held afterwards", took, h.State().Held)
		}
	})
}

func TestWithoutAHolderNothingIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		for range 10 * free {
			refuse(nil, t.Context())
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it takes %v", took)
		}
	})
}
