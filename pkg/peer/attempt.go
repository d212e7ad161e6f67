package peer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// attempt is one sending of a request to one replica.
type attempt struct {
	err error
	// on is the connection that was used, nil if there was none. before is how many bytes it had
	// carried when it was taken.
	on     *counted
	before int64
	// sent is true if something was written on an earlier connection, which net/http gave up by itself.
	sent bool
	// silent is true if the replica was silent before, and is still.
	silent bool
}

// attempt sends a request to a replica once.
func (t *Transport) attempt(request *http.Request, content *content, at *replica) (*http.Response, *attempt, error) {
	a := &attempt{}
	t.probe(request.URL, at)
	began := time.Now()
	ctx, heard, cancel := at.bound(request.Context())
	trace := &httptrace.ClientTrace{GotConn: a.got}
	out := request.WithContext(httptrace.WithClientTrace(ctx, trace))
	if out.Host == "" {
		out.Host = request.URL.Host
	}
	to := *request.URL
	to.Host = at.address
	out.URL = &to
	// net/http repeats a request with an Idempotency-Key that may have been received. That is for the caller to decide.
	out.Body, out.GetBody = content.body(), nil
	at.underWay.Add(1)
	response, err := t.carry(out)
	if err != nil {
		at.underWay.Add(-1)
		at.waited(began)
		if a.silent = errors.Is(context.Cause(ctx), errSilent); a.silent {
			err = errSilent
		}
		cancel()
		a.err = err
		return nil, a, err
	}
	heard()
	at.responded()
	if response.Close {
		at.leaves()
	}
	response.Request = request
	response.Body = &counting{ReadCloser: response.Body, done: sync.OnceFunc(func() { at.underWay.Add(-1); cancel() })}
	return response, a, nil
}

// got notes a connection that net/http is about to use.
func (a *attempt) got(info httptrace.GotConnInfo) {
	a.sent = a.sent || a.received()
	if a.on, _ = info.Conn.(*counted); a.on != nil {
		a.before = a.on.written.Load()
	} else {
		a.sent = true // a connection of another kind: nothing is known
	}
}

// received reports whether the replica may have received a part of the request.
func (a *attempt) received() bool {
	return a.sent || a.on != nil && a.on.written.Load() != a.before
}

// refused reports whether there was no connection to the replica.
func (a *attempt) refused() bool { return a.on == nil && !a.sent }

// repeatable reports whether the request may be sent again: because it was certainly not received, or because it only
// reads.
func (a *attempt) repeatable(request *http.Request, content *content) bool {
	if !content.whole() {
		return false
	}
	var tooLarge *http.MaxBytesError
	if errors.As(a.err, &tooLarge) {
		return false
	}
	return !a.received() || request.Method == http.MethodGet || request.Method == http.MethodHead
}

// counting is the body of a response, which ends the request for its replica when it is closed.
type counting struct {
	io.ReadCloser
	done func()
}

func (c *counting) Close() error {
	defer c.done()
	return c.ReadCloser.Close()
}
