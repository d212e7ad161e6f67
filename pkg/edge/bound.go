package edge

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// boundedListener is a listener with a greatest number of connections: each needs memory even while nothing is asked
// for on it. A connection for which there is no place, although those without a request lose theirs, gets 503 and is
// closed; with TLS it is closed without a response. It is accepted first, because a client that waits to be accepted
// does not learn why.
type boundedListener struct {
	net.Listener
	room *room
	// secured says that connections have TLS. A handshake costs more than most requests, so those beyond the bound
	// get none.
	secured         bool
	refused, closed atomic.Int64
	// refusing has a slot for each connection that gets its 503.
	refusing chan struct{}
}

const (
	// mostRefusing is how many connections get a 503 at the same time; further ones are closed without a response.
	mostRefusing = 256
	// refusalTime is how long one of them may take to send its request and to read the response.
	refusalTime = 10 * time.Second
	// crowdedEvery is the least time between two connections that are refused, or that have others closed. A client
	// whose connection was closed connects again, and thousands of them would leave no time for requests. Meanwhile the
	// kernel keeps the others.
	crowdedEvery = time.Millisecond
	// mostIgnored is how much more of a refused request is read, so that the client gets the response.
	mostIgnored = 64 << 10
)

// newBoundedListener returns a listener whose connections have their places in a room. Without a registerer there are
// no metrics of it.
func newBoundedListener(of net.Listener, in *room, secured bool, registerer prometheus.Registerer) *boundedListener {
	l := &boundedListener{Listener: of, room: in, secured: secured, refusing: make(chan struct{}, mostRefusing)}
	with := promauto.With(registerer)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_connections", Help: "Connections of callers that are open.",
	}, func() float64 { return float64(l.room.count()) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_connections_refused_total", Help: "Connections that were refused because there were too many.",
	}, func() float64 { return float64(l.refused.Load()) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_connections_closed_total",
		Help: "Connections without a request that were closed to make room for others.",
	}, func() float64 { return float64(l.closed.Load()) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_connections_slowed_total",
		Help: "Connections that began to be read in turn, because their clients took requests back.",
	}, func() float64 { return float64(l.room.slowed.Load()) })
	return l
}

func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		entered, closed := l.room.enter(conn)
		for _, one := range closed {
			_ = one.Close()
		}
		l.closed.Add(int64(len(closed)))
		if entered == nil || len(closed) > 0 {
			time.Sleep(crowdedEvery)
		}
		if entered != nil {
			return entered, nil
		}
		l.refused.Add(1)
		select {
		case l.refusing <- struct{}{}:
			go func() {
				defer func() { <-l.refusing }()
				l.refuse(conn)
			}()
		default:
			_ = conn.Close()
		}
	}
}

// tooMany is the response to a request on a connection beyond the bound.
var tooMany = problem.New(problem.Overloaded,
	"There are more connections than the process may have. Nothing was done; send the request again.").
	WithHeader("Retry-After", "1")

// refuse reads one request of a connection, responds with tooMany and closes the connection.
func (l *boundedListener) refuse(conn net.Conn) {
	defer conn.Close()
	if l.secured || conn.SetDeadline(time.Now().Add(refusalTime)) != nil {
		return
	}
	asked, err := http.ReadRequest(bufio.NewReader(io.LimitReader(conn, MaxHeader)))
	if asked == nil {
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		asked = &http.Request{Header: http.Header{}} // it cannot be read; the refusal is the same
	}
	response := newDocument(request.IDOf(asked.Header.Get(problem.RequestIDHeader)), tooMany)
	if asked.Method == http.MethodHead {
		response.text.Reset()
	}
	if _, err := conn.Write(response.whole(tooMany.Kind.Status())); err != nil {
		return
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		// Until the client closes it, so that the response is not lost.
		_, _ = io.CopyN(io.Discard, conn, mostIgnored)
	}
}

// closeWrite ends what is sent on a connection that can be closed in one direction.
func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
