package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestAFrozenServiceIsGivenUp stops the process of coverage with SIGSTOP: connections to it are made, and nothing
// responds. Callers wait as long as a request may take, and no longer, until the circuit breaker of claims opens. Once
// the process goes on, all is as before, and nothing acknowledged is lost.
func TestAFrozenServiceIsGivenUp(t *testing.T) {
	t.Parallel()
	// The limit of a request is long, so that a busy machine does not look like a frozen service.
	const limit = 30 * time.Second
	settings := map[string][]string{}
	for _, name := range []string{"gateway", "coverage", "claims"} {
		settings[name] = []string{"--request-timeout", limit.String()}
	}
	e, err := commands.RunApart(t.TempDir(), settings)
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	p := policy(t, c)
	path, number := "/motorCoverage/"+p.Text("id"), p.Text("policyNumber")
	filed := c.Create(t, "claim", loss(number, -1))
	if err := freeze(e.PID("coverage")); err != nil {
		t.Fatal(err)
	}
	thaw := sync.OnceValue(func() error { return syscall.Kill(e.PID("coverage"), syscall.SIGCONT) })
	defer func() {
		if err := thaw(); err != nil {
			t.Error(err)
		}
	}()

	const callers = 10 // half of them have claims call coverage, often enough for its breaker
	get := func() (trial.Response, error) { return c.Send(t.Context(), http.MethodGet, path, nil) }
	file := func() (trial.Response, error) {
		return c.Send(t.Context(), http.MethodPost, "/claim", loss(number, -1))
	}
	first := trial.AtOnce(t, callers, func(n int) (trial.Response, error) {
		return []func() (trial.Response, error){get, file}[n%2]()
	})
	if got := trial.Count(first)[http.StatusServiceUnavailable]; got != callers {
		t.Errorf("without coverage: %v, want 503 for each of %d", trial.Count(first), callers)
	}
	for _, got := range first {
		if got.Header.Get("Retry-After") == "" {
			t.Errorf("without coverage: %d %s without Retry-After", got.Status, got.Body)
		}
	}
	// Calls that nobody responds to open the breaker, one of which is tried each second.
	wait.Until(t, func() error {
		_, err := file()
		metrics := e.Metrics(t, "claims", "text/plain")
		if strings.Contains(metrics, `peer_breaker_state{peer="coverage",service="claims"} 0`) {
			return errors.Join(err, errors.New("the breaker of claims is closed"))
		}
		return err
	})
	c.Create(t, "policyWording", wording()) // needs no coverage
	if err := thaw(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, func() error {
		if a := c.Get(t, path); a.Status != http.StatusOK {
			return fmt.Errorf("coverage goes on: %d %s", a.Status, a.Body)
		}
		if a := c.Post(t, "/claim", loss(number, -1)); a.Status != http.StatusCreated {
			return fmt.Errorf("coverage goes on: %d %s", a.Status, a.Body)
		}
		return nil
	})
	c.Read(t, "/claim/"+filed.Text("id"))
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// freeze stops a process with SIGSTOP, and returns once every thread of it has stopped: the signal is only pending
// when it was sent, and a busy process may respond for a while.
func freeze(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	deadline := time.Now().Add(trial.Patience)
	for {
		all, err := stopped(pid)
		if err != nil || all {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d is not frozen within %s", pid, trial.Patience)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// stopped reports whether all threads of a process are in the state T (proc(5)).
func stopped(pid int) (bool, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(threads) == 0 {
		return false, fmt.Errorf("process %d has no threads in /proc: %w", pid, err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if os.IsNotExist(err) {
			return false, nil // it has just ended
		}
		if err != nil {
			return false, err
		}
		// The state follows the name, which is in parentheses and may hold any character.
		_, after, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')'):], []byte(") "))
		if len(after) == 0 || after[0] != 'T' {
			return false, nil
		}
	}
	return true, nil
}
