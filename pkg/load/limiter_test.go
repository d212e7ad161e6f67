package load_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/load"
)

// most is how many requests may be in work in these tests.
const most = 100

func limiter() *load.Limiter {
	return load.NewLimiter(load.LimiterConfig{
		Wait: time.Hour, Most: most, MostWaiting: 5000, Log: slog.New(slog.DiscardHandler),
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

// admitted begins requests until one would have to wait, at most a number of them, and returns their slots.
func admitted(t *testing.T, l *load.Limiter, count int) []*load.Slot {
	t.Helper()
	var slots []*load.Slot
	for ctx := impatient(t); len(slots) < count; {
		_, slot, refused := l.Begin(ctx, caller("ada"))
		if refused != nil {
			break
		}
		slots = append(slots, slot)
	}
	return slots
}

func end(slots []*load.Slot) {
	for _, s := range slots {
		s.End()
	}
}

// TestAsManyAreInWorkAsMayBe admits as many as there are slots, and the next one when one of them ends, once.
func TestAsManyAreInWorkAsMayBe(t *testing.T) {
	l := limiter()
	all := admitted(t, l, 2*most)
	if len(all) != most || l.State().InWork != most {
		t.Fatalf("%d are admitted, and %d in work, want %d", len(all), l.State().InWork, most)
	}
	all[0].End()
	all[0].End()
	more := admitted(t, l, 2)
	if len(more) != 1 {
		t.Errorf("%d are admitted in place of one that has ended", len(more))
	}
	end(append(all, more...))
	if state := l.State(); state.InWork != 0 {
		t.Errorf("%d are in work after the end", state.InWork)
	}
}

// TestSlowSendersKeepNobodyOut has more requests wait for their bodies than may be in work.
func TestSlowSendersKeepNobodyOut(t *testing.T) {
	l := limiter()
	var senders []*io.PipeWriter
	ended := make(chan error)
	const slow = 3 * most
	for range slow {
		place := admitted(t, l, 1)
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
			place[0].End()
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

// TestARequestHasOneSlot checks that a service in the process of the gateway admits what was admitted there.
func TestARequestHasOneSlot(t *testing.T) {
	gateway, service := limiter(), limiter()
	ctx, place, refused := gateway.Begin(t.Context(), caller("ada"))
	if refused != nil {
		t.Fatal(refused)
	}
	full := admitted(t, service, 2000)
	inner, none, refused := service.Begin(ctx, caller("ada"))
	if refused != nil || none != nil || inner != ctx {
		t.Errorf("a request that has a place gets %v and %v", none, refused)
	}
	none.End()
	if got := none.Body(http.NoBody); got != http.NoBody {
		t.Errorf("its body is %v", got)
	}
	place.End()
	end(full)
	if n := gateway.State().InWork + service.State().InWork; n != 0 {
		t.Errorf("%d are in work after the end", n)
	}
}

func TestWithoutAWaitNothingIsRefused(t *testing.T) {
	l := load.NewLimiter(load.LimiterConfig{Most: 1})
	for range 10 {
		if _, _, refused := l.Begin(impatient(t), caller("ada")); refused != nil {
			t.Fatal(refused)
		}
	}
}
