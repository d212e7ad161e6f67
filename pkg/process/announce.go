package process

import "net/http"

// announceEnd has every response of a process that is no longer ready tell the client to close the connection. The
// client then sends its next request to somebody else, or on a connection that it knows to be open. The response to a
// request whose length is said in two ways does so as well; see connection.faulty.
func (p *Process) announceEnd(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := connectionOf(r)
		if c != nil {
			c.handled.Store(true)
		}
		a := &announcer{ResponseWriter: w, health: &p.health, faulty: c.faulty(r)}
		next.ServeHTTP(a, r)
		a.announce() // unless the handler has begun the response
	})
}

// announcer is a response of which the header is completed as late as possible: the process may begin to stop while the
// request is handled.
type announcer struct {
	http.ResponseWriter
	health *health
	// faulty says that the connection cannot go on.
	faulty bool
	begun  bool
}

func (a *announcer) announce() {
	if !a.begun && (a.faulty || !a.health.serving.Load()) {
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
