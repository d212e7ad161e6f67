package peer

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
)

// Handler returns a transport that calls a handler in the same process, without sockets. The handler runs in the goroutine
// of the call with the request's context, and gets the request's headers without a copy. Its response is buffered. A panic
// of the handler becomes an error of the call.
func Handler(h http.Handler) http.RoundTripper { return memory{h} }

type memory struct{ handler http.Handler }

func (m memory) RoundTrip(request *http.Request) (response *http.Response, err error) {
	if request.Body != nil {
		defer request.Body.Close()
	}
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	received := *request
	received.RequestURI = request.URL.RequestURI()
	received.RemoteAddr = "memory"
	received.TLS = nil // a proxy has copied it from its own caller
	received.Proto, received.ProtoMajor, received.ProtoMinor = "HTTP/1.1", 1, 1
	if received.Host == "" {
		received.Host = request.URL.Host
	}
	if received.Body == nil {
		received.Body = http.NoBody
	}
	defer func() {
		if value := recover(); value != nil {
			response, err = nil, fmt.Errorf("the handler panicked: %v\n%s", value, debug.Stack())
		}
	}()
	reply := &reply{header: make(http.Header, 8), mute: request.Method == http.MethodHead}
	m.handler.ServeHTTP(reply, &received)
	return reply.response(request), nil
}

// reply is the response of a handler.
type reply struct {
	header http.Header
	sent   http.Header // the header at the time that the status was written
	status int
	body   bytes.Buffer
	mute   bool // a response to HEAD has no body
}

func (r *reply) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

func (r *reply) WriteHeader(status int) {
	// As with net/http, only the first final status counts, and only headers that were set before it.
	if r.status == 0 && status >= 200 {
		r.status, r.sent, r.header = status, r.Header(), nil
	}
}

func (r *reply) Write(content []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.mute {
		return len(content), nil
	}
	return r.body.Write(content)
}

// Flush sends nothing by itself, because the response is handed over as a whole.
func (r *reply) Flush() { r.WriteHeader(http.StatusOK) }

func (r *reply) response(request *http.Request) *http.Response {
	r.WriteHeader(http.StatusOK)
	length := int64(r.body.Len())
	if declared := r.sent.Get("Content-Length"); r.mute && declared != "" {
		if n, err := strconv.ParseInt(declared, 10, 64); err == nil {
			length = n
		}
	}
	return &http.Response{
		StatusCode: r.status, Status: strconv.Itoa(r.status) + " " + http.StatusText(r.status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.sent, Body: body{&r.body}, ContentLength: length, Request: request,
	}
}

// body is the buffered body of a response.
type body struct{ *bytes.Buffer }

func (body) Close() error { return nil }
