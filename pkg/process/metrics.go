package process

import (
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/tracing"
)

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
