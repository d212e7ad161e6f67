package peer

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/tracing"
)

// The defaults of Config.OpenAfter and Config.OpenFor.
const (
	openAfter = 5
	openFor   = time.Second
)

// newBreaker returns a circuit breaker that counts calls without a response and 5xx responses as failures. A caller who
// gives up says nothing about the peer, and a peer that refuses a call because it has too much in work is there.
func newBreaker(config Config) circuitbreaker.CircuitBreaker[Reply] {
	if config.OpenAfter == 0 {
		config.OpenAfter = openAfter
	}
	if config.OpenFor == 0 {
		config.OpenFor = openFor
	}
	return circuitbreaker.NewBuilder[Reply]().
		HandleIf(func(got Reply, err error) bool {
			return err != nil && !errors.Is(err, context.Canceled) || got.Status >= 500 && !got.overloaded()
		}).
		WithFailureThreshold(config.OpenAfter).
		WithDelay(config.OpenFor).
		WithSuccessThreshold(1).
		Build()
}

// firstPause is how long a read waits on average before it is repeated. It waits twice as long before the second
// repetition.
const firstPause = 20 * time.Millisecond

// chance returns a random time below a bound. It is drawn where a simulation can give the numbers, which the source
// of the retry policy does not let it.
func chance(bound time.Duration) time.Duration {
	var number [8]byte
	_, _ = rand.Read(number[:]) // never fails
	return time.Duration(binary.LittleEndian.Uint64(number[:]) % uint64(bound))
}

// newRetry returns the policy for reads: one that failed for a passing reason is repeated, at most twice and within the
// time of the request. A peer that has too much in work is not asked again.
func newRetry() retrypolicy.RetryPolicy[Reply] {
	return retrypolicy.NewBuilder[Reply]().
		HandleIf(func(got Reply, err error) bool {
			if got.overloaded() {
				return false
			}
			switch got.Status {
			case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
				return true
			}
			return err != nil
		}).
		AbortIf(func(_ Reply, err error) bool {
			return errors.Is(err, circuitbreaker.ErrOpen) || errors.Is(err, context.Canceled) ||
				errors.Is(err, context.DeadlineExceeded)
		}).
		WithMaxRetries(2).
		WithDelayFunc(func(failed failsafe.ExecutionAttempt[Reply]) time.Duration {
			wait := firstPause << (failed.Attempts() - 1)
			return wait - wait/4 + chance(wait/2)
		}).
		ReturnLastFailure().
		Build()
}

// newSeconds registers the metric of the calls to a peer.
func newSeconds(config Config) *prometheus.HistogramVec {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"peer": config.Name}, config.Metrics))
	return with.NewHistogramVec(prometheus.HistogramOpts{
		Name: "peer_request_duration_seconds", Help: "Time of a call of another service, each attempt by itself.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "code"})
}

// registerBreaker registers the state of the circuit breaker of a peer.
func registerBreaker(config Config, breaker circuitbreaker.CircuitBreaker[Reply]) {
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
