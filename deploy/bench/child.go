package main

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
	// startPatience is how long a child may take to print its address, and stopPatience how long it may take to end. Both
	// only end a wait that would last forever. How long a start takes is measured.
	startPatience = 5 * time.Minute
	stopPatience  = 5 * time.Minute
)

// child is a server in a separate process. It ends with the context with which it was started.
type child struct {
	// address is where it listens, host:port.
	address string
	// printed is the time from its start until it printed its address.
	printed time.Duration
	began   time.Time
	pid     int
	cancel  context.CancelFunc
	ended   chan struct{}
}

var listening = regexp.MustCompile(`http://([0-9.]+:[0-9]+)`)

// start starts a command that prints the URL it listens on.
func start(ctx context.Context, stdin []byte, name string, args ...string) (*child, error) {
	ctx, cancel := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, name, args...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopPatience
	command.Stdin, command.Stderr = bytes.NewReader(stdin), os.Stderr
	command.Env = withoutSettings(os.Environ())
	out, in := io.Pipe()
	command.Stdout = in
	c := &child{cancel: cancel, ended: make(chan struct{}), began: time.Now()}
	if err := command.Start(); err != nil {
		cancel()
		return nil, err
	}
	c.pid = command.Process.Pid
	go func() {
		_ = in.CloseWithError(errors.Join(command.Wait(), io.EOF))
		close(c.ended)
	}()
	late := time.AfterFunc(startPatience, cancel)
	defer late.Stop()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if found := listening.FindStringSubmatch(line); found != nil {
			c.address, c.printed = found[1], time.Since(c.began)
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return c, nil
		}
		if err != nil {
			c.stop()
			return nil, fmt.Errorf("%s ended before it listened: %w", name, err)
		}
	}
}

// stop ends the process and waits for its end.
func (c *child) stop() {
	c.cancel()
	<-c.ended
}

// withoutSettings removes the variables of the exchange from an environment, so that they do not affect the measured one.
func withoutSettings(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		if !strings.HasPrefix(entry, "EXCHANGE_") {
			kept = append(kept, entry)
		}
	}
	return kept
}
