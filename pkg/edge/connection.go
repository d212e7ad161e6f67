package edge

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/problem"
)

// connection is a connection of HTTP/1, as net/http sees it. If net/http refuses a request by itself, connection sends
// a problem document. It notices a message whose length is declared twice.
type connection struct {
	refuser
	framing framing // of what is read; one goroutine reads at a time
	// visitor decides when requests are read; nil if nothing does. begun says that a request has come.
	visitor Visitor
	begun   bool
	// counted has the place of the connection in the room.
	counted *countedConnection
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
	// awaits says that no handler has the request that is read. net/http looks for the end of a connection in the
	// background, a byte at a time, from just before a handler has the request.
	awaits := c.visitor != nil && len(p) > 1 && !c.handled.Load()
	if awaits && c.begun {
		c.visitor.Leave() // its client is slow
	} else if awaits {
		c.visitor.Rest()
	}
	n, err := c.Conn.Read(p)
	if awaits && !c.begun && n > 0 {
		c.begun = true
		c.visitor.Enter()
	}
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

// Visitor decides when the requests of a connection of HTTP/1 are read.
type Visitor interface {
	// Rest returns when the next request may come.
	Rest()
	// Enter returns when a request that has come may be read.
	Enter()
	// Leave says that the last request that entered is not worked on for now.
	Leave()
}

// origin is the connection that a request came on.
type origin struct {
	// http1 is nil if it speaks HTTP/2.
	http1   *connection
	counted *countedConnection
}

// inContext puts a connection into the context of its requests; it is a http.Server.ConnContext.
func (s *Server) inContext(ctx context.Context, conn net.Conn) context.Context {
	from := originOf(conn)
	if from.http1 != nil {
		from.http1.counted = from.counted
		if s.config.Visit != nil {
			ctx, from.http1.visitor = s.config.Visit(ctx)
		}
	}
	return context.WithValue(ctx, connectionKey{}, from)
}

// originOf returns the parts of a connection that a listener of this package has accepted.
func originOf(conn net.Conn) *origin {
	var from origin
	for {
		switch c := conn.(type) {
		case interface{ http1() *connection }:
			from.http1 = c.http1()
			conn = from.http1.Conn
		case *tls.Conn:
			conn = c.NetConn()
		case *refuser:
			conn = c.Conn
		case *countedConnection:
			from.counted = c
			return &from
		default:
			return &from
		}
	}
}

func (c *connection) http1() *connection { return c }

// begin notes that a handler has the request that came on the connection. It returns false if the connection is being
// closed to make room for another one.
func (o *origin) begin() bool {
	if o.http1 != nil {
		o.http1.handled.Store(true)
	}
	return o.counted.begin()
}

// end notes that the handler has returned, and whether the client took the request back. With HTTP/1 the response may
// still be written; see awaitNext.
func (o *origin) end(takenBack bool) {
	if o.http1 == nil {
		o.counted.end(takenBack)
	}
}

// awaitNext notes that the response to a request on a connection of HTTP/1 is written, and that the next one has no
// handler yet; it is a http.Server.ConnState.
func awaitNext(conn net.Conn, state http.ConnState) {
	of, ok := conn.(interface{ http1() *connection })
	if !ok || state != http.StateIdle && state != http.StateClosed {
		return
	}
	c := of.http1()
	if c.visitor != nil {
		c.visitor.Leave()
	}
	if state != http.StateIdle {
		return
	}
	c.begun = false
	if c.handled.Swap(false) {
		c.counted.end(false)
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

// refuser is a connection that replaces the responses which net/http makes by itself, in plain text, when it cannot
// make a request of what it reads. There is no hook for them, but they are easy to tell: no handler has the request,
// and each is written at once.
type refuser struct {
	net.Conn
	log *slog.Logger
	// handled says that a handler has a request, or that its response is still being written.
	handled atomic.Bool
}

func (c *refuser) Write(p []byte) (int, error) {
	if !c.handled.Load() && bytes.HasPrefix(p, []byte("HTTP/1.")) {
		if refusal := c.refusal(p); refusal != nil {
			if _, err := c.Conn.Write(refusal); err != nil {
				return 0, err
			}
			return len(p), nil
		}
	}
	return c.Conn.Write(p)
}

// unreadable holds, by their status, the problems of what net/http refuses, each with the detail that it has by itself.
var unreadable = map[int]struct {
	kind   problem.Kind
	detail string
}{
	http.StatusBadRequest: {problem.MalformedRequest, "The request line or the header cannot be read"},
	http.StatusExpectationFailed: {
		problem.Expectation, "The only value of Expect that can be met is 100-continue",
	},
	http.StatusRequestHeaderFieldsTooLarge: {
		problem.HeaderTooLarge, "The request line and the header are larger than 32 KiB",
	},
	http.StatusNotImplemented: {
		problem.TransferCoding, "The only Transfer-Encoding that can be read is chunked",
	},
	http.StatusHTTPVersionNotSupported: {problem.Version, "Use HTTP/1.1 or HTTP/2"},
}

// refusal returns the response with a problem document that takes the place of a response of net/http; nil if that is
// no refusal.
func (c *refuser) refusal(plain []byte) []byte {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(plain)), nil)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	of, ok := unreadable[response.StatusCode]
	if !ok {
		return nil
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil
	}
	detail := of.detail
	if response.StatusCode == http.StatusBadRequest {
		// net/http says what is wrong, mostly behind the status. It repeats nothing of the request.
		reason := strings.TrimPrefix(strings.TrimSpace(string(text)), "400 "+http.StatusText(http.StatusBadRequest))
		if reason = strings.Trim(reason, ":. "); reason != "" {
			detail += ": " + reason
		}
	}
	id := uuid.NewString()
	document := newDocument(id, problem.New(of.kind, detail+"."))
	c.log.Debug("request refused before it was read", "request", id, "status", response.StatusCode, "problem",
		of.kind.Slug(), "cause", string(text))
	return document.whole(response.StatusCode)
}

// document is an http.ResponseWriter that keeps the problem document written to it.
type document struct {
	header http.Header
	text   bytes.Buffer
}

// newDocument returns the document of a problem, in a response that ends the connection.
func newDocument(requestID string, p *problem.Error) *document {
	d := &document{header: http.Header{
		problem.RequestIDHeader: {requestID}, "Date": {time.Now().UTC().Format(http.TimeFormat)},
		"Connection": {"close"},
	}}
	problem.Write(d, p)
	return d
}

// whole returns the response with the document, as it is sent.
func (d *document) whole(status int) []byte {
	var response bytes.Buffer
	fmt.Fprintf(&response, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = d.header.Write(&response) // to memory
	response.WriteString("\r\n")
	response.Write(d.text.Bytes())
	return response.Bytes()
}

func (d *document) Header() http.Header                  { return d.header }
func (d *document) WriteHeader(int)                      {}
func (d *document) Write(text []byte) (n int, err error) { return d.text.Write(text) }
