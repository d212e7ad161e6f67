package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"sync"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/tracing"
)

// forward sends a request to its service, and the response, which may be a problem document, unchanged to the caller.
func (g *gateway) forward(c *gin.Context, to string, caller request.Caller) {
	upstream := g.Upstreams[to]
	ctx, span := tracing.Begin(c.Request.Context(), "forward "+to, trace.SpanKindClient,
		attribute.String("peer.service", to))
	defer span.End()
	if upstream.Handler != nil {
		request := c.Request
		if ctx != request.Context() {
			request = request.WithContext(ctx)
		}
		g.handOver(c, upstream.Handler, request, span)
		return
	}
	if err := request.Charge(ctx, caller.Account(), forwarding); err != nil {
		process.Refuse(c, problem.From(err))
		return
	}
	c.Request = c.Request.WithContext(ctx)
	proxy := httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { g.rewrite(r, upstream, caller) },
		Transport:  upstream.Transport,
		BufferPool: buffers,
		ErrorLog:   g.broken,
		ModifyResponse: func(response *http.Response) error {
			// The response has the request id already.
			delete(response.Header, problem.RequestIDHeader)
			// The caller's token was accepted here. It is the gateway that the service does not know, a fault of the
			// installation.
			if response.StatusCode == http.StatusUnauthorized {
				return g.Credentials.Refused(to)
			}
			if err := g.keep(ctx, response.Header); err != nil {
				return err
			}
			g.keepPrivate(response.Header)
			responds(response.StatusCode, span)
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			tracing.Fail(span, "no usable response")
			process.Refuse(c, outage(err))
		},
	}
	proxy.ServeHTTP(c.Writer, c.Request)
}

// forwarding is the memory that a request needs while it is forwarded, in bytes, whatever it carries: its body and the
// response pass through in pieces. There are buffers for both, and the connection to the service with its own. A
// service of the same process takes its own memory.
const forwarding = 2 * bufferSize

// keepPrivate says of the response of a service that it is for one caller, where organisations share the exchange: a
// cache that keeps it in spite of no-store must not give it to another one.
func (g *gateway) keepPrivate(header http.Header) {
	if g.Organisations {
		header["Cache-Control"] = private
	}
}

var private = []string{"private, no-store"}

// responds notes the status of the response of a service.
func responds(status int, span trace.Span) {
	if span.IsRecording() {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
	}
}

// rewrite turns a request of a caller into one to the service. It runs after the hop-by-hop headers were removed, so
// that a caller cannot have the gateway's own headers removed by naming them in the header Connection.
func (g *gateway) rewrite(r *httputil.ProxyRequest, upstream Upstream, caller request.Caller) {
	out := r.Out
	out.URL.Scheme, out.URL.Host, out.Host = upstream.URL.Scheme, upstream.URL.Host, ""
	// The service routes by the decoded path, as the table did.
	out.URL.RawPath = ""
	// A malformed query is forwarded as it is, so that the service refuses it. ReverseProxy would remove parts of it.
	out.URL.RawQuery = r.In.URL.RawQuery
	// Services do not need the token and do not change protocols.
	for _, name := range []string{"Authorization", "Connection", "Upgrade"} {
		delete(out.Header, name)
	}
	// net/http repeats what has a key, also what may have been received. Nothing but a POST is done once for its key.
	if delete(out.Header, "X-Idempotency-Key"); out.Method != http.MethodPost {
		delete(out.Header, "Idempotency-Key")
	}
	r.SetXForwarded()
	ctx := r.In.Context()
	g.Credentials.Identify(out.Header, caller)
	request.NamesFrom(ctx).Write(out.Header)
	tracing.Inject(ctx, out.Header)
	request.WriteTimeout(ctx, out.Header)
}

// outage returns the problem for a request that got no response from its service, or none that the caller can use.
func outage(err error) *problem.Error {
	var limit *http.MaxBytesError
	if errors.As(err, &limit) {
		return tooLarge(limit.Limit)
	}
	var refused *problem.Error
	if errors.As(err, &refused) {
		return refused // of the body, which did not come in time
	}
	return problem.Outage(err)
}

func tooLarge(limit int64) *problem.Error {
	return problem.New(problem.TooLarge, fmt.Sprintf("The body is larger than %d bytes.", limit))
}

// buffers holds the buffers through which responses are copied.
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

// handOver passes a request to a service of this process. The context of the request carries what headers carry between
// processes. The service writes its response directly to the caller.
func (g *gateway) handOver(c *gin.Context, service http.Handler, request *http.Request, span trace.Span) {
	delete(request.Header, "Authorization") // services do not need the token
	request.TLS = nil                       // the gateway has looked at the certificate of the caller
	request.URL.RawPath = ""                // the service routes by the decoded path, as the table did
	response := handedOver{ResponseWriter: c.Writer, span: span, gateway: g}
	service.ServeHTTP(&response, request)
	response.begin(http.StatusOK)
	if response.held != nil {
		response.release(c)
	}
}

// handedOver is the response of a service of this process.
type handedOver struct {
	http.ResponseWriter
	span    trace.Span
	gateway *gateway
	begun   bool
	held    *heldBack
}

// WriteHeader begins the response.
func (h *handedOver) WriteHeader(status int) {
	h.begin(status)
}

// Write writes a part of the body.
func (h *handedOver) Write(content []byte) (int, error) {
	h.begin(http.StatusOK)
	if h.held != nil {
		return h.held.body.Write(content)
	}
	return h.ResponseWriter.Write(content)
}

// Flush sends what was written so far.
func (h *handedOver) Flush() {
	h.begin(http.StatusOK)
	if h.held != nil {
		return
	}
	_ = http.NewResponseController(h.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (h *handedOver) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// begin begins the response with a status, unless it has begun.
func (h *handedOver) begin(status int) {
	if h.begun || status < http.StatusOK {
		return
	}
	h.begun = true
	h.gateway.keepPrivate(h.Header())
	responds(status, h.span)
	if len(h.Header()[request.KeepsHeader]) > 0 {
		h.held = &heldBack{status: status}
		return
	}
	h.ResponseWriter.WriteHeader(status)
}
