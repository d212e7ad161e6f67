// Package retry tries again what has failed, and says so once. The pauses between the attempts come from failsafe-go.
//
// A library leaves the rest: numbers for the pauses that a simulation can give, a log of changes instead of each
// failure, and a context that lasts a while longer than the one that it comes from.
package retry

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// firstPause is the wait after the first failure.
const firstPause = 100 * time.Millisecond

// soon waits 0.1 s after the first failure and twice as long after each further one, up to 1 s. Each wait is up to a
// fifth longer or shorter, so that clients that failed at the same time do not all retry at the same time.
var soon = retrypolicy.NewBuilder[any]().WithMaxRetries(-1).WithDelayFunc(
	func(failed failsafe.ExecutionAttempt[any]) time.Duration {
		const mostDoublings = 16
		wait := min(firstPause<<min(failed.Attempts()-1, mostDoublings), time.Second)
		return wait - wait/5 + chance(2*wait/5)
	}).Build()

// chance returns a random time below a bound. It is drawn where a simulation can give the numbers, which the source
// of the retry policy does not let it.
func chance(bound time.Duration) time.Duration {
	var number [8]byte
	_, _ = rand.Read(number[:]) // never fails
	return time.Duration(binary.LittleEndian.Uint64(number[:]) % uint64(bound))
}

// Soon runs op until it succeeds or ctx ends between two attempts, with waits of up to 1 s. It returns what the last
// attempt returned, so an attempt that succeeds while ctx ends has succeeded.
func Soon(ctx context.Context, op func() error) error {
	var last error
	// The executor returns either last or the error of ctx, which the caller knows.
	_ = failsafe.With(soon).WithContext(ctx).Run(func() error {
		last = op()
		return last
	})
	return last
}

// Pause waits and reports whether ctx lasts.
func Pause(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// WithGrace returns a context that ends the given time after its parent, so that work in progress can be finished.
func WithGrace(parent context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	detach := context.AfterFunc(parent, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	return ctx, func() {
		detach()
		cancel()
	}
}
