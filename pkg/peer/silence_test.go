package peer_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

func (w *world) newFrozen() *frozen {
	w.Helper()
	f := &frozen{}
	f.replica = w.newReplica(func(w http.ResponseWriter, r *http.Request) {
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
	w.Cleanup(f.release)
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

// silentPatience is how long a request waits for a silent replica.
const silentPatience = time.Second

// TestASilentReplicaIsGivenUp has a replica respond to nothing. Those who come after several have waited in vain get an
// error within a second, whatever time they have. Once it responds again, they wait as long as before.
func TestASilentReplicaIsGivenUp(t *testing.T) {
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		inMemory(t, func(w *world) {
			f, transport := w.newFrozen(), w.transport()
			if err := ask(transport, method, f.host(), time.Minute); err != nil {
				w.Fatal(err)
			}
			time.Sleep(time.Second)
			f.freeze()
			silenced(w.T, transport, f.host())
			for range 2 {
				began := time.Now()
				if err := ask(transport, method, f.host(), time.Minute); !errors.Is(err, context.DeadlineExceeded) {
					w.Errorf("%s: error %v, want that it responds to nothing", method, err)
				}
				if took := time.Since(began); took != silentPatience {
					w.Errorf("%s: a silent replica costs %s", method, took)
				}
			}
			f.release()
			synctest.Wait() // a probe is responded to
			f.slow.Store(int64(2 * silentPatience))
			if err := ask(transport, method, f.host(), time.Minute); err != nil {
				w.Errorf("%s: it responds again: %v", method, err)
			}
		})
	}
}

// TestASlowReplicaIsHeard has a replica take longer for each request than one waits for a silent one. It responds to a
// probe, so that it does not stay silent for ever.
func TestASlowReplicaIsHeard(t *testing.T) {
	inMemory(t, func(w *world) {
		f, transport := w.newFrozen(), w.transport()
		f.freeze()
		silenced(w.T, transport, f.host())
		f.slow.Store(int64(2 * silentPatience))
		f.release()
		if err := ask(transport, http.MethodPost, f.host(), time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			w.Errorf("error %v before there was a probe", err)
		}
		if err := ask(transport, http.MethodPost, f.host(), time.Minute); err != nil {
			w.Error(err)
		}
	})
}

// TestTheBreakerOpensForASilentPeer has a peer respond to nothing: after several calls none is made.
func TestTheBreakerOpensForASilentPeer(t *testing.T) {
	inMemory(t, func(w *world) {
		f := w.newFrozen()
		f.freeze()
		c := client(w, peer.Config{Address: f.URL, Transport: w.transport(), OpenAfter: 5, OpenFor: time.Hour})
		for n := range 10 {
			within := time.Minute
			if n < 3 {
				within = silentPatience
			}
			ctx, cancel := context.WithTimeout(w.Context(), within)
			_, _, err := peer.Get[policy](ctx, c, "/")
			cancel()
			outage(w.T, err)
		}
		// The fourth call finds out that the peer is silent, and a probe begins with it.
		if asked := f.requests.Load(); asked != 5+1 {
			w.Errorf("a silent peer gets %d requests", asked)
		}
	})
}
