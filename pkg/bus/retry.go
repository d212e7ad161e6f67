package bus

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// again waits 0.1 s after the first failure and twice as long after each further one, up to 5 s, a fifth more or less
// so that those who failed together do not come back together.
var again = retrypolicy.NewBuilder[any]().
	WithBackoff(100*time.Millisecond, 5*time.Second).
	WithJitterFactor(0.2).
	WithMaxRetries(-1).
	Build()

// retry runs op until it succeeds or ctx ends between two attempts. It returns what the last attempt returned, so an
// attempt that succeeds while ctx ends has succeeded.
func retry(ctx context.Context, op func() error) error {
	var last error
	// What the executor itself returns is either last or that ctx has ended, which the caller knows.
	_ = failsafe.With(again).WithContext(ctx).Run(func() error {
		last = op()
		return last
	})
	return last
}

// condition logs how something stands when that changes, and not each time it is found so.
type condition struct {
	log *slog.Logger
	// bad and good are the log messages for the two changes.
	bad, good string

	mu      sync.Mutex
	failing bool
}

// report takes note of the outcome of a step; nil is success.
func (c *condition) report(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && !c.failing:
		c.log.Warn(c.bad, "error", err)
	case err == nil && c.failing:
		c.log.Info(c.good)
	}
	c.failing = err != nil
}
