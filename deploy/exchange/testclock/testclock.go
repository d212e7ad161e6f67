// Package testclock is a clock that stands still until it is moved forward, for trying what depends on time: expiry,
// extension terms, periods of bordereaux, late notices.
package testclock

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"insurance.example/exchange/pkg/whole"
)

// Clock shows an instant, once Open has set it. It is then safe for concurrent use.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	file string
}

// File returns the file in a data folder that has the instant of its clock. A folder with it holds records of invented
// instants.
func File(data string) string { return filepath.Join(data, "test-clock") }

// Open has the clock show the instant in text, in the form of RFC 3339, or the one that the clock of this data folder
// showed last if that is later: a clock never goes back. Errors: the text is no such instant, or the folder cannot be
// read or written.
func (c *Clock) Open(data, text string) error {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%q is no instant such as 2026-01-15T00:00:00Z", text)
	}
	c.now, c.file = at.UTC(), File(data)
	switch last, err := os.ReadFile(c.file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		clock, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(last)))
		if err != nil {
			return fmt.Errorf("the file %s has no instant", c.file)
		}
		if clock.After(c.now) {
			c.now = clock
		}
	}
	return c.keep(c.now)
}

// keep writes an instant to the file.
func (c *Clock) keep(at time.Time) error { return whole.Write(c.file, []byte(shown(at)+"\n")) }

// shown returns an instant as the header and the file have it.
func shown(at time.Time) string { return at.Format(time.RFC3339Nano) }

// Handler returns a handler that adds Header to every response of another.
func (c *Clock) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(Header, shown(c.Now()))
		next.ServeHTTP(w, r)
	})
}

// Now returns the instant that the clock shows, in UTC.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// ErrBackward is the refusal to move a clock to an instant that is not after the one that it shows.
var ErrBackward = errors.New("a clock only moves forward")

// Advance moves the clock forward to an instant and returns it. Errors: ErrBackward; the instant cannot be kept in the
// data folder, and the clock has not moved.
func (c *Clock) Advance(to time.Time) (time.Time, error) {
	to = to.UTC()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !to.After(c.now) {
		return c.now, fmt.Errorf("%w: it shows %s", ErrBackward, shown(c.now))
	}
	if err := c.keep(to); err != nil {
		return c.now, err
	}
	c.now = to
	return c.now, nil
}
