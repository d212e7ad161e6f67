package load_test

import (
	"context"
	"io"
	"log/slog"
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
		slot, refused := l.Begin(ctx, caller("ada"))
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
	if len(all) != most || l.InWork() != most {
		t.Fatalf("%d are admitted, and %d in work, want %d", len(all), l.InWork(), most)
	}
	all[0].End()
	all[0].End()
	more := admitted(t, l, 2)
	if len(more) != 1 {
		t.Errorf("%d are admitted in place of one that has ended", len(more))
	}
	end(append(all, more...))
	if inWork := l.InWork(); inWork != 0 {
		t.Errorf("%d are in work after the end", inWork)
	}
}

// TestSlowSendersKeepNobodyOut has more requests wait for their bodies than may be in work.
func TestSlowSendersKeepNobodyOut(t *testing.T) {
	l := limiter()
	var senders []*io.PipeWriter
	ended := make(chan error)
	const slow = 3 * most
	for range slow {
		from, to := io.Pipe()
		senders = append(senders, to)
		c := asking(impatient(t), from)
		if refused := l.Admit(c, caller("ada"), "/vehicle"); refused != nil {
			t.Fatalf("a request is refused although all others wait for their bodies: %v", refused)
		}
		reading := make(chan struct{})
		go func() {
			close(reading)
			_, err := io.ReadAll(c.Request.Body)
			load.Leave(c)
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
	if inWork := l.InWork(); inWork != 0 {
		t.Errorf("%d are in work after the end", inWork)
	}
}

// TestARequestHasOneSlot checks that a service in the process of the gateway admits what was admitted there, and does
// not end its slot.
func TestARequestHasOneSlot(t *testing.T) {
	gateway, service := limiter(), limiter()
	c := asking(t.Context(), nil)
	if refused := gateway.Admit(c, caller("ada"), "/vehicle"); refused != nil {
		t.Fatal(refused)
	}
	full := admitted(t, service, most)
	ctx, leave := context.WithCancel(c.Request.Context())
	leave()
	part := asking(ctx, nil)
	if refused := service.Admit(part, caller("ada"), "/vehicle"); refused != nil {
		t.Errorf("a request that has a slot gets %v", refused)
	}
	load.Leave(part)
	if n := gateway.InWork(); n != 1 {
		t.Errorf("%d are in work before the end", n)
	}
	load.Leave(c)
	end(full)
	if n := gateway.InWork() + service.InWork(); n != 0 {
		t.Errorf("%d are in work after the end", n)
	}
}
