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

// of returns a process that was not started here, by its id. It cannot be stopped.
func of(pid int) *child { return &child{pid: pid} }

// listening matches the URL that a process prints.
var listening = regexp.MustCompile(`http://([0-9.]+:[0-9]+)`)

// start starts a command that prints the URL it listens on.
func start(ctx context.Context, stdin []byte, name string, args ...string) (*child, error) {
	var address string
	c, err := launch(ctx, func(command *exec.Cmd, lines io.Writer) {
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
	c.address = address
	return c, nil
}

// launch starts a command whose streams one function connects, and gives the lines that come from it to another. It returns once that one
// has returned true for a line. The lines that follow are given to it as well.
func launch(ctx context.Context, connect func(*exec.Cmd, io.Writer), said func(line string) bool, name string, args ...string) (*child, error) {
	ctx, cancel := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, name, args...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopPatience
	command.Env = withoutSettings(os.Environ())
	out, in := io.Pipe()
	connect(command, in)
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
		if err != nil {
			c.stop()
			return nil, fmt.Errorf("%s ended before it listened: %w", name, err)
		}
		if said(line) {
			c.printed = time.Since(c.began)
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
