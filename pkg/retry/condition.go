package retry

import (
	"fmt"
	"log/slog"
	"sync"
)

// Condition logs when something begins to fail and when it works again, and not every failure in between.
type Condition struct {
	Log *slog.Logger
	// Bad is logged when the failure begins, Good when it ends.
	Bad, Good string

	mu sync.Mutex
	// cause is why it fails; nil while it works.
	cause error
}

// Report records the outcome of a step, where nil is success, and logs a change.
func (c *Condition) Report(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && c.cause == nil:
		c.Log.Warn(c.Bad, "error", err)
	case err == nil && c.cause != nil:
		c.Log.Info(c.Good)
	}
	c.cause = err
}

// Check returns an error that says what fails and why, or nil.
func (c *Condition) Check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", c.Bad, c.cause)
}
