package peer

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"insurance.example/exchange/pkg/request"
)

// serve passes a call to the handler of a peer in the same process, in the goroutine and with the context of the call.
// A panic of the handler becomes an error of the call. The status of the response is 0 if there is none.
func serve(h http.Handler, call *http.Request) (got Reply, err error) {
	ctx := call.Context()
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	// A service trusts a request whose context carries a caller, because it comes from this process. A call without a
	// caller comes from this process as well.
	if caller := request.CallerFrom(ctx); caller.Subject == "" {
		call = call.WithContext(request.WithCaller(ctx, caller))
	}
	call.RequestURI, call.RemoteAddr = call.URL.RequestURI(), "memory"
	defer func() {
		if value := recover(); value != nil {
			got, err = Reply{}, fmt.Errorf("the handler panicked: %v\n%s", value, debug.Stack())
		}
	}()
	reply := &reply{header: http.Header{}}
	h.ServeHTTP(reply, call)
	reply.WriteHeader(http.StatusOK)
	return Reply{reply.status, reply.header, reply.body}, nil
}

// reply is the response of a handler.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// Header returns the header of the response.
func (r *reply) Header() http.Header { return r.header }

// WriteHeader sets the status. As with net/http, only the first final one counts.
func (r *reply) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
}

// Write adds to the body.
func (r *reply) Write(content []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.body = append(r.body, content...)
	return len(content), nil
}
