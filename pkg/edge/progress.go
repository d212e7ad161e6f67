package edge

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// slowBytes is how much of a body a client sends at least in a second, and how much of a response it reads, after the
// time that it has for either anyway.
const slowBytes = 16 << 10

// allowance is how much longer a client may take than its bytes do at the least speed.
type allowance struct{ left time.Duration }

// during lets a client send or read up to slowBytes until a deadline, and takes what it was too slow from the
// allowance. Bytes that were sent at once, as into the buffers of a connection, leave no more time for those that
// follow.
func (a *allowance) during(setDeadline func(time.Time) error, transfer func() (int, error)) (int, error) {
	began := time.Now()
	// A connection that cannot have a deadline has that of the server.
	_ = setDeadline(began.Add(a.left + time.Second))
	n, err := transfer()
	atLeast := time.Duration(n) * time.Second / slowBytes
	a.left -= max(0, time.Since(began)-atLeast)
	return n, err
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
		return b.ReadCloser.Read(p)
	}
	n, err := b.allowed.during(b.control.SetReadDeadline, func() (int, error) {
		return b.ReadCloser.Read(p[:min(len(p), slowBytes)])
	})
	if err == nil {
		return n, nil
	}
	b.ended = true
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, problem.New(problem.SlowBody, "The body did not come within the time that it may take.").Because(err)
	}
	// The server goes on reading, to notice that the client has left. This must not end by the deadline of the body.
	_ = b.control.SetReadDeadline(time.Time{})
	return n, err
}

// serve handles a request. It ends those of clients that do not send, or do not read, within a time that grows with
// what they did: what such a request has in memory is missing for others. If clients have no time at first, nothing is
// demanded.
//
// The response tells the client to close the connection after AnnounceEnd, and if the length of the request is stated
// in two ways; see connection.faulty. Nothing is done for a request on a connection that has lost its place in the
// room.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	from := r.Context().Value(connectionKey{}).(*origin)
	if !from.begin() {
		panic(http.ErrAbortHandler) // nobody could read the response
	}
	takenBack := false
	defer func() { from.end(takenBack) }()
	if from.http1 == nil && r.Context().Err() != nil {
		takenBack = true
		return
	}
	atFirst := allowance{left: s.config.ClientTimeout}
	response := &boundedResponse{
		ResponseWriter: w, control: http.NewResponseController(w), demanded: atFirst.left > 0, allowed: atFirst,
		stopping: &s.stopping, faulty: from.http1.faulty(r),
	}
	if response.demanded && r.Body != nil && r.Body != http.NoBody {
		r.Body = &demandedBody{ReadCloser: r.Body, control: response.control, allowed: atFirst}
	}
	s.config.Handler.ServeHTTP(response, r)
	response.announce() // unless the handler has begun the response
	// net/http sends it after this handler, and says nobody whether the client had taken the request back.
	takenBack = from.http1 == nil && response.FlushError() != nil
}

// boundedResponse is a response that has to be read in time. Its header is completed as late as possible: the process
// may begin to stop while the request is handled.
type boundedResponse struct {
	http.ResponseWriter
	control *http.ResponseController
	// demanded says that the response has to be read in time.
	demanded bool
	allowed  allowance
	stopping *atomic.Bool
	// faulty says that the connection cannot go on.
	faulty bool
	begun  bool
}

// announce completes the header.
func (b *boundedResponse) announce() {
	if !b.begun && (b.faulty || b.stopping.Load()) {
		b.Header().Set("Connection", "close")
	}
	b.begun = true
}

func (b *boundedResponse) WriteHeader(status int) {
	if status >= http.StatusOK {
		b.announce()
	}
	b.ResponseWriter.WriteHeader(status)
}

func (b *boundedResponse) Write(content []byte) (int, error) {
	b.announce()
	if !b.demanded {
		return b.ResponseWriter.Write(content)
	}
	written := 0
	for {
		part := content[written:min(len(content), written+slowBytes)]
		n, err := b.allowed.during(b.control.SetWriteDeadline, func() (int, error) {
			return b.ResponseWriter.Write(part)
		})
		written += n
		if err != nil || written == len(content) {
			return written, err
		}
	}
}

// Flush sends what was written so far.
func (b *boundedResponse) Flush() { _ = b.FlushError() }

// FlushError is for http.ResponseController.
func (b *boundedResponse) FlushError() error {
	b.announce()
	if !b.demanded {
		return b.control.Flush()
	}
	_, err := b.allowed.during(b.control.SetWriteDeadline, func() (int, error) { return 0, b.control.Flush() })
	return err
}

// Unwrap is for http.ResponseController.
func (b *boundedResponse) Unwrap() http.ResponseWriter { return b.ResponseWriter }
