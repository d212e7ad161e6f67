package chance_test

import (
	"fmt"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/chance"
)

// TestSeed gives the seed that a test has logged, and gets it again.
func TestSeed(t *testing.T) {
	t.Setenv("SEED", "")
	of := &recorder{TB: t}
	first := chance.Seed(of)
	if want := fmt.Sprintf("SEED=%d ", first); !strings.HasPrefix(of.logged, want) {
		t.Errorf("the log says %q, want %q", of.logged, want)
	}
	if chance.Seed(of) == first {
		t.Error("two tests have the same seed")
	}
	t.Setenv("SEED", fmt.Sprint(first))
	if got := chance.Seed(of); got != first {
		t.Errorf("%d is given, and the seed is %d", first, got)
	}
}

// TestAWrongSeed gives what is no number.
func TestAWrongSeed(t *testing.T) {
	t.Setenv("SEED", "seven")
	of := &recorder{TB: t}
	func() {
		defer func() { _ = recover() }()
		chance.Seed(of)
	}()
	if !strings.Contains(of.failure, "SEED") || !strings.Contains(of.failure, "seven") {
		t.Errorf("the test ends with %q", of.failure)
	}
}

// recorder keeps what a test logs, and how it was ended.
type recorder struct {
	testing.TB
	logged, failure string
}

func (r *recorder) Logf(format string, values ...any) { r.logged = fmt.Sprintf(format, values...) }

func (r *recorder) Fatalf(format string, values ...any) {
	r.failure = fmt.Sprintf(format, values...)
	panic(r.failure)
}
