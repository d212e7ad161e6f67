package organisations

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// sight is what an organisation may see of the policy.
type sight struct {
	name string
	by   *trial.Client
	book *book

	mu sync.Mutex
	// opened says that a list names the organisation, or may, and times counts how often that began.
	opened bool
	times  int
}

// open says that a change begins that gives the organisation something.
func (s *sight) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = true
	s.times++
}

// shut says that a change was made that takes everything from the organisation.
func (s *sight) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = false
}

func (s *sight) state() (opened bool, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened, s.times
}

// shows reports whether a response shows a text.
func shows(response trial.Response, err error, text string) bool {
	return err == nil && response.Status == http.StatusOK && strings.Contains(string(response.Body), text)
}

// watch reads place after place until the end, and fails the test if something is seen while nothing may be.
func (s *sight) watch(t *testing.T, end <-chan struct{}) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, p := range s.book.places() {
			select {
			case <-end:
				return
			case <-tick.C:
			}
			before, begun := s.state()
			response, err := s.by.At(s.book.door()).Send(t.Context(), http.MethodGet, p.path, nil)
			if after, times := s.state(); before || after || begun != times || !shows(response, err, p.shows) {
				continue
			}
			t.Errorf("%s sees %s, which is not shared with it: %s", s.name, p.path, response.Body)
			return
		}
	}
}

// some returns a place where the organisation sees something; empty if it sees nothing.
func (s *sight) some(t *testing.T) string {
	t.Helper()
	for _, p := range s.book.places() {
		response, err := s.by.At(s.book.door()).Send(t.Context(), http.MethodGet, p.path, nil)
		if shows(response, err, p.shows) {
			return p.path
		}
	}
	return ""
}

// none fails the test if the organisation sees something.
func (s *sight) none(t *testing.T) {
	t.Helper()
	if seen := s.some(t); seen != "" {
		t.Errorf("%s sees %s, which is not shared with it", s.name, seen)
	}
}

// all fails the test unless the organisation sees everything, once all processes respond. The feed may follow.
func (s *sight) all(t *testing.T) {
	t.Helper()
	for _, p := range s.book.places() {
		for _, door := range s.book.doors {
			wait.Until(t, func() error {
				response, err := s.by.At(door).Send(t.Context(), http.MethodGet, p.path, nil)
				if shows(response, err, p.shows) {
					return nil
				}
				err = settled(t, response, err, http.StatusOK)
				if err == nil && !p.follows {
					t.Fatalf("%s does not see %s in %s: %s", s.name, p.shows, p.path, response.Body)
				}
				return errors.Join(err, fmt.Errorf("%s is not seen in %s", p.shows, p.path))
			})
		}
	}
}

// settled returns an error if there is no response, or the exchange lacks a process that does not respond yet. It fails
// the test if the response is another one than was wanted.
func settled(t *testing.T, response trial.Response, err error, want ...int) error {
	t.Helper()
	switch {
	case err != nil:
		return err
	case response.Status == http.StatusServiceUnavailable:
		return fmt.Errorf("status %d: %s", response.Status, response.Body)
	case !slices.Contains(want, response.Status):
		t.Errorf("the status is %d, want %v: %s", response.Status, want, response.Body)
	}
	return nil
}
