package process_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
)

// TestConnectionsWithoutARequestMakeRoom opens as many connections as there may be, each with one request. A further
// caller is served, and the one that waited longest is closed for it.
func TestConnectionsWithoutARequestMakeRoom(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, name := range []string{"plain", "TLS"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := dialersOf(t, openInMemory, func(*process.Process) http.Handler { return handler },
					func(s *process.Settings) { s.MaxConnections = 7 })[name]
				var idle []dialog
				for range 7 {
					d := dial(t)
					d.ask(t, "/")
					synctest.Wait() // the server notes the end of a request after its response
					idle = append(idle, d)
				}
				idle[0].ask(t, "/") // so that it is not the one that waits longest
				synctest.Wait()
				served := func() bool {
					d := dial(t)
					if _, err := io.WriteString(d, simply(http.MethodGet, "/", "")); err != nil {
						return false
					}
					response, err := http.ReadResponse(d.in, nil)
					if err != nil {
						return false
					}
					response.Body.Close()
					return response.StatusCode == http.StatusNoContent
				}
				began := time.Now()
				eventually(t, served)
				idle[1].wantEnd(t)
				// Those that were used within a second are not closed.
				if took := time.Since(began); took < 990*time.Millisecond || took > 2*time.Second {
					t.Errorf("there was room after %v", took)
				}
			})
		})
	}
}

// held is a handler that keeps each request until it is told to end them all.
type held struct {
	came  chan struct{}
	leave chan struct{}
	once  sync.Once
}

func newHeld(t *testing.T) *held {
	h := &held{came: make(chan struct{}, 100), leave: make(chan struct{})}
	t.Cleanup(h.release)
	return h
}

func (h *held) release() { h.once.Do(func() { close(h.leave) }) }

func (h *held) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/held" {
		h.came <- struct{}{}
		<-h.leave
	}
	w.WriteHeader(http.StatusNoContent)
}

// TestConnectionsWithARequestStay has a request in work on every connection that there may be. The process is not
// ready then, a further caller is refused, and none of the requests is cut off.
func TestConnectionsWithARequestStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, journal := openInMemory(t, func(s *process.Settings) { s.MaxConnections = 3 })
		handler := newHeld(t)
		serving(t, p, handler)
		var busy []dialog
		for range 3 {
			d := dialled(t, p)
			d.send(t, "/held")
			<-handler.came
			busy = append(busy, d)
		}
		ready := journal.adminURL(t) + "/readyz"
		if status, body := get(t, ready); status != http.StatusServiceUnavailable ||
			!strings.Contains(body, "max-connections") {
			t.Errorf("full: %d %s", status, body)
		}
		// For longer than a connection without a request is safe.
		for began := time.Now(); time.Since(began) < 1200*time.Millisecond; {
			d := dialled(t, p)
			response, text := d.exchanged(t, simply(http.MethodGet, "/vehicle/7", ""))
			wantProblem(t, response, text, problem.Overloaded, "connections")
			_ = d.Close()
		}
		handler.release()
		for _, d := range busy {
			if response := d.receive(t); response.StatusCode != http.StatusNoContent {
				t.Errorf("a request in work gets %d", response.StatusCode)
			}
		}
		eventually(t, func() bool { status, _ := get(t, ready); return status == http.StatusOK })
		eventually(t, func() bool { return dialled(t, p).ask(t, "/").StatusCode == http.StatusNoContent })
	})
}

// TestOneAddressLeavesPlacesToOthers fills all places that one address may have.
func TestOneAddressLeavesPlacesToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, journal := openInMemory(t, func(s *process.Settings) { s.MaxConnections = 16 })
		handler := newHeld(t)
		serving(t, p, handler)
		for range 14 {
			dialledFrom(t, "127.0.0.2", p.Address()).send(t, "/held")
			<-handler.came
		}
		ready := journal.adminURL(t) + "/readyz"
		if status, body := get(t, ready); status != http.StatusServiceUnavailable {
			t.Errorf("the only address may have no more connections: %d %s", status, body)
		}
		response, text := dialledFrom(t, "127.0.0.2", p.Address()).exchanged(t, simply(http.MethodGet, "/", ""))
		wantProblem(t, response, text, problem.Overloaded, "connections")
		other := dialledFrom(t, "127.0.0.3", p.Address())
		if response := other.ask(t, "/"); response.StatusCode != http.StatusNoContent {
			t.Errorf("another address gets %d", response.StatusCode)
		}
		if status, body := get(t, ready); status != http.StatusOK {
			t.Errorf("there are places for other addresses: %d %s", status, body)
		}
	})
}
