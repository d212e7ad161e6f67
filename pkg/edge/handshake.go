package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"time"
)

// handshakes is a listener for TLS. Its connections have shaken hands, or have failed to: net/http notices that and
// closes them. net/http could do this by itself, but takes a connection for one with TLS only if it is a *tls.Conn,
// and those with HTTP/1 are to be of the type connection.
type handshakes struct {
	net.Listener
	config *tls.Config
	log    *slog.Logger
	// within bounds the time of a handshake.
	within time.Duration
	done   chan accepted
	ctx    context.Context
	close  context.CancelFunc
}

type accepted struct {
	conn net.Conn
	err  error
}

func newHandshakes(listener net.Listener, config *tls.Config, within time.Duration, log *slog.Logger) *handshakes {
	l := &handshakes{Listener: listener, config: config, log: log, within: within, done: make(chan accepted)}
	l.ctx, l.close = context.WithCancel(context.Background())
	go l.run()
	return l
}

func (l *handshakes) Accept() (net.Conn, error) {
	select {
	case a := <-l.done:
		return a.conn, a.err
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close ends the listener and the handshakes under way.
func (l *handshakes) Close() error {
	l.close()
	return l.Listener.Close()
}

// run accepts connections. A handshake may wait for its client, so each has a goroutine.
func (l *handshakes) run() {
	for {
		conn, err := l.Listener.Accept()
		if err == nil {
			go l.shake(conn)
			continue
		}
		// net/http waits a little before the next Accept if the error is a passing one, such as too many open files.
		select {
		case l.done <- accepted{err: err}:
		case <-l.ctx.Done():
		}
		if errors.Is(err, net.ErrClosed) || l.ctx.Err() != nil {
			return
		}
	}
}

func (l *handshakes) shake(conn net.Conn) {
	// A client that speaks plain HTTP gets its refusal on the connection below TLS.
	secured := tls.Server(&refuser{Conn: conn, log: l.log}, l.config)
	ctx, cancel := context.WithTimeout(l.ctx, l.within)
	defer cancel()
	var ready net.Conn = secured
	if err := secured.HandshakeContext(ctx); err == nil && secured.ConnectionState().NegotiatedProtocol != "h2" {
		ready = securedConnection{newConnection(secured, l.log), secured}
	}
	select {
	case l.done <- accepted{conn: ready}:
	case <-l.ctx.Done():
		_ = ready.Close()
	}
}

// securedConnection is a connection of HTTP/1 with TLS.
type securedConnection struct {
	*connection
	secured *tls.Conn
}

// ConnectionState lets net/http know that the connection has TLS.
func (c securedConnection) ConnectionState() tls.ConnectionState { return c.secured.ConnectionState() }
