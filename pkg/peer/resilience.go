package peer

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// What a breaker does where the configuration does not say.
const (
	openAfter = 5
	openFor   = time.Second
)

// newBreaker counts as failures what tells that the peer is ill: no answer, or 5xx. A caller who gives up tells nothing.
func newBreaker(config Config) circuitbreaker.CircuitBreaker[answer] {
	if config.OpenAfter == 0 {
		config.OpenAfter = openAfter
	}
	if config.OpenFor == 0 {
		config.OpenFor = openFor
	}
	return circuitbreaker.NewBuilder[answer]().
		HandleIf(func(a answer, err error) bool {
			return err != nil && !errors.Is(err, context.Canceled) || a.status >= 500
		}).
		WithFailureThreshold(config.OpenAfter).
		WithDelay(config.OpenFor).
		WithSuccessThreshold(1).
		Build()
}

// newRetry repeats a read that failed for a passing reason, at most twice and within the request's time.
func newRetry() retrypolicy.RetryPolicy[answer] {
	return retrypolicy.NewBuilder[answer]().
		HandleIf(func(a answer, err error) bool {
			switch a.status {
			case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
				return true
			}
			return err != nil
		}).
		AbortIf(func(_ answer, err error) bool {
			return errors.Is(err, circuitbreaker.ErrOpen) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		}).
		WithMaxRetries(2).
		WithBackoff(20*time.Millisecond, 200*time.Millisecond).
		WithJitterFactor(0.25).
		ReturnLastFailure().
		Build()
}
