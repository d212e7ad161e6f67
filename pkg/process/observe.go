package process

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/audit"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/tracing"
)

// logRequest logs a request: failures of this process with their cause, everything else at level debug, or info with
// AccessLog. The line has the route and not the path, the kind of a problem and not its text, and no
// person: these could be personal data.
func (o *observer) logRequest(c *gin.Context, names *request.Names, route string, took time.Duration) {
	var cause error
	if last := c.Errors.Last(); last != nil {
		cause = last.Err
	}
	status, level := c.Writer.Status(), o.level
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

// Label values that stand for whatever a caller can make up. Without them a caller could make any number of series.
const (
	unmatched = "unmatched" // a path that no route matches
	other     = "other"     // a method or a status that HTTP does not define
)

// requestMetrics counts and times the requests of one service. deploy/README.md describes each metric.
type requestMetrics struct {
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	problems *prometheus.CounterVec
	// observers holds the label values met so far. The map is replaced and never changed, so that a request needs
	// neither a lock nor the hashing of label names.
	observers atomic.Pointer[map[series]prometheus.Observer]
	growing   sync.Mutex
}

type series struct {
	route, method string
	status        int
}

func newRequestMetrics(registerer prometheus.Registerer) *requestMetrics {
	with := promauto.With(registerer)
	m := &requestMetrics{
		seconds: with.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "http_request_duration_seconds",
			Help:    "Time from the headers of a request to the end of its response.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "code"}),
		inFlight: with.NewGauge(prometheus.GaugeOpts{
			Name: "http_requests_in_flight", Help: "Requests that are being handled.",
		}),
		problems: with.NewCounterVec(prometheus.CounterOpts{
			Name: "http_problems_total", Help: "Problem documents sent, by the last segment of their type.",
		}, []string{"type"}),
	}
	m.observers.Store(&map[series]prometheus.Observer{})
	return m
}

// observe counts a finished request, whose trace becomes an example (exemplar) of its duration. route is a template
// such as /claim/:id or /claim/{id}:settle, never a path.
func (m *requestMetrics) observe(route, method string, status int, took time.Duration, span trace.Span) {
	s := series{route, method, status}
	o, ok := (*m.observers.Load())[s]
	if !ok {
		o = m.observer(s)
	}
	tracing.Observe(span, o, took.Seconds())
}

// observer returns the observer for label values that were not met before.
func (m *requestMetrics) observer(s series) prometheus.Observer {
	method, code := s.method, strconv.Itoa(s.status)
	if http.StatusText(s.status) == "" {
		code = other
	}
	if methodLabel(method) == other {
		// It is not remembered: the map must not grow by names that callers make up.
		return m.seconds.WithLabelValues(other, template(s.route), code)
	}
	o := m.seconds.WithLabelValues(method, template(s.route), code)
	if code == other {
		return o
	}
	m.growing.Lock()
	defer m.growing.Unlock()
	grown := maps.Clone(*m.observers.Load())
	grown[s] = o
	m.observers.Store(&grown)
	return o
}

// methodLabel returns the method if HTTP defines it, else "other".
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch,
		http.MethodOptions:
		return method
	}
	return other
}

// template writes the parameters of a route as the OpenAPI document does: /claim/{id}, not /claim/:id.
func template(route string) string {
	segments := strings.Split(route, "/")
	for i, segment := range segments {
		if name, is := strings.CutPrefix(segment, ":"); is {
			segments[i] = "{" + name + "}"
		}
	}
	return strings.Join(segments, "/")
}

// countProblem counts the problem document that err was sent as; nothing if err is not a problem.
func (m *requestMetrics) countProblem(err error) {
	var p *problem.Error
	if errors.As(err, &p) {
		m.problems.WithLabelValues(p.Kind.Slug()).Inc()
	}
}

// auditRequest adds the line of a request to the audit log, if its caller is known. A stranger has no line, because a
// flood of them would push out the others; the access log and the metrics have it.
func (o *observer) auditRequest(c *gin.Context, names *request.Names, route string) {
	if o.audit == nil {
		return
	}
	caller := request.CallerFrom(c.Request.Context())
	if caller.Subject == "" {
		return
	}
	o.audit.Add(&audit.Entry{
		Time: time.Now(), Request: names.ID, Service: o.service, Subject: caller.Subject, Client: caller.Client,
		Organisation: caller.Organisation.Name(), Reason: caller.Reason,
		From: addressOf(c.Request), ForwardedFor: strings.Join(c.Request.Header["X-Forwarded-For"], ", "),
		Method: methodLabel(c.Request.Method), Route: route, Path: c.Request.URL.Path,
		Query: c.Request.URL.RawQuery, Record: c.Writer.Header().Get("Location"),
		Status: c.Writer.Status(), Problem: problemOf(c),
	})
}

// addressOf returns the address from which a request came, without the port.
func addressOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}
