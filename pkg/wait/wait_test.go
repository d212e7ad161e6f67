package wait_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/wait"
)

// TestUntil waits for what comes after an hour in vain, and for what comes before the Longest time.
func TestUntil(t *testing.T) {
	for after, want := range map[time.Duration]string{
		0: "", time.Minute: "", wait.Longest - time.Second: "", time.Hour: "not within 10m0s: not yet",
	} {
		synctest.Test(t, func(t *testing.T) {
			begun, of := time.Now(), &recorder{TB: t}
			func() {
				defer func() { _ = recover() }()
				wait.Until(of, func() error {
					if time.Since(begun) < after {
						return errors.New("not yet")
					}
					return nil
				})
			}()
			if of.failure != want {
				t.Errorf("waiting for what comes after %v ends with %q, not %q", after, of.failure, want)
			}
			if took := time.Since(begun); took < min(after, wait.Longest) {
				t.Errorf("waiting for what comes after %v took %v", after, took)
			}
		})
	}
}

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, of := 0, &recorder{TB: t}
		wait.For(of, "three calls", func() bool { calls++; return calls == 3 })
		func() {
			defer func() { _ = recover() }()
			wait.For(of, "the moon", func() bool { return false })
		}()
		if calls != 3 || !strings.HasSuffix(of.failure, "still awaited: the moon") {
			t.Errorf("%d calls, then %q", calls, of.failure)
		}
	})
}

// recorder keeps how a test was ended.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Fatalf(format string, values ...any) {
	r.failure = fmt.Sprintf(format, values...)
	panic(r.failure)
}
