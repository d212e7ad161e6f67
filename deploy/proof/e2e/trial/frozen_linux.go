package trial

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Freeze stops the process with SIGSTOP, and returns once every thread of it has stopped: the signal is only pending
// when it was sent, and a busy process may respond for a while.
func (p *Process) Freeze() error {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("freezing %s: %w", p.name, err)
	}
	deadline := time.Now().Add(Patience)
	for {
		stopped, err := p.stopped()
		if err != nil || stopped {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s is not frozen within %s", p.name, Patience)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// stopped reports whether all threads of the process are in the state T (proc(5)).
func (p *Process) stopped() (bool, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.PID()))
	if err != nil || len(threads) == 0 {
		return false, fmt.Errorf("%s has no threads in /proc: %w", p.name, err)
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

// Thaw has the process go on.
func (p *Process) Thaw() error {
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("thawing %s: %w", p.name, err)
	}
	return nil
}

// Freeze has a part do nothing until Thaw: it keeps its connections, and responds to nothing.
func (e *Exchange) Freeze(name string) error { return e.parts[name].Freeze() }

// Thaw has a frozen part go on.
func (e *Exchange) Thaw(name string) error { return e.parts[name].Thaw() }
