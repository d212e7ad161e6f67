package edge

import "net/http"

// announceEnd returns a handler whose responses tell the client to close the connection while stopping is true. The
// client then sends its next request to another process, or on a connection that it knows to be open. The response to
// a request whose length is stated in two ways does so as well; see connection.faulty.
func announceEnd(next http.Handler, stopping func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := connectionOf(r)
		if c != nil {
			c.handled.Store(true)
		}
		a := &announcer{ResponseWriter: w, stopping: stopping, faulty: c.faulty(r)}
		next.ServeHTTP(a, r)
		a.announce() // unless the handler has begun the response
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
