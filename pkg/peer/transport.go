package peer

import (
	"crypto/tls"
	"net/http"
	"sync/atomic"
	"time"
)

// IdleTimeout is how long a connection without a request is kept. A stopping process tells its clients with each
// response that it will close the connection. The connections that it could not tell have ended by themselves after
// this time, so that none is closed while a request is on its way on it, if the process goes on for longer than this.
const IdleTimeout = 3 * time.Second

// Transport sends requests to the replicas of one service. A name may stand for several addresses, and there may be
// several names. Each request goes to the replica that has the fewest under way, and not to one that has just failed
// or is stopping, if there is another one. What a replica has certainly not received is sent to another one, and so
// is a GET or HEAD that got no response.
type Transport struct {
	http atomic.Pointer[http.Transport]
	// secure returns how the next connection is secured, for https; as the system does if it is nil.
	secure  func() *tls.Config
	others  []string
	names   names
	members members
}

// NewTransport returns a transport to the service that requests name in their URL. others holds further replicas of
// it, as host:port. It keeps many idle connections to each replica.
func NewTransport(others ...string) *Transport { return newTransport(nil, others) }

func newTransport(secure func() *tls.Config, others []string) *Transport {
	t := &Transport{secure: secure, others: others}
	t.http.Store(t.connections())
	return t
}

// RoundTrip sends a request. Its error is that of the last attempt.
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
		at := t.members.choose(candidates, tried)
		tried = append(tried, at.address)
		response, attempt, err := t.attempt(request, content, at)
		if err == nil {
			responded = true
			return response, nil
		}
		at.failed(ctx)
		if ctx.Err() != nil || len(tried) >= mostAttempts || !attempt.repeatable(request, content) {
			return nil, err
		}
		if attempt.refused() && !untried(candidates, tried) {
			// The name may have come to stand for other addresses.
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
