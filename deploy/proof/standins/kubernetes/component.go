package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"insurance.example/exchange/deploy/proof/standins/process"
)

// component is a part of the cluster that runs as a process.
type component struct {
	name, log string
	process   *os.Process
	stopping  atomic.Bool
	ended     chan struct{}
}

// launch starts a component. Its output goes to a file. If it ends by itself, the cluster is broken.
func (c *Cluster) launch(name, program string, args ...string) error {
	p := &component{name: name, log: c.path("logs", name+".log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(program, args...)
	command.Dir, command.Stdout, command.Stderr = c.path("keys"), log, log
	command.SysProcAttr = bound()
	if p.process, err = process.StartBound(command, p.ended); err != nil {
		return err
	}
	c.components = append(c.components, p)
	go func() {
		<-p.ended
		if !p.stopping.Load() {
			select {
			case c.broken <- p.failure():
			default: // the first one to end is the cause
			}
		}
	}()
	return nil
}

// failure is the error of a component that has ended by itself.
func (p *component) failure() error {
	text, _ := os.ReadFile(p.log) // without a log there is less to tell
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return fmt.Errorf("%s has ended; the end of its log:\n%s", p.name, strings.Join(lines[max(0, len(lines)-5):], "\n"))
}

// stop asks a component to end, and kills it if it does not within a while.
func (p *component) stop() {
	p.stopping.Store(true)
	_ = p.process.Signal(syscall.SIGTERM) // it fails only if the process has ended
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		_ = p.process.Kill()
		<-p.ended
	}
}

// await asks until done returns nil, as long as all components run and ctx is not done.
func (c *Cluster) await(ctx context.Context, what string, done func() error) error {
	for {
		err := done()
		if err == nil {
			return nil
		}
		select {
		case broken := <-c.broken:
			return broken
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w: %w; the logs are in %s", what, ctx.Err(), err, c.path("logs"))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// run runs a command and returns what it wrote, which is part of the error if it fails.
func run(ctx context.Context, name string, args ...string) (string, error) {
	var output bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err,
			strings.TrimSpace(output.String()))
	}
	return output.String(), nil
}

// kubectl runs kubectl as administrator.
func (c *Cluster) kubectl(ctx context.Context, args ...string) (string, error) {
	return run(ctx, c.program("kubectl"), append([]string{"--kubeconfig", c.Kubeconfig()}, args...)...)
}

// end ends the components, the last one started first, then what has run in the pods, and removes what is left.
func (c *Cluster) end() error {
	var failures []error
	for i := len(c.components) - 1; i >= 0; i-- {
		p := c.components[i]
		if p.name == "containerd" {
			// Nothing starts containers any more.
			failures = append(failures, c.endContainers())
		}
		p.stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	failures = append(failures, c.endContainers(), c.removeNetwork(ctx), c.removeRemains())
	if err := errors.Join(failures...); err != nil {
		return err
	}
	return os.RemoveAll(c.state)
}
