package edge

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// slowBytes is how much of a body a client sends at least in a second, and how much of a response it reads, after the
// time that it has for either anyway.
const slowBytes = 16 << 10

// demandProgress ends requests of clients that do not send, or do not read, within a time that grows with what they
// did. What such a request has in memory is missing for others. If they have no time at first, nothing is demanded.
func demandProgress(next http.Handler, atFirst time.Duration) http.Handler {
	if atFirst == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &demandedBody{ReadCloser: r.Body, control: control, allowed: allowance{left: atFirst}}
		}
		next.ServeHTTP(&demandedResponse{ResponseWriter: w, control: control, allowed: allowance{left: atFirst}}, r)
	})
}

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

// demandedResponse is a response that has to be read in time.
type demandedResponse struct {
	http.ResponseWriter
	control *http.ResponseController
	allowed allowance
}

func (d *demandedResponse) Write(content []byte) (int, error) {
	written := 0
	for {
		part := content[written:min(len(content), written+slowBytes)]
		n, err := d.allowed.during(d.control.SetWriteDeadline, func() (int, error) {
			return d.ResponseWriter.Write(part)
		})
		written += n
		if err != nil || written == len(content) {
			return written, err
		}
	}
}

// Flush sends what was written so far.
func (d *demandedResponse) Flush() { _ = d.FlushError() }

// FlushError is for http.ResponseController.
func (d *demandedResponse) FlushError() error {
	_, err := d.allowed.during(d.control.SetWriteDeadline, func() (int, error) { return 0, d.control.Flush() })
	return err
}

// Unwrap is for http.ResponseController.
func (d *demandedResponse) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// announceEnd returns a handler whose responses tell the client to close the connection while stopping is true. The
// client then sends its next request to another process, or on a connection that it knows to be open. The response to
// a request whose length is stated in two ways does so as well; see connection.faulty. Nothing is done for a request on
// a connection that has lost its place in the room.
func announceEnd(next http.Handler, stopping func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		a := &announcer{ResponseWriter: w, stopping: stopping, faulty: from.http1.faulty(r)}
		next.ServeHTTP(a, r)
		a.announce() // unless the handler has begun the response
		// net/http sends it after this handler, and says nobody whether the client had taken the request back.
		takenBack = from.http1 == nil && http.NewResponseController(w).Flush() != nil
	})
}

// announcer is a response whose header is completed as late as possible: the process may begin to stop while the
// request is handled.
type announcer struct {
	http.ResponseWriter
	stopping func() bool
	// faulty says that the connection cannot go on.
	faulty bool
	begun  bool
}

func (a *announcer) announce() {
	if !a.begun && (a.faulty || a.stopping()) {
		a.Header().Set("Connection", "close")
	}
	a.begun = true
}

func (a *announcer) WriteHeader(status int) {
	if status >= http.StatusOK {
		a.announce()
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *announcer) Write(b []byte) (int, error) {
	a.announce()
	return a.ResponseWriter.Write(b)
}

// Flush sends what was written so far.
func (a *announcer) Flush() {
	a.announce()
	_ = http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (a *announcer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
