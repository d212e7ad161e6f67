package peer

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// The defaults of Config.OpenAfter and Config.OpenFor.
const (
	openAfter = 5
	openFor   = time.Second
)

// newBreaker returns a circuit breaker that counts calls without a response and 5xx responses as failures. A caller who
// gives up says nothing about the peer, and a peer that refuses a call because it has too much in work is there.
func newBreaker(config Config) circuitbreaker.CircuitBreaker[response] {
	if config.OpenAfter == 0 {
		config.OpenAfter = openAfter
	}
	if config.OpenFor == 0 {
		config.OpenFor = openFor
	}
	return circuitbreaker.NewBuilder[response]().
		HandleIf(func(got response, err error) bool {
			return err != nil && !errors.Is(err, context.Canceled) || got.status >= 500 && !got.overloaded()
		}).
		WithFailureThreshold(config.OpenAfter).
		WithDelay(config.OpenFor).
		WithSuccessThreshold(1).
		Build()
}

// newRetry returns the policy for reads: one that failed for a passing reason is repeated, at most twice and within the
// time of the request. A peer that has too much in work is not asked again.
func newRetry() retrypolicy.RetryPolicy[response] {
	return retrypolicy.NewBuilder[response]().
		HandleIf(func(got response, err error) bool {
			if got.overloaded() {
				return false
			}
			switch got.status {
			case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
				return true
			}
			return err != nil
		}).
		AbortIf(func(_ response, err error) bool {
			return errors.Is(err, circuitbreaker.ErrOpen) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		}).
		WithMaxRetries(2).
		WithBackoff(20*time.Millisecond, 200*time.Millisecond).
		WithJitterFactor(0.25).
		ReturnLastFailure().
		Build()
}
