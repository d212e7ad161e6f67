package edge

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// slowBytes is how much of a body a client sends at least in a second, and how much of a response it reads, after the
// time that it has for either anyway.
const slowBytes = 16 << 10

// allowance is how long a client may take to send a body, or to read a response.
type allowance struct {
	atFirst time.Duration
	began   time.Time
	bytes   int
}

// until returns the end of the time for what was sent or read, and for some bytes more.
func (a *allowance) until(more int) time.Time {
	if a.began.IsZero() {
		a.began = time.Now()
	}
	return a.began.Add(a.atFirst + time.Duration(a.bytes+more)*time.Second/slowBytes)
}

// demandedBody is a body that has to come in time. Its error if it does not is problem.SlowBody.
type demandedBody struct {
	io.ReadCloser
	control *http.ResponseController
	allowed allowance
	ended   bool
}

func (b *demandedBody) Read(p []byte) (int, error) {
	if b.ended {
		// net/http reads on, without a deadline, to notice that the client has left.
		return b.ReadCloser.Read(p)
	}
	// A connection that cannot have a deadline has that of the server.
	_ = b.control.SetReadDeadline(b.allowed.until(0))
	n, err := b.ReadCloser.Read(p)
	b.allowed.bytes += n
	b.ended = err != nil
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, problem.New(problem.SlowBody, "The body did not come within the time that it may take.").Because(err)
	}
	return n, err
}

// serve handles a request. It ends those of clients that do not send, or do not read, within a time that grows with
// what they did: what such a request has in memory is missing for others. The response tells the client to close the
// connection after AnnounceEnd. A request on a connection beyond the bound is refused.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	conn := r.Context().Value(connectionKey{}).(*connection)
	conn.handled.Store(true)
	allowed := allowance{atFirst: s.config.ClientTimeout}
	response := &boundedResponse{ResponseWriter: w, control: http.NewResponseController(w), allowed: allowed,
		stopping: &s.stopping}
	if conn.beyond {
		w.Header().Set("Connection", "close")
		w.Header().Set(problem.RequestIDHeader, request.IDOf(r.Header.Get(problem.RequestIDHeader)))
		problem.Write(response, tooMany)
		return
	}
	if r.Body != http.NoBody {
		r.Body = &demandedBody{ReadCloser: r.Body, control: response.control, allowed: allowed}
	}
	s.config.Handler.ServeHTTP(response, r)
	response.announce() // of an empty response, which the handler does not begin
}

// boundedResponse is a response that has to be read in time. Its header is completed as late as possible: the process
// may begin to stop while the request is handled.
type boundedResponse struct {
	http.ResponseWriter
	control  *http.ResponseController
	allowed  allowance
	stopping *atomic.Bool
}

// announce completes the header. Of a response that has begun it changes nothing.
func (b *boundedResponse) announce() {
	if b.stopping.Load() {
		b.Header().Set("Connection", "close")
	}
}

func (b *boundedResponse) WriteHeader(status int) {
	b.announce()
	b.ResponseWriter.WriteHeader(status)
}

func (b *boundedResponse) Write(content []byte) (int, error) {
	b.demand(len(content))
	return b.ResponseWriter.Write(content)
}

// demand begins the response, and has some bytes of it be read in time.
func (b *boundedResponse) demand(bytes int) {
	b.announce()
	_ = b.control.SetWriteDeadline(b.allowed.until(bytes))
	b.allowed.bytes += bytes
}

// Flush sends what was written so far.
func (b *boundedResponse) Flush() {
	b.demand(0)
	_ = b.control.Flush() // a client that is gone is noticed by the next Write
}

// Unwrap is for http.ResponseController.
func (b *boundedResponse) Unwrap() http.ResponseWriter { return b.ResponseWriter }
