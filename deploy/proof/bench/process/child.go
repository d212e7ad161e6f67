// Package process starts processes, ends them, and says what they use: time of cores, memory, and what their metrics
// tell.
package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	// StartPatience is how long a child may take to print its address, and stopPatience how long it may take to end.
	// Both only end a wait that would last forever. How long a start takes is measured.
	StartPatience = 5 * time.Minute
	stopPatience  = 5 * time.Minute
)

// Child is a server in a separate process. It ends with the context with which it was started.
type Child struct {
	// Address is where it listens, host:port.
	Address string
	// Printed is the time from its start until it printed its address.
	Printed time.Duration
	// Began is when it was started.
	Began  time.Time
	pid    int
	cancel context.CancelFunc
	ended  chan struct{}
}

// Of returns a process that was not started here, by its id. It cannot be stopped.
func Of(pid int) *Child { return &Child{pid: pid} }

// listening matches the URL that a process prints.
var listening = regexp.MustCompile(`http://([0-9.]+:[0-9]+)`)

// Start starts a command that prints the URL it listens on.
func Start(ctx context.Context, stdin []byte, name string, args ...string) (*Child, error) {
	var address string
	c, err := Launch(ctx, func(command *exec.Cmd, lines io.Writer) {
		command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), lines, os.Stderr
	}, func(line string) bool {
		if found := listening.FindStringSubmatch(line); found != nil && address == "" {
			address = found[1]
		}
		return address != ""
	}, name, args...)
	if err != nil {
		return nil, err
	}
	c.Address = address
	return c, nil
}

// Launch starts a command whose streams one function connects, and gives the lines that come from it to another. It
// returns once that one has returned true for a line. The lines that follow are given to it as well.
func Launch(ctx context.Context, connect func(*exec.Cmd, io.Writer), said func(line string) bool, name string, args ...string) (*Child, error) {
	ctx, cancel := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, name, args...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopPatience
	command.Env = withoutSettings(os.Environ())
	out, in := io.Pipe()
	connect(command, in)
	c := &Child{cancel: cancel, ended: make(chan struct{}), Began: time.Now()}
	if err := command.Start(); err != nil {
		cancel()
		return nil, err
	}
	c.pid = command.Process.Pid
	go func() {
		_ = in.CloseWithError(errors.Join(command.Wait(), io.EOF))
		close(c.ended)
	}()
	late := time.AfterFunc(StartPatience, cancel)
	defer late.Stop()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			c.Stop()
			return nil, fmt.Errorf("%s ended before it listened: %w", name, err)
		}
		if said(line) {
			c.Printed = time.Since(c.Began)
			go tell(lines, said)
			return c, nil
		}
	}
}

// tell gives lines to a function until there are no more.
func tell(lines *bufio.Reader, said func(line string) bool) {
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		said(line)
	}
}

// Stop ends the process and waits for its end.
func (c *Child) Stop() {
	c.cancel()
	<-c.ended
}

// withoutSettings removes the variables of the exchange from an environment, so that they do not affect the measured
// one.
func withoutSettings(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		if !strings.HasPrefix(entry, "EXCHANGE_") {
			kept = append(kept, entry)
		}
	}
	return kept
}
