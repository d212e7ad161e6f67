package process

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/audit"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/tracing"
)

// EngineConfig is the configuration of a router.
type EngineConfig struct {
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Timeout is the longest time that a request may take. A caller within the exchange can shorten it with
	// request.TimeoutHeader.
	Timeout time.Duration
	// LargestBody is the largest size of a request body, in bytes. Reading more fails with *http.MaxBytesError.
	LargestBody int64
	// Tracer traces the requests; nil if they are not traced.
	Tracer trace.Tracer
	// AccessLog logs every request.
	AccessLog bool
	// Audit gets a line for each request of a known caller, in the name of Service; nil if none is kept.
	Audit   *audit.Log
	Service string
	// Budget bounds the memory of what requests have in work; nothing does if it is nil. Forwards says that the
	// handlers pass requests on, and do not work on them.
	Budget   *load.Budget
	Forwards bool
}

// NewEngine returns a router that gives each request an id and a time limit, and counts and logs it. A handler responds
// to a failure with Refuse. An unknown path is a 404 problem, and so is a path with an encoded slash.
func NewEngine(config EngineConfig) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	observer := &observer{
		log: config.Log, metrics: newRequestMetrics(config.Metrics), timeout: config.Timeout,
		largestBody: config.LargestBody,
		tracer:      config.Tracer, level: slog.LevelDebug, audit: config.Audit,
		service: config.Service, budget: config.Budget, forwards: config.Forwards,
	}
	if config.AccessLog {
		observer.level = slog.LevelInfo
	}
	engine.Use(observer.handle)
	engine.NoRoute(func(c *gin.Context) { Refuse(c, problem.New(problem.NotFound, "")) })
	return engine
}

// Admission admits a request of a caller, or returns the problem to refuse it with. What it admitted ends with the
// response.
type Admission func(c *gin.Context, caller request.Caller) *problem.Error

// Admit returns the admission by a limiter.
func Admit(limiter *load.Limiter) Admission {
	return func(c *gin.Context, caller request.Caller) *problem.Error {
		return limiter.Admit(c, load.Caller{Account: caller.Account(), Name: caller.Key()}, routeOf(c))
	}
}

// Guard returns a handler that lets a guard put the caller of a request into its context, and then has the request
// admitted, and takes its memory in the caller's name: a request that waits to be admitted has none.
func Guard(guard gin.HandlerFunc, admit Admission) gin.HandlerFunc {
	return func(c *gin.Context) {
		if guard(c); c.IsAborted() {
			return
		}
		caller := request.CallerFrom(c.Request.Context())
		if refused := admit(c, caller); refused != nil {
			Refuse(c, refused)
			return
		}
		if err := request.Charge(c.Request.Context(), caller.Account(), load.Page); err != nil {
			Refuse(c, problem.From(err))
		}
	}
}

// Admission returns the admission of the requests that one service of the process, which may be the gateway, takes for
// another one, or for itself. forwards says that they are forwarded to another process.
func (p *Process) Admission(service, to string, forwards bool) Admission {
	most := p.Settings.OverloadRequests
	if !forwards {
		most = min(most, p.Settings.inWork())
	}
	return Admit(p.limiter(service, to, int(most)))
}

// limiter returns a new limiter of at most a number of requests in work. If the settings say that none is refused, they
// wait as long as their own time allows.
func (p *Process) limiter(service, to string, most int) *load.Limiter {
	return load.NewLimiter(load.LimiterConfig{
		Wait: cmp.Or(p.Settings.OverloadLatency, 24*time.Hour), Most: most,
		MostWaiting: int(p.Settings.connections()), Log: p.Log.With("service", service, "to", to),
		Metrics: prometheus.WrapRegistererWith(prometheus.Labels{"to": to}, p.Metrics(service)),
	})
}

// unproved is how many tokens that are not known yet are verified at a time. That takes a processor for as long as a
// request does, and any client may ask for it.
const unproved = 16

// Meeting lets the token of a stranger be verified. It returns when that may begin, and end has to be called after it,
// or the problem to refuse the request with.
type Meeting func(c *gin.Context) (end func(), refused *problem.Error)

// Meet returns the meeting by a limiter, in which strangers take turns by their addresses.
func Meet(limiter *load.Limiter) Meeting {
	return func(c *gin.Context) (end func(), refused *problem.Error) {
		slot, refused := limiter.Begin(c.Request.Context(), load.Caller{Account: addressOf(c.Request)})
		return slot.End, refused
	}
}

// Meeting returns how a service meets the strangers of the process.
func (p *Process) Meeting(service string) Meeting {
	return Meet(p.limiter(service, "strangers", unproved))
}

// observer handles what every request needs: its id and trace context, the limits of its time and of its body, metrics
// and the log.
type observer struct {
	log         *slog.Logger
	metrics     *requestMetrics
	timeout     time.Duration
	largestBody int64
	tracer      trace.Tracer
	// level is the level at which requests are logged that have not failed.
	level    slog.Level
	audit    *audit.Log
	service  string
	budget   *load.Budget
	forwards bool
}

// Keys of the gin context.
const (
	routeKey = "exchange.route" // the route template, where it is not that of the router
	relayKey = "exchange.relay" // set if another process makes the response
	bodyKey  = "exchange.body"  // the body of the request, a *boundedBody
)

// SetRoute sets the route template by which the request is counted, such as /claim/{id}:settle. A handler that serves
// several operations calls it; otherwise the router's own template is used.
func SetRoute(c *gin.Context, route string) { c.Set(routeKey, route) }

// SetUnmatched has the request counted as one of an unknown path, although the router has matched it.
func SetUnmatched(c *gin.Context) { SetRoute(c, unmatched) }

// Relay marks the request as one whose response another process makes. A failure is not logged here, because that
// process logs it.
func Relay(c *gin.Context) { c.Set(relayKey, true) }

// boundedBody is the body of a request that is no larger than it may be.
type boundedBody struct {
	io.ReadCloser
	// whole is what comes, of which nothing is taken from the memory of the process.
	whole io.ReadCloser
}

// Stream lets the body of the request have up to a number of bytes, whatever the setting says. The handler reads it
// piece by piece, and keeps no more of it in memory than a page. It is called before anything is read.
func Stream(c *gin.Context, most int64) {
	if body, is := c.Value(bodyKey).(*boundedBody); is {
		body.ReadCloser = http.MaxBytesReader(c.Writer, body.whole, most)
	}
}

func (o *observer) handle(c *gin.Context) {
	began := time.Now()
	o.metrics.inFlight.Inc()
	incoming := c.Request
	ctx, names, span, end := o.begin(incoming)
	defer end()
	if header := c.Writer.Header(); header[problem.RequestIDHeader] == nil {
		header[problem.RequestIDHeader] = []string{names.ID}
	}
	c.Request = incoming.WithContext(ctx)
	defer o.budget.Enter(c, o.forwards)()
	defer o.finish(c, names, span, began)

	if hasEncodedSlash(incoming.URL) {
		// The router works on the decoded path, in which the slash would separate segments. It is part of one, and no
		// route has such a segment.
		SetUnmatched(c)
		Refuse(c, problem.New(problem.NotFound, ""))
		return
	}
	// A long body fails only when it is read, because path, method and token are checked before it.
	if incoming.Body != http.NoBody {
		body := &boundedBody{http.MaxBytesReader(c.Writer, c.Request.Body, o.largestBody), incoming.Body}
		c.Set(bodyKey, body)
		c.Request.Body = body
	}
	defer func() { load.Leave(c) }()
	c.Next()
}

// begin returns the context of a request, its names and its span. A request whose context carries names is part of
// one that this process has begun: it has the names and the time of that.
func (o *observer) begin(
	incoming *http.Request,
) (ctx context.Context, names *request.Names, span trace.Span, end func()) {
	ctx = incoming.Context()
	if whole := request.NamesFrom(ctx); whole != nil {
		ctx, span = tracing.Request(ctx, o.tracer, "")
		parent := tracing.Parent(span)
		if parent == "" {
			return ctx, whole, span, func() {}
		}
		part := *whole
		part.Parent = parent
		return request.WithNames(ctx, &part), &part, span, func() {}
	}
	names = request.ReadNames(incoming.Header)
	ctx, span = tracing.Request(ctx, o.tracer, names.Parent)
	if parent := tracing.Parent(span); parent != "" {
		names.Parent = parent
	}
	ctx, end = context.WithTimeout(request.WithNames(ctx, names), request.ReadTimeout(incoming.Header, o.timeout))
	return ctx, names, span, end
}

// hasEncodedSlash reports whether the path was sent with a slash in the form %2F.
func hasEncodedSlash(u *url.URL) bool {
	return u.RawPath != "" && (strings.Contains(u.RawPath, "%2F") || strings.Contains(u.RawPath, "%2f"))
}

// Refuse responds with a problem, and stops the handlers that would follow. The cause of the problem goes to the log.
func Refuse(c *gin.Context, p *problem.Error) {
	_ = c.Error(p)
	problem.Write(c.Writer, p)
	c.Abort()
}

// finish is deferred, and therefore sees panics. A panic of a handler becomes a 500. If the response has begun, the
// connection is closed instead, so that the caller does not take a part for the whole.
func (o *observer) finish(c *gin.Context, names *request.Names, span trace.Span, began time.Time) {
	panicked := recover()
	aborted := panicked == any(http.ErrAbortHandler)
	cut := panicked != nil && (c.Writer.Written() || aborted)
	if panicked != nil && !aborted {
		o.log.Error("handler panicked", "request", names.ID, "method", methodLabel(c.Request.Method), "route",
			template(routeOf(c)), "trace", names.TraceID(),
			"cause", panicked, "stack", string(debug.Stack()))
	}
	if panicked != nil && !cut {
		Refuse(c, problem.New(problem.Internal, ""))
	}
	route := routeOf(c)
	took := time.Since(began)
	o.metrics.inFlight.Dec()
	o.metrics.observe(route, c.Request.Method, c.Writer.Status(), took, span)
	if last := c.Errors.Last(); last != nil {
		o.metrics.countProblem(last.Err)
	}
	o.auditRequest(c, names, route)
	endSpan(span, c, names, route, cut)
	if panicked == nil {
		o.logRequest(c, names, route, took)
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
}

// routeOf returns the route of a request, as the router names it or as SetRoute has set it.
func routeOf(c *gin.Context) string {
	if set := c.GetString(routeKey); set != "" {
		return set
	}
	if route := c.FullPath(); route != "" {
		return route
	}
	return unmatched
}
