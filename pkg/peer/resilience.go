package peer

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go"
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
			return errors.Is(err, circuitbreaker.ErrOpen) || errors.Is(err, context.Canceled) ||
				errors.Is(err, context.DeadlineExceeded)
		}).
		WithMaxRetries(2).
		WithDelayFunc(func(failed failsafe.ExecutionAttempt[response]) time.Duration {
			wait := firstPause << (failed.Attempts() - 1)
			return wait - wait/4 + chance(wait/2)
		}).
		ReturnLastFailure().
		Build()
}
