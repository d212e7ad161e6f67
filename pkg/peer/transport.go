package peer

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// IdleTimeout is how long a connection without a request is kept. A stopping process says with each response that it
// closes the connection. A connection without a response ends by itself after this time. So if the process goes on for
// longer, no connection is closed while a request is on its way.
const IdleTimeout = 3 * time.Second

// Transport sends requests to the replicas of one service. There may be several names, and a name may have several
// addresses. Each request goes to the replica with the fewest requests under way, and if possible not to one that has
// just failed or is stopping. A request that a replica has certainly not received is sent to another one, and so is a
// GET or HEAD without a response. After several requests without any response, further ones wait for a second only.
type Transport struct {
	http atomic.Pointer[http.Transport]
	// carrier, if set, takes the place of http.
	carrier http.RoundTripper
	// dial, if set, makes the connections in place of a dialer.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// secure returns the TLS configuration of the next connection; nil means the default of the system.
	secure   func() *tls.Config
	others   []string
	names    names
	replicas replicas
}

// NewTransport returns a transport to the service that requests name in their URL. others holds further replicas of
// it, as host:port. It keeps many idle connections to each replica.
func NewTransport(others ...string) *Transport { return newTransport(nil, others) }

// NewTransportOver returns a transport whose attempts another round tripper carries, such as a simulated network. It
// reports a connection to the trace of a request that may be received.
func NewTransportOver(carrier http.RoundTripper, others ...string) *Transport {
	t := NewTransport(others...)
	t.carrier = carrier
	return t
}

// carry sends a request to the replica that its URL names.
func (t *Transport) carry(request *http.Request) (*http.Response, error) {
	if t.carrier != nil {
		return t.carrier.RoundTrip(request)
	}
	return t.http.Load().RoundTrip(request)
}

func newTransport(secure func() *tls.Config, others []string) *Transport {
	t := &Transport{secure: secure, others: others}
	t.http.Store(t.connections())
	return t
}

// RoundTrip sends a request. It returns the error of the last attempt.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	content, err := takeContent(request)
	if err != nil {
		return nil, err
	}
	responded := false
	defer func() { content.finish(responded) }()
	ctx := request.Context()
	candidates := t.candidates(ctx, request.URL)
	var tried []string
	for {
		at := t.replicas.choose(candidates, tried)
		tried = append(tried, at.address)
		response, attempt, err := t.attempt(request, content, at)
		if err == nil {
			responded = true
			return response, nil
		}
		at.failed(ctx)
		if ctx.Err() != nil || len(tried) >= mostAttempts || !attempt.repeatable(request, content) ||
			attempt.silent && !untried(candidates, tried) {
			return nil, err
		}
		if attempt.refused() && !untried(candidates, tried) {
			// The name may resolve to other addresses now.
			if candidates = t.refreshed(ctx, request.URL); !untried(candidates, tried) {
				return nil, err
			}
		}
	}
}

// mostAttempts is how often a request is sent.
const mostAttempts = 3

// CloseIdleConnections closes the connections without a request.
func (t *Transport) CloseIdleConnections() { t.http.Load().CloseIdleConnections() }
