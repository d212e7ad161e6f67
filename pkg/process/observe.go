package process

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/audit"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/tracing"
)

// observer handles what every request needs: its id and trace context, the limits of its time and of its body, metrics
// and the log.
type observer struct {
	log         *slog.Logger
	metrics     *requestMetrics
	timeout     time.Duration
	largestBody int64
	tracer      trace.Tracer
	accessLog   bool
	audit       *audit.Log
	service     string
	door        load.Door
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
	whole io.ReadCloser
}

// Stream lets the body of the request have up to a number of bytes, whatever the setting says. The handler reads it
// piece by piece, and takes the memory for what it keeps of it. It is called before anything is read.
func Stream(c *gin.Context, most int64) {
	if body, is := c.Value(bodyKey).(*boundedBody); is {
		body.ReadCloser = http.MaxBytesReader(c.Writer, load.Unaccounted(body.whole), most)
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
	defer o.door.Enter(c)()
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
		body := &boundedBody{http.MaxBytesReader(c.Writer, c.Request.Body, o.largestBody), c.Request.Body}
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

// refusalsOfLoad are the problems after which a client that sends its request again at once makes them worse.
var refusalsOfLoad = []problem.Kind{problem.Overloaded, problem.ShareUsedUp, problem.RateExceeded}

// hasEncodedSlash reports whether the path was sent with a slash in the form %2F.
func hasEncodedSlash(u *url.URL) bool {
	return u.RawPath != "" && (strings.Contains(u.RawPath, "%2F") || strings.Contains(u.RawPath, "%2f"))
}

// Refuse responds with a problem, and stops the handlers that would follow. The cause of the problem goes to the log.
// The time that a refusal takes does not count as that of a served request. While many refusals are sent, two kinds are
// held back: those to strangers, and those that say that too much is asked for.
func Refuse(c *gin.Context, p *problem.Error) {
	load.Leave(c)
	if slices.Contains(refusalsOfLoad, p.Kind) || request.CallerFrom(c.Request.Context()).Subject == "" {
		load.HoldBack(c)
	}
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

// logRequest logs a request: failures of this process with their cause, everything else at level debug, or info with
// AccessLog. The line has the route and not the path, the kind of a problem and not its text, and no
// person: these could be personal data.
func (o *observer) logRequest(c *gin.Context, names *request.Names, route string, took time.Duration) {
	var cause error
	if last := c.Errors.Last(); last != nil {
		cause = last.Err
	}
	status, level := c.Writer.Status(), o.level()
	failed := true
	relayed := c.GetBool(relayKey)
	ctx := c.Request.Context()
	switch gone := errors.Is(cause, context.Canceled) && errors.Is(ctx.Err(), context.Canceled); {
	case status < 500, gone, relayed && cause == nil, errors.Is(cause, load.Refusal):
		failed = false
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn
	default:
		level = slog.LevelError
	}
	if !o.log.Enabled(ctx, level) {
		return
	}
	attributes := attributesOf(names, c.Request.Method, route, status, took, max(c.Writer.Size(), 0), problemOf(c))
	if organisation := request.CallerFrom(ctx).Organisation.Name(); organisation != "" {
		attributes = append(attributes, slog.String("organisation", organisation))
	}
	message := "request"
	if failed {
		message = "request failed"
		attributes = append(attributes, slog.Any("cause", cause))
	}
	o.log.LogAttrs(ctx, level, message, attributes...)
}

// level returns the level at which requests are logged that have not failed.
func (o *observer) level() slog.Level {
	if o.accessLog {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// attributesOf returns what the line of a request in the log has. problem is the kind of its problem document; empty
// if it has none.
func attributesOf(
	names *request.Names, method, route string, status int, took time.Duration, size int, problem string,
) []slog.Attr {
	attributes := []slog.Attr{
		slog.String("request", names.ID), slog.String("method", methodLabel(method)),
		slog.String("route", template(route)),
		slog.Int("status", status), slog.Duration("took", took), slog.Int("bytes", size),
	}
	if trace := names.TraceID(); trace != "" {
		attributes = append(attributes, slog.String("trace", trace))
	}
	if problem != "" {
		attributes = append(attributes, slog.String("problem", problem))
	}
	return attributes
}

// endSpan ends the span of a request with what is known of it now. cut says that its response was cut off. Its name
// is the method and the route template, never a path.
func endSpan(span trace.Span, c *gin.Context, names *request.Names, route string, cut bool) {
	if span.IsRecording() {
		method, status := methodLabel(c.Request.Method), c.Writer.Status()
		span.SetName(method + " " + template(route))
		span.SetAttributes(
			attribute.String("http.request.method", method),
			attribute.String("http.route", template(route)),
			attribute.Int("http.response.status_code", status),
			attribute.String("exchange.request.id", names.ID),
		)
		if kind := problemOf(c); kind != "" {
			span.SetAttributes(attribute.String("exchange.problem", kind))
		}
		switch {
		case cut:
			tracing.Fail(span, "cut off")
		case status >= http.StatusInternalServerError:
			tracing.Fail(span, strconv.Itoa(status))
		}
	}
	span.End()
}

// problemOf returns the slug of the problem that the request was refused with; empty if it was not.
func problemOf(c *gin.Context) string {
	var p *problem.Error
	if last := c.Errors.Last(); last != nil && errors.As(last.Err, &p) {
		return p.Kind.Slug()
	}
	return ""
}
