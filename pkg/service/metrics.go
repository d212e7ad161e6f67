package service

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requestMetrics count and time the requests of one service.
type requestMetrics struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	// children are the label values met so far. The map is replaced, never changed, so that a request pays neither a
	// lock nor the hashing of label names.
	children atomic.Pointer[map[series]child]
	growing  sync.Mutex
}

type series struct {
	route, method string
	class         int
}

type child struct {
	total   prometheus.Counter
	seconds prometheus.Observer
}

var classes = [...]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"}

func newRequestMetrics(registerer prometheus.Registerer) *requestMetrics {
	m := &requestMetrics{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "exchange_http_requests_total", Help: "Requests answered, by route template and class of status.",
		}, []string{"route", "method", "class"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "exchange_http_request_seconds", Help: "Time from a request's headers to the end of its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route", "method"}),
	}
	m.children.Store(&map[series]child{})
	registerer.MustRegister(m.total, m.seconds)
	return m
}

// observe counts one request. route must be a template, not a path.
func (m *requestMetrics) observe(route, method string, status int, took time.Duration) {
	s := series{route, method, status / 100}
	if s.class >= len(classes) {
		s.class = 0
	}
	c, ok := (*m.children.Load())[s]
	if !ok {
		c = m.child(s)
	}
	c.total.Inc()
	c.seconds.Observe(took.Seconds())
}

func (m *requestMetrics) child(s series) child {
	method := s.method
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions:
	default:
		// Anyone can make up methods: they must make neither series nor map entries.
		return child{m.total.WithLabelValues(s.route, "other", classes[s.class]), m.seconds.WithLabelValues(s.route, "other")}
	}
	c := child{m.total.WithLabelValues(s.route, method, classes[s.class]), m.seconds.WithLabelValues(s.route, method)}
	m.growing.Lock()
	defer m.growing.Unlock()
	grown := maps.Clone(*m.children.Load())
	grown[s] = c
	m.children.Store(&grown)
	return c
}
