package peer

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// IdleTimeout is how long a connection without a request is kept. A stopping process tells its clients with each response
// that it will close the connection. The connections that it could not tell have ended by themselves after this time, so
// that none is closed while a request is on its way on it, if the process goes on for longer than this.
const IdleTimeout = 3 * time.Second

// Transport sends requests to the replicas of one service. A name may stand for several addresses, and there may be several
// names. Each request goes to the replica that has the fewest under way, and not to one that has just failed or is stopping,
// if there is another one. What a replica has certainly not received is sent to another one, and so is a GET or HEAD that
// got no response.
type Transport struct {
	http    *http.Transport
	others  []string
	names   names
	members members
}

// NewTransport returns a transport to the service that requests name in their URL. others holds further replicas of it, as
// host:port. It keeps many idle connections to each replica.
func NewTransport(others ...string) *Transport {
	dialer := &net.Dialer{Timeout: 2 * time.Second, KeepAlive: 15 * time.Second}
	return &Transport{
		others: others,
		http: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				connection, err := dialer.DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return &counted{Conn: connection}, nil
			},
			TLSHandshakeTimeout: 2 * time.Second,
			MaxIdleConnsPerHost: 128,
			IdleConnTimeout:     IdleTimeout,
			DisableCompression:  true,
		},
	}
}

// counted is a connection that counts what is written to it.
type counted struct {
	net.Conn
	written atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n))
	return n, err
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
func (t *Transport) CloseIdleConnections() { t.http.CloseIdleConnections() }
