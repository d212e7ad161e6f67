package edge

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
)

// connection is a connection of HTTP/1, as net/http sees it. If net/http refuses a request by itself, connection sends
// a problem document. It notices a message whose length is declared twice.
type connection struct {
	refuser
	framing framing // of what is read; one goroutine reads at a time
	// contradictory says that a header had Content-Length and Transfer-Encoding, encoded that one had the latter.
	contradictory, encoded atomic.Bool
}

func newConnection(conn net.Conn, log *slog.Logger) *connection {
	return &connection{refuser: refuser{Conn: conn, log: log}}
}

// connections is a listener whose connections are of the type connection.
type connections struct {
	net.Listener
	log *slog.Logger
}

func (l connections) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConnection(conn, l.log), nil
}

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	encoded, contradictory := c.framing.read(p[:n])
	if encoded {
		c.encoded.Store(true)
	}
	if contradictory {
		c.contradictory.Store(true)
	}
	return n, err
}

// CloseWrite ends what is sent. net/http calls it so that a client that still sends can read the response.
func (c *connection) CloseWrite() error { return closeWrite(c.Conn) }

// faulty reports whether the connection must be closed after the response to a request, because somebody between the
// client and this process may see other requests in the same bytes: Transfer-Encoding came with Content-Length (RFC
// 9112 6.3), or in HTTP/1.0, which does not know it (RFC 9112 6.1). It is also true if such a request is the next one
// on the connection.
func (c *connection) faulty(r *http.Request) bool {
	return c != nil && (c.contradictory.Load() || c.encoded.Load() && !r.ProtoAtLeast(1, 1))
}

type connectionKey struct{}

// inContext puts a connection into the context of its requests; it is a http.Server.ConnContext.
func inContext(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(interface{ http1() *connection }); ok {
		return context.WithValue(ctx, connectionKey{}, c.http1())
	}
	return ctx
}

func (c *connection) http1() *connection { return c }

// connectionOf returns the connection on which a request came, nil if it came by HTTP/2.
func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}

// awaitNext notes that the next request of a connection has no handler yet; it is a http.Server.ConnState.
func awaitNext(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(interface{ http1() *connection }); ok && state == http.StateIdle {
		c.http1().handled.Store(false)
	}
}

// framing looks in the bytes of a connection for the members of headers that say how long a body is. Wherever a body
// ends, each line of the header that follows begins behind a line feed, and no line of it is empty. So no header is
// missed; a body with such lines can be taken for one.
type framing struct {
	line   [len("transfer-encoding:")]byte // how the line begins
	filled int
	// sized and encoded say what the lines since the last empty one had.
	sized, encoded bool
}

// read reads the bytes that follow. It reports whether a header that ended there had Transfer-Encoding, and whether
// it had Content-Length as well.
func (f *framing) read(p []byte) (encoded, contradictory bool) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			f.filled += copy(f.line[f.filled:], p)
			return encoded, contradictory
		}
		f.filled += copy(f.line[f.filled:], p[:end])
		switch line := f.line[:f.filled]; {
		case len(line) == 0, len(line) == 1 && line[0] == '\r':
			encoded = encoded || f.encoded
			contradictory = contradictory || f.encoded && f.sized
			f.sized, f.encoded = false, false
		case begins(line, "content-length:"):
			f.sized = true
		case begins(line, "transfer-encoding:"):
			f.encoded = true
		}
		f.filled = 0
		p = p[end+1:]
	}
}

// begins reports whether a line begins with a name, in lower or upper case.
func begins(line []byte, name string) bool {
	return len(line) >= len(name) && line[0]|0x20 == name[0] && bytes.EqualFold(line[:len(name)], []byte(name))
}
