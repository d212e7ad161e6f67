package outbox

import (
	"time"

	"insurance.example/exchange/pkg/kafka"
)

const (
	// firstRetry is the pause after the first failure of a message. It doubles with each further one, up to maxRetry,
	// or maxPoisonRetry if the message cannot be handled unless somebody mends what it is about.
	firstRetry     = time.Second
	maxRetry       = 10 * time.Second
	maxPoisonRetry = time.Minute
	// maxFailing bounds how many failures are remembered. Messages beyond are tried again without a pause.
	maxFailing = 10_000
)

// failing remembers the messages that a sweep could not handle, and when each is to be tried again.
type failing struct {
	attempts map[string]attempt
	// current is true for the messages met since the last call of forgetOthers.
	current map[string]bool
}

type attempt struct {
	next time.Time
	wait time.Duration
}

func newFailing() failing {
	return failing{attempts: make(map[string]attempt), current: make(map[string]bool)}
}

func (f *failing) count() int { return len(f.attempts) }

// due reports whether a message may be tried.
func (f *failing) due(name string) bool {
	a, known := f.attempts[name]
	if known {
		f.current[name] = true
	}
	return !known || !time.Now().Before(a.next)
}

// failed notes the failure of a message, and reports whether it is the first.
func (f *failing) failed(name string, cause error) (first bool) {
	a, known := f.attempts[name]
	if !known && len(f.attempts) >= maxFailing {
		return false
	}
	longest := maxRetry
	if kafka.IsPoison(cause) {
		longest = maxPoisonRetry
	}
	a.wait = min(max(2*a.wait, firstRetry), longest)
	a.next = time.Now().Add(a.wait)
	f.attempts[name] = a
	f.current[name] = true
	return !known
}

func (f *failing) succeeded(name string) {
	delete(f.attempts, name)
	delete(f.current, name)
}

// forgetOthers forgets the messages that were not met since it was last called: somebody else has handled them.
func (f *failing) forgetOthers() {
	for name := range f.attempts {
		if !f.current[name] {
			delete(f.attempts, name)
		}
	}
	clear(f.current)
}
