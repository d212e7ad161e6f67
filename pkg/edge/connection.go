package edge

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/problem"
)

// mostRefused is how many connections beyond the bound are open at the same time to be told so. Further ones are
// closed without a response.
const mostRefused = 256

// listener is a listener with a greatest number of connections: each needs memory even while nothing is asked for on
// it. One beyond is accepted in order to be refused, because a client that waits to be accepted does not learn why.
type listener struct {
	net.Listener
	log     *slog.Logger
	most    int64
	open    atomic.Int64
	refused prometheus.Counter
}

func newListener(config Config) *listener {
	with := promauto.With(config.Metrics)
	l := &listener{Listener: config.Listener, log: config.Log, most: config.MostConnections}
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_connections", Help: "Connections of callers that are open.",
	}, func() float64 { return float64(l.open.Load()) })
	l.refused = with.NewCounter(prometheus.CounterOpts{
		Name: "exchange_connections_refused_total", Help: "Connections that were refused because there were too many.",
	})
	return l
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		open := l.open.Add(1)
		c := &connection{Conn: conn, of: l, beyond: open > l.most}
		if c.beyond {
			l.refused.Inc()
		}
		if open <= l.most+mostRefused {
			return c, nil
		}
		_ = c.Close()
	}
}

// connection is a connection that net/http serves. With TLS it is what lies below.
type connection struct {
	net.Conn
	of *listener
	// beyond says that it is one more than there may be.
	beyond bool
	// handled says that a handler has a request of HTTP/1, or that its response is still being written.
	handled atomic.Bool
	closed  sync.Once
}

// Close closes the connection, and makes room for another one.
func (c *connection) Close() error {
	c.closed.Do(func() { c.of.open.Add(-1) })
	return c.Conn.Close()
}

// CloseWrite ends what is sent. net/http calls it so that a client that still sends can read the response.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connectionKey struct{}

// inContext puts a connection into the context of its requests; it is a http.Server.ConnContext.
func inContext(ctx context.Context, conn net.Conn) context.Context {
	if secured, is := conn.(*tls.Conn); is {
		conn = secured.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// awaitNext notes that the response to a request of HTTP/1 is written, and that the next one has no handler yet; it is
// a http.Server.ConnState. With TLS nothing is replaced that net/http writes.
func awaitNext(conn net.Conn, state http.ConnState) {
	if c, plain := conn.(*connection); plain && state == http.StateIdle {
		c.handled.Store(false)
	}
}

// tooMany is the response to a request on a connection beyond the bound.
var tooMany = problem.Later(problem.Overloaded,
	"There are more connections than the process may have. Nothing was done; send the request again.")
