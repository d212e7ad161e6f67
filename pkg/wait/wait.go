// Package wait has tests wait for what comes by itself.
package wait

import (
	"errors"
	"testing"
	"time"
)

// Longest only ends a test that would never end: no test passes or fails by how quick it is.
const Longest = 10 * time.Minute

// Until calls done until it returns nil. After the Longest time it ends the test with the last error.
func Until(t testing.TB, done func() error) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(Longest); ; <-tick.C {
		err := done()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %v", Longest, err)
		}
	}
}

// For waits until holds returns true. what says what is awaited.
func For(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Until(t, func() error {
		if !holds() {
			return errors.New("still awaited: " + what)
		}
		return nil
	})
}
