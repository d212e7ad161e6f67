package peer

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

const (
	// openAfter is how many calls must fail in a row for the circuit breaker to open, unless the configuration says so.
	openAfter = 5
	// openFor is how long an open circuit breaker refuses calls before it tries one.
	openFor = time.Second
)

// newBreaker returns a circuit breaker that counts calls without a response and 5xx responses as failures. A caller who
// gives up says nothing about the peer, and a peer that refuses a call because it has too much in work is there.
func newBreaker(config Config) circuitbreaker.CircuitBreaker[Reply] {
	return circuitbreaker.NewBuilder[Reply]().
		HandleIf(func(got Reply, err error) bool {
			return err != nil && !errors.Is(err, context.Canceled) || got.Status >= 500 && !got.overloaded()
		}).
		WithFailureThreshold(cmp.Or(config.OpenAfter, openAfter)).
		WithDelay(openFor).
		WithSuccessThreshold(1).
		Build()
}

// firstPause is how long a read, or the making of a connection, waits before it is repeated. It waits twice as long
// before the second repetition.
const firstPause = 20 * time.Millisecond

// newRetry returns the policy for reads: one that failed for a passing reason is repeated, at most twice and within the
// time of the request. A peer that has too much in work is not asked again.
func newRetry() retrypolicy.RetryPolicy[Reply] {
	return retrypolicy.NewBuilder[Reply]().
		HandleIf(func(got Reply, err error) bool {
			switch got.Status {
			case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
				return !got.overloaded()
			}
			return err != nil && !errors.Is(err, circuitbreaker.ErrOpen) && !errors.Is(err, context.Canceled) &&
				!errors.Is(err, context.DeadlineExceeded)
		}).
		WithMaxRetries(2).
		WithBackoff(firstPause, 2*firstPause).
		ReturnLastFailure().
		Build()
}

// register registers the metrics of a peer: the state of its circuit breaker, and the times of calls, which it returns.
func register(config Config, breaker circuitbreaker.CircuitBreaker[Reply]) *prometheus.HistogramVec {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"peer": config.Name}, config.Metrics))
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "peer_breaker_state", Help: "State of the circuit breaker of a peer: 0 closed, 1 half open (one call " +
			"is tried), 2 open (calls are refused).",
	}, func() float64 {
		return map[circuitbreaker.State]float64{
			circuitbreaker.HalfOpenState: 1, circuitbreaker.OpenState: 2,
		}[breaker.State()]
	})
	return with.NewHistogramVec(prometheus.HistogramOpts{
		Name: "peer_request_duration_seconds", Help: "Time of a call of another service, each attempt by itself.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "code"})
}
