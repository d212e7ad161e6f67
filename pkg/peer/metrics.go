package peer

import (
	"net/http"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/tracing"
)

// newSeconds registers the metric of the calls to a peer.
func newSeconds(config Config) *prometheus.HistogramVec {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"peer": config.Name}, config.Metrics))
	return with.NewHistogramVec(prometheus.HistogramOpts{
		Name: "peer_request_duration_seconds", Help: "Time of a call of another service, each attempt by itself.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "code"})
}

// registerBreaker registers the state of the circuit breaker of a peer.
func registerBreaker(config Config, breaker circuitbreaker.CircuitBreaker[response]) {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"peer": config.Name}, config.Metrics))
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "peer_breaker_state", Help: "State of the circuit breaker of a peer: 0 closed, 1 half open (one call " +
			"is tried), 2 open (calls are refused).",
	}, func() float64 {
		switch breaker.State() {
		case circuitbreaker.OpenState:
			return 2
		case circuitbreaker.HalfOpenState:
			return 1
		default:
			return 0
		}
	})
}

// observe times an attempt. status is 0 if there was no response.
func (c *Client) observe(method string, status int, began time.Time, span trace.Span) {
	if c.seconds == nil {
		return
	}
	code := "none"
	if http.StatusText(status) != "" {
		code = strconv.Itoa(status)
	}
	tracing.Observe(span, c.seconds.WithLabelValues(method, code), time.Since(began).Seconds())
}
