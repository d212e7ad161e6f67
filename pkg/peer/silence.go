package peer

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/patience"
)

const (
	// silentAfter is how many requests in a row must end without a response for a replica to be silent. It may be
	// frozen, or its machine is gone: connections to it can still be made then.
	silentAfter = 3
	// silentPatience is how long a request waits for a response of a silent replica. A request that ends sooner, by the
	// will of its caller, says nothing about the replica.
	silentPatience = time.Second
	// probePatience bounds a probe.
	probePatience = 15 * time.Second
)

// errSilent is the error of a request to a silent replica. Like a request whose time has run out, it is not repeated.
var errSilent = fmt.Errorf("the replica responds to nothing, and nobody waits longer for it: %w",
	context.DeadlineExceeded)

// silence is what is known about the responses of a replica.
type silence struct {
	// heard is when the last response began, in Unix nanoseconds.
	heard atomic.Int64
	// unheard is the number of requests that have ended without one since then.
	unheard atomic.Int64
	probing atomic.Bool
}

// silent reports whether the replica has not responded to several requests.
func (s *silence) silent() bool { return s.unheard.Load() >= silentAfter }

// responded notes a response, whatever it says.
func (s *silence) responded() {
	s.heard.Store(time.Now().UnixNano())
	s.unheard.Store(0)
}

// waited notes that a request has ended without a response, most often because its time had run out or its caller had
// left. It counts if nothing else was heard meanwhile: a replica that responds to others is only slow.
func (s *silence) waited(since time.Time) {
	if time.Since(since) >= patience.Times(silentPatience) && s.heard.Load() < since.UnixNano() {
		s.unheard.Add(1)
	}
}

// bound bounds how long a request waits for its response while the replica is silent. heard ends the bound.
func (s *silence) bound(ctx context.Context) (bounded context.Context, heard func(), cancel context.CancelFunc) {
	if !s.silent() {
		return ctx, func() {}, func() {}
	}
	bounded, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(patience.Times(silentPatience), func() { end(errSilent) })
	return bounded, func() { timer.Stop() }, func() { timer.Stop(); end(nil) }
}

// probe asks a silent replica for its root, unless that is under way, with more patience than callers have. So a
// replica that takes long for each request does not stay silent for ever: any response will do.
func (t *Transport) probe(to *url.URL, at *replica) {
	if !at.silent() || !at.probing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer at.probing.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), patience.Times(probePatience))
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodHead, to.Scheme+"://"+at.address+"/", nil)
		if err != nil {
			return // the address is none
		}
		request.Host = to.Host
		if response, err := t.carry(request); err == nil {
			_ = response.Body.Close()
			at.responded()
		}
	}()
}
