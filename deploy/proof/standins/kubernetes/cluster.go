package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"insurance.example/exchange/deploy/proof/standins/process"
)

// patience bounds each step of a start, but for the building of programs.
const patience = 2 * time.Minute

// Config says how a cluster is started. The zero value is a new, empty cluster.
type Config struct {
	// Dir is the folder of the programs, which are built at the first start and kept (500 MB), and of the cluster's
	// state, which is removed at the end. If it is empty, it is a folder of the user's cache.
	Dir string
	// Progress receives a line for each step of a start. If it is nil, it is os.Stderr.
	Progress io.Writer
}

// Cluster is a running cluster. It ends with the process that started it, however that ends; what is left of its pods
// then is removed by the next start.
type Cluster struct {
	programs, state string
	lock            *os.File
	components      []*component
	broken          chan error
	once            sync.Once
	closed          error
}

// Start starts a cluster and returns once its node takes pods. ctx bounds the start only.
func (c Config) Start(ctx context.Context) (*Cluster, error) {
	cluster, err := c.start(ctx, c.say(time.Now()))
	if err != nil {
		return nil, fmt.Errorf("kubernetes: %w", err)
	}
	return cluster, nil
}

// Prepare installs and builds what a start needs, unless that was done before. A test that starts a cluster after it
// does not spend its time on that.
func (c Config) Prepare(ctx context.Context) error {
	began := time.Now()
	if err := install(ctx, c.say(began)); err != nil {
		return fmt.Errorf("kubernetes: %w", err)
	}
	dir, err := c.folder()
	if err == nil {
		_, err = build(ctx, dir, c.say(began))
	}
	if err != nil {
		return fmt.Errorf("kubernetes: %w", err)
	}
	return nil
}

// say returns a function that writes the lines of progress.
func (c Config) say(began time.Time) func(string, ...any) {
	var to io.Writer = os.Stderr
	if c.Progress != nil {
		to = c.Progress
	}
	return func(format string, args ...any) {
		fmt.Fprintf(to, "kubernetes: [%3.0f s] "+format+"\n",
			append([]any{time.Since(began).Seconds()}, args...)...)
	}
}

func (c Config) start(ctx context.Context, say func(string, ...any)) (*Cluster, error) {
	if err := install(ctx, say); err != nil {
		return nil, err
	}
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	programs, err := build(ctx, dir, say)
	if err != nil {
		return nil, err
	}
	cluster, err := claim(dir)
	if err != nil {
		return nil, err
	}
	cluster.programs = programs
	say("starting the cluster")
	if err := cluster.run(ctx); err != nil {
		return nil, errors.Join(err, cluster.Close())
	}
	say("the node is ready")
	return cluster, nil
}

// Sweep removes what a killed process has left of its cluster: what runs in its pods, their networks and their mounts.
// Start does so as well.
func (c Config) Sweep() error {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	cluster, err := claim(dir)
	if err != nil {
		return err
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "v*", "kube-proxy")); len(made) > 0 {
		cluster.programs = filepath.Dir(made[len(made)-1]) // it knows its own rules, whatever its version
	}
	return cluster.Close()
}

// folder returns the folder of the programs and the state, and makes it.
func (c Config) folder() (string, error) {
	if c.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf(
				"no folder is given, and the user has no cache folder: %w; give a folder, or set HOME", err)
		}
		c.Dir = filepath.Join(cache, "insurance-exchange", "kubernetes")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// claim locks a folder and returns its cluster, which does not run yet. It fails if another process has the folder.
func claim(dir string) (*Cluster, error) {
	lock, err := process.TryLock(filepath.Join(dir, "cluster.lock"))
	if err != nil {
		return nil, err
	}
	if lock == nil {
		return nil, fmt.Errorf("another process runs a cluster in %s; end it first", dir)
	}
	return &Cluster{state: filepath.Join(dir, "cluster"), lock: lock, broken: make(chan error, 1)}, nil
}

// run starts the parts of the cluster, each after those that it needs.
func (c *Cluster) run(ctx context.Context) error {
	// What a killed process has left of its cluster.
	if err := c.end(); err != nil {
		return err
	}
	for _, folder := range []string{"keys", "logs", "pods", "networks"} {
		if err := os.MkdirAll(c.path(folder), 0o700); err != nil {
			return err
		}
	}
	if err := c.issueCertificates(); err != nil {
		return err
	}
	if err := c.writeSettings(); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{c.startNetwork, c.startControl, c.startContainers, c.startNode} {
		ctx, cancel := context.WithTimeout(ctx, patience)
		err := step(ctx)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// Kubeconfig returns the file by which clients reach the cluster, with all rights.
func (c *Cluster) Kubeconfig() string { return c.path("admin.conf") }

// Programs returns the folder of the programs, kubectl among them.
func (c *Cluster) Programs() string { return c.programs }

// Broken receives an error if a part of the cluster ends by itself.
func (c *Cluster) Broken() <-chan error { return c.broken }

// Close ends the cluster with all that runs in it, and removes its state.
func (c *Cluster) Close() error {
	c.once.Do(func() { c.closed = errors.Join(c.end(), c.lock.Close()) })
	return c.closed
}

// path returns a path in the state of the cluster.
func (c *Cluster) path(elements ...string) string {
	return filepath.Join(append([]string{c.state}, elements...)...)
}
