package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"insurance.example/exchange/pkg/wait"
)

// Patience is how long a test waits for something that must happen. It only ends a test that would never end: no test
// depends on being quick.
const Patience = wait.Longest

// Process is a command that was started.
type Process struct {
	Stdout, Stderr *Output

	name   string
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // of the exit; read it after exited is closed
}

// Start starts a command with arguments. Its environment has only PATH, HOME and environ.
func Start(path string, environ []string, args ...string) (*Process, error) {
	p := &Process{
		Stdout: newOutput(), Stderr: newOutput(), name: path, cmd: exec.Command(path, args...),
		exited: make(chan struct{}),
	}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), NoPause}, environ...)
	p.cmd.Stdout, p.cmd.Stderr = p.Stdout, p.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Find waits until an output of the process has a match and returns its first group.
func (p *Process) Find(in *Output, pattern *regexp.Regexp) (string, error) {
	deadline := time.After(Patience)
	for {
		text, changed := in.read()
		if match := pattern.FindStringSubmatch(text); match != nil {
			return match[1], nil
		}
		select {
		case <-changed:
		case <-p.exited:
			return "", fmt.Errorf("%s ended (%w) before it wrote %s\n%s", p.name, p.err, pattern, p.Stderr)
		case <-deadline:
			return "", fmt.Errorf("%s did not write %s within %s\n%s", p.name, pattern, Patience, p.Stderr)
		}
	}
}

// Exit waits for the process to end by itself and returns its exit status.
func (p *Process) Exit() (int, error) {
	select {
	case <-p.exited:
	case <-time.After(Patience):
		return 0, errors.Join(fmt.Errorf("%s did not end within %s\n%s", p.name, Patience, p.Stderr), p.Kill())
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		return 0, p.err
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// Stop asks the process to end with SIGINT. Any exit status but 0 is an error, and so is a data race that the process
// has reported.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return fmt.Errorf("stopping %s: %w", p.name, err)
	}
	status, err := p.Exit()
	if err == nil && status != 0 {
		err = fmt.Errorf("%s ended with exit status %d after SIGINT\n%s", p.name, status, p.Stderr)
	}
	return errors.Join(err, p.raced())
}

// Kill ends the process at once, as a crash would, and waits until it has ended. It does nothing if the process has
// ended already. A data race that the process has reported is an error.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	select {
	case <-p.exited:
		return p.raced()
	case <-ctx.Done():
		return fmt.Errorf("killed %s does not end", p.name)
	}
}

// ofKafka is in the reports about the reader of kafka-go 0.4.51: a generation of a group that ends before its first
// function runs, as where a broker is lost, ends the reading of the next one without its lock. What is not read then is
// found by the sweep.
const ofKafka = "kafka-go.(*Reader).run.func"

// raced returns the reports of the race detector, if the process has written any, without those of kafka-go alone.
func (p *Process) raced() error {
	text, _ := p.Stderr.read()
	for report := range strings.SplitSeq(text, "==================") {
		if strings.Contains(report, "WARNING: DATA RACE") && !strings.Contains(report, ofKafka) {
			return fmt.Errorf("%s has a data race\n%s", p.name, report)
		}
	}
	return nil
}

// NoPause is a variable for the environment of a command. Without it, a command that is built with the race detector
// waits for a second before it exits.
const NoPause = "GORACE=atexit_sleep_ms=0"
