package containers_test

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"

	"insurance.example/exchange/pkg/wait"
)

// engine is a Docker engine with a network of the test's own.
type engine struct {
	*docker.Client
	network string
	made    []*container
}

// container is one of the exchange's, and how it is asked whether it is ready.
type container struct {
	engine    *engine
	id, name  string
	ready     []string
	aliases   []string
	startTime time.Duration
}

// openEngine connects to the engine and makes the network. An engine that does not answer fails the test.
func openEngine(t *testing.T) *engine {
	t.Helper()
	pool, err := dockertest.NewPool("")
	if err == nil {
		err = pool.Client.Ping()
	}
	if err != nil {
		t.Fatalf("no Docker engine responds: %v; start one", err)
	}
	e := &engine{Client: pool.Client}
	network, err := e.CreateNetwork(docker.CreateNetworkOptions{
		Name: fmt.Sprintf("exchange-crosstest-%d", time.Now().UnixNano()),
	})
	if err != nil {
		t.Fatal(err)
	}
	e.network = network.ID
	t.Cleanup(func() {
		for _, c := range e.made {
			if t.Failed() {
				t.Logf("--- %s\n%s", c.name, c.logs())
			}
			if err := e.RemoveContainer(docker.RemoveContainerOptions{ID: c.id, Force: true,
				RemoveVolumes: true}); err != nil {
				t.Error(err)
			}
		}
		if err := e.RemoveNetwork(e.network); err != nil {
			t.Error(err)
		}
	})
	return e
}

// image describes a container before it is made.
type image struct {
	name, image string
	// alias is its name in the network, which replicas share.
	alias   string
	user    string
	command []string
	environ []string
	mounts  []string
	// port is published at the address of this machine that published names.
	port, published string
	// ready is the command that succeeds in the container once it is ready.
	ready []string
}

// create makes a container. It is removed at the end of the test.
func (e *engine) create(t *testing.T, i image) *container {
	t.Helper()
	config := &docker.Config{Image: i.image, Env: i.environ, Cmd: i.command, User: i.user}
	host := &docker.HostConfig{Binds: i.mounts}
	if i.published != "" {
		address, port, _ := strings.Cut(i.published, ":")
		config.ExposedPorts = map[docker.Port]struct{}{docker.Port(i.port): {}}
		host.PortBindings = map[docker.Port][]docker.PortBinding{
			docker.Port(i.port): {{HostIP: address, HostPort: port}},
		}
	}
	made, err := e.CreateContainer(docker.CreateContainerOptions{
		Name: fmt.Sprintf("%s-%.12s", i.name, e.network), Config: config, HostConfig: host,
		NetworkingConfig: &docker.NetworkingConfig{
			EndpointsConfig: map[string]*docker.EndpointConfig{e.network: {Aliases: []string{i.alias}}},
		},
	})
	if err != nil {
		t.Fatalf("container %s of the image %s: %v; `make images` builds the exchange's own", i.name, i.image, err)
	}
	c := &container{engine: e, id: made.ID, name: i.name, ready: i.ready, aliases: []string{i.alias}}
	e.made = append(e.made, c)
	return c
}

// start starts containers and waits until all are ready.
func (e *engine) start(t *testing.T, all ...*container) {
	t.Helper()
	began := time.Now()
	for _, c := range all {
		if err := e.StartContainer(c.id, nil); err != nil {
			t.Fatalf("starting %s: %v", c.name, err)
		}
	}
	for _, c := range all {
		wait.Until(t, c.isReady)
		c.startTime = time.Since(began)
	}
}

// isReady returns an error unless the container says that it is ready.
func (c *container) isReady() error {
	_, err := c.run(c.ready...)
	return err
}

// run runs a command in the container and returns what it said. An exit status other than 0 is an error.
func (c *container) run(command ...string) (string, error) {
	run, err := c.engine.CreateExec(docker.CreateExecOptions{Container: c.id, Cmd: command, AttachStdout: true,
		AttachStderr: true})
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", c.name, err, c.logs())
	}
	var said bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), wait.Longest)
	defer cancel()
	if err := c.engine.StartExec(run.ID,
		docker.StartExecOptions{OutputStream: &said, ErrorStream: &said, Context: ctx}); err != nil {
		return "", fmt.Errorf("%s: %w", c.name, err)
	}
	result, err := c.engine.InspectExec(run.ID)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.name, err)
	}
	if result.Running || result.ExitCode != 0 {
		return "", fmt.Errorf("%s: %q failed: %s", c.name, command, said.String())
	}
	return said.String(), nil
}

// file returns the content of a file of the container.
func (c *container) file(t *testing.T, path string) []byte {
	t.Helper()
	var archive bytes.Buffer
	if err := c.engine.DownloadFromContainer(c.id,
		docker.DownloadFromContainerOptions{Path: path, OutputStream: &archive}); err != nil {
		t.Fatalf("%s of %s: %v", path, c.name, err)
	}
	files := tar.NewReader(&archive)
	if _, err := files.Next(); err != nil {
		t.Fatalf("%s of %s: %v", path, c.name, err)
	}
	content, err := io.ReadAll(files)
	if err != nil {
		t.Fatalf("%s of %s: %v", path, c.name, err)
	}
	return content
}

// signal sends a signal to the process of the container.
func (c *container) signal(t *testing.T, signal docker.Signal) {
	t.Helper()
	if err := c.engine.KillContainer(docker.KillContainerOptions{ID: c.id, Signal: signal}); err != nil {
		t.Fatalf("signal to %s: %v", c.name, err)
	}
}

// awaitEnd waits until the process of the container has ended.
func (c *container) awaitEnd(t *testing.T) {
	t.Helper()
	if _, err := c.engine.WaitContainer(c.id); err != nil {
		t.Fatalf("end of %s: %v", c.name, err)
	}
}

// stop ends the container in good order, as a roll does. The stand-in of MongoDB may panic over a command that it is at
// then (FerretDB 2.7.0, dispatcher.go:92), so that its status does not count; it keeps what it has acknowledged.
func (c *container) stop(t *testing.T) {
	t.Helper()
	const grace = 60 // seconds
	if err := c.engine.StopContainer(c.id, grace); err != nil {
		t.Fatalf("stopping %s: %v", c.name, err)
	}
	state, err := c.engine.InspectContainer(c.id)
	if err != nil || state.State.ExitCode != 0 && state.Config.Image != own("documentdb") {
		t.Errorf("%s ended with exit status %d, %v\n%s", c.name, state.State.ExitCode, err, c.logs())
	}
}

// cut takes the container off the network, and join puts it back.
func (c *container) cut(t *testing.T) {
	t.Helper()
	if err := c.engine.DisconnectNetwork(c.engine.network,
		docker.NetworkConnectionOptions{Container: c.id, Force: true}); err != nil {
		t.Fatalf("cutting off %s: %v", c.name, err)
	}
}

func (c *container) join(t *testing.T) {
	t.Helper()
	if err := c.engine.ConnectNetwork(c.engine.network, docker.NetworkConnectionOptions{
		Container: c.id, EndpointConfig: &docker.EndpointConfig{Aliases: c.aliases},
	}); err != nil {
		t.Fatalf("connecting %s: %v", c.name, err)
	}
}

// logs returns the end of what the container wrote.
func (c *container) logs() string {
	var said bytes.Buffer
	if err := c.engine.Logs(docker.LogsOptions{
		Container: c.id, Stdout: true, Stderr: true, Tail: "25", OutputStream: &said, ErrorStream: &said,
	}); err != nil {
		return err.Error()
	}
	return said.String()
}
