package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"sync"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// forward passes a request on to its service and the answer back as it is, problem documents among them.
func (g *gateway) forward(c *gin.Context, upstream Upstream, caller request.Caller) {
	proxy := httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { g.rewrite(r, upstream, caller) },
		Transport:  upstream.Transport,
		BufferPool: buffers,
		ErrorLog:   g.broken,
		ModifyResponse: func(response *http.Response) error {
			// The answer carries the request id already.
			delete(response.Header, problem.RequestIDHeader)
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { refuse(c, outage(err)) },
	}
	proxy.ServeHTTP(c.Writer, c.Request)
}

// rewrite makes the request to the service. It runs after the hop-by-hop headers have been taken out, so that a caller
// cannot have the gateway's own taken out by naming them in Connection.
func (g *gateway) rewrite(r *httputil.ProxyRequest, upstream Upstream, caller request.Caller) {
	out := r.Out
	out.URL.Scheme, out.URL.Host, out.Host = upstream.URL.Scheme, upstream.URL.Host, ""
	// The service sees the path as the table did: decoded once.
	out.URL.RawPath = ""
	// Malformed parameters are refused by the service, not dropped here.
	out.URL.RawQuery = r.In.URL.RawQuery
	// Services neither need the token nor change protocols.
	for _, name := range []string{"Authorization", "Connection", "Upgrade"} {
		delete(out.Header, name)
	}
	r.SetXForwarded()
	ctx := r.In.Context()
	g.Credentials.Identify(out.Header, caller)
	request.NamesFrom(ctx).Write(out.Header)
	request.WriteTimeout(ctx, out.Header)
}

// outage is the problem of a request that did not get its answer.
func outage(err error) *problem.Error {
	var limit *http.MaxBytesError
	if errors.As(err, &limit) {
		return tooLarge(limit.Limit)
	}
	return problem.Outage(err)
}

func tooLarge(limit int64) *problem.Error {
	return problem.New(problem.TooLarge, fmt.Sprintf("The body is larger than %d bytes.", limit))
}

// buffers are what answers are copied through.
var buffers = &pool{}

type pool struct{ free sync.Pool }

const bufferSize = 32 << 10

func (p *pool) Get() []byte {
	if buffer, ok := p.free.Get().(*[bufferSize]byte); ok {
		return buffer[:]
	}
	return new([bufferSize]byte)[:]
}

func (p *pool) Put(buffer []byte) { p.free.Put((*[bufferSize]byte)(buffer)) }
