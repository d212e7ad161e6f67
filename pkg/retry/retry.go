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

// again waits 0.1 s after the first failure and twice as long after each further one, up to 5 s. Each wait is up to a
// fifth longer or shorter, so that clients that failed at the same time do not all retry at the same time.
var again = growing(5 * time.Second)

// soon is like again for what should go on as soon as a broker is back: its longest wait is 1 s.
var soon = growing(time.Second)

func growing(longest time.Duration) retrypolicy.RetryPolicy[any] {
	return retrypolicy.NewBuilder[any]().WithMaxRetries(-1).WithDelayFunc(
		func(failed failsafe.ExecutionAttempt[any]) time.Duration {
			const mostDoublings = 16
			wait := min(firstPause<<min(failed.Attempts()-1, mostDoublings), longest)
			return wait - wait/5 + chance(2*wait/5)
		}).Build()
}

// chance returns a random time below a bound. It is drawn where a simulation can give the numbers, which the source
// of the retry policy does not let it.
func chance(bound time.Duration) time.Duration {
	var number [8]byte
	_, _ = rand.Read(number[:]) // never fails
	return time.Duration(binary.LittleEndian.Uint64(number[:]) % uint64(bound))
}

// Until runs op until it succeeds or ctx ends between two attempts. It returns what the last attempt returned, so an
// attempt that succeeds while ctx ends has succeeded.
func Until(ctx context.Context, op func() error) error { return by(ctx, again, op) }

// Soon is Until with shorter waits, of up to 1 s.
func Soon(ctx context.Context, op func() error) error { return by(ctx, soon, op) }

func by(ctx context.Context, policy retrypolicy.RetryPolicy[any], op func() error) error {
	var last error
	// The executor returns either last or the error of ctx, which the caller knows.
	_ = failsafe.With(policy).WithContext(ctx).Run(func() error {
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
