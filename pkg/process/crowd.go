package process

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// crowd is a listener with a bound on its connections, each of which needs memory even if nothing is asked for on it.
// Who connects beyond it is told so, and the connection is closed: who waited to be accepted would not learn why.
type crowd struct {
	net.Listener
	most int64
	// secured says that connections have TLS. Those beyond the bound are then closed at once, because a handshake
	// costs more than most requests.
	secured bool
	open    atomic.Int64
	refused atomic.Int64
	// telling has a place for each connection that is being told.
	telling chan struct{}
}

const (
	// mostTold is how many connections are told at a time that there are too many; others are closed at once.
	mostTold = 256
	// tellTime is how long one of them may take to send its request and to read the response.
	tellTime = 10 * time.Second
	// refuseEvery is the least time between two connections that are refused. Who is refused connects again, and
	// thousands who do so would leave no time for those within the bound. Meanwhile the others wait in the system
	// until they are accepted.
	refuseEvery = time.Millisecond
	// mostIgnored is how much of what it sends besides is read, so that it gets the response.
	mostIgnored = 64 << 10
)

func newCrowd(of net.Listener, most int64, secured bool, registerer prometheus.Registerer) *crowd {
	c := &crowd{Listener: of, most: most, secured: secured, telling: make(chan struct{}, mostTold)}
	with := promauto.With(registerer)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_connections", Help: "Connections of callers that are open.",
	}, func() float64 { return float64(c.open.Load()) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_connections_refused_total", Help: "Connections that were refused because there were too many.",
	}, func() float64 { return float64(c.refused.Load()) })
	return c
}

func (c *crowd) Accept() (net.Conn, error) {
	for ; ; time.Sleep(refuseEvery) {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c.open.Add(1) <= c.most {
			return &member{Conn: conn, crowd: c}, nil
		}
		c.open.Add(-1)
		c.refused.Add(1)
		select {
		case c.telling <- struct{}{}:
			go func() {
				defer func() { <-c.telling }()
				c.tell(conn)
			}()
		default:
			_ = conn.Close()
		}
	}
}

// tooMany is what a connection beyond the bound is told.
var tooMany = problem.New(problem.Overloaded, "There are more connections than the process may have. Nothing was done; send the request again.").
	WithHeader("Retry-After", "1")

// tell reads a request of a connection, refuses it and closes the connection.
func (c *crowd) tell(conn net.Conn) {
	defer conn.Close()
	if c.secured || conn.SetDeadline(time.Now().Add(tellTime)) != nil {
		return
	}
	asked, err := http.ReadRequest(bufio.NewReader(io.LimitReader(conn, largestHeader)))
	if asked == nil {
		if closed := errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded); closed {
			return
		}
		asked = &http.Request{Header: http.Header{}} // it cannot be read; the refusal is the same
	}
	response := document{header: http.Header{
		problem.RequestIDHeader: {request.IDOf(asked.Header.Get(problem.RequestIDHeader))}, "Date": {time.Now().UTC().Format(http.TimeFormat)}, "Connection": {"close"},
	}}
	problem.Write(&response, tooMany)
	if asked.Method == http.MethodHead {
		response.text.Reset()
	}
	if _, err := conn.Write(response.whole(tooMany.Kind.Status())); err != nil {
		return
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, conn, mostIgnored) // until the caller closes it, so that no response is lost
	}
}

// member is a connection of a crowd.
type member struct {
	net.Conn
	crowd *crowd
	leave sync.Once
}

// Close closes the connection, and makes room for another one.
func (m *member) Close() error {
	m.leave.Do(func() { m.crowd.open.Add(-1) })
	return m.Conn.Close()
}

// CloseWrite ends what is sent.
func (m *member) CloseWrite() error {
	if half, ok := m.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
