package bus

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
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
	return retrypolicy.NewBuilder[any]().WithMaxRetries(-1).WithDelayFunc(func(failed failsafe.ExecutionAttempt[any]) time.Duration {
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

// retry runs op until it succeeds or ctx ends between two attempts. It returns what the last attempt returned, so an
// attempt that succeeds while ctx ends has succeeded.
func retry(ctx context.Context, op func() error) error { return retryBy(ctx, again, op) }

// retrySoon is retry with shorter waits, of up to 1 s.
func retrySoon(ctx context.Context, op func() error) error { return retryBy(ctx, soon, op) }

func retryBy(ctx context.Context, policy retrypolicy.RetryPolicy[any], op func() error) error {
	var last error
	// The executor returns either last or the error of ctx, which the caller knows.
	_ = failsafe.With(policy).WithContext(ctx).Run(func() error {
		last = op()
		return last
	})
	return last
}

// condition logs when something begins to fail and when it works again, and not every failure in between.
type condition struct {
	log *slog.Logger
	// bad is logged when the failure begins, good when it ends.
	bad, good string

	mu sync.Mutex
	// cause is why it fails; nil while it works.
	cause error
}

// report records the outcome of a step, where nil is success, and logs a change.
func (c *condition) report(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && c.cause == nil:
		c.log.Warn(c.bad, "error", err)
	case err == nil && c.cause != nil:
		c.log.Info(c.good)
	}
	c.cause = err
}

// check returns an error that says what fails and why, or nil.
func (c *condition) check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", c.bad, c.cause)
}
