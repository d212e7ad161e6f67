package peer_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/peer"
)

// frozen is a replica that keeps every request without a response while it is frozen, as a stopped process does.
type frozen struct {
	*replica
	mu   sync.Mutex
	thaw chan struct{} // nil while it responds
	// slow has every response but that to a probe take so long.
	slow atomic.Int64
}

func newFrozen(t *testing.T) *frozen {
	t.Helper()
	f := &frozen{}
	f.replica = newReplica(t, func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		thaw := f.thaw
		f.mu.Unlock()
		if thaw != nil {
			select {
			case <-thaw:
			case <-r.Context().Done():
				return
			}
		}
		if r.Method != http.MethodHead {
			select {
			case <-time.After(time.Duration(f.slow.Load())):
			case <-r.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(w, "{}")
	})
	t.Cleanup(f.release)
	return f
}

func (f *frozen) freeze() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.thaw = make(chan struct{})
}

func (f *frozen) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.thaw != nil {
		close(f.thaw)
		f.thaw = nil
	}
}

// ask sends a request that its caller gives up after a while.
func ask(transport http.RoundTripper, method, host string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+host+"/vehicle", nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// silenced has callers wait for a frozen replica in vain until it is known to be silent.
func silenced(t *testing.T, transport http.RoundTripper, host string) {
	t.Helper()
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() {
			if err := ask(transport, http.MethodPost, host, 10*time.Second); err == nil {
				t.Error("a frozen replica responds")
			}
		})
	}
	callers.Wait()
}

// patient is how long the callers wait who are to be told much sooner.
const patient = 10 * time.Minute

// TestASilentReplicaIsGivenUp has a replica respond to nothing. Those who come after several have waited in vain get an
// error within a second or so, whatever time they have. Once it responds again, they wait as long as before.
func TestASilentReplicaIsGivenUp(t *testing.T) {
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		f, transport := newFrozen(t), peer.NewTransport()
		if err := ask(transport, method, f.host(), patient); err != nil {
			t.Fatal(err)
		}
		f.freeze()
		silenced(t, transport, f.host())
		for range 2 {
			began := time.Now()
			if err := ask(transport, method, f.host(), patient); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: error %v, want that it responds to nothing", method, err)
			}
			if took := time.Since(began); took > patient/2 {
				t.Errorf("%s: a silent replica costs %s", method, took)
			}
		}
		f.release()
		until(t, func() error { return ask(transport, method, f.host(), patient) })
	}
}

// TestASlowReplicaIsHeard has a replica take longer for each request than one waits for a silent one. It responds to a
// probe, so that it does not stay silent for ever.
func TestASlowReplicaIsHeard(t *testing.T) {
	f, transport := newFrozen(t), peer.NewTransport()
	f.freeze()
	silenced(t, transport, f.host())
	f.slow.Store(int64(1500 * time.Millisecond))
	f.release()
	until(t, func() error { return ask(transport, http.MethodPost, f.host(), patient) })
}

// TestTheBreakerOpensForASilentPeer has a peer respond to nothing: after several calls none is made.
func TestTheBreakerOpensForASilentPeer(t *testing.T) {
	f := newFrozen(t)
	f.freeze()
	c := client(t, peer.Config{
		Address: f.URL, Transport: peer.NewTransport(), OpenAfter: 5, OpenFor: time.Hour,
	})
	for n := range 10 {
		within := patient
		if n < 3 {
			within = 1100 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), within)
		_, _, err := peer.Get[policy](ctx, c, "/")
		cancel()
		outage(t, err)
	}
	// Those of the probes, which have no more than one connection at a time.
	if asked := f.requests.Load(); asked > 5+5 {
		t.Errorf("a silent peer gets %d requests", asked)
	}
}

// until polls until there is no error.
func until(t *testing.T, done func() error) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; {
		err := done()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		<-time.After(5 * time.Millisecond)
	}
}
