package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// startContainers starts containerd, and gives it the image that every pod needs.
func (c *Cluster) startContainers(ctx context.Context) error {
	if err := c.launch("containerd", "containerd", "--config", c.path("containerd.toml")); err != nil {
		return err
	}
	if err := c.await(ctx, "containerd", func() error {
		_, err := run(ctx, "ctr", c.containers("version")...)
		return err
	}); err != nil {
		return err
	}
	archive := c.path("pause.tar")
	if err := writeImage(archive, pauseImage, c.program("pause")); err != nil {
		return err
	}
	_, err := run(ctx, "ctr", c.containers("images", "import", archive)...)
	return err
}

// containers returns the arguments of ctr for a command about the containers of this cluster.
func (c *Cluster) containers(args ...string) []string {
	return append([]string{"--address", c.path("containerd.sock"), "--namespace", "k8s.io"}, args...)
}

// LoadImages copies images of the machine's Docker engine to the node, where they have the same names.
func (c *Cluster) LoadImages(ctx context.Context, names ...string) error {
	archive := c.path("images.tar")
	defer os.Remove(archive)
	if _, err := run(ctx, "docker", append([]string{"save", "--output", archive}, names...)...); err != nil {
		return fmt.Errorf("%w; images are taken from a Docker engine, and `make images` builds the exchange's own", err)
	}
	_, err := run(ctx, "ctr", c.containers("images", "import", archive)...)
	return err
}

// endContainers ends all processes that run in pods, and those that look after them.
func (c *Cluster) endContainers() error {
	var failures []error
	all, err := processes()
	if err != nil {
		return err
	}
	socket := c.path("containerd.sock")
	for _, p := range all {
		if !strings.Contains(p.command, "containerd-shim") || !strings.Contains(p.command, socket) {
			continue
		}
		for _, child := range all {
			if child.parent == p.id {
				failures = append(failures, child.kill()) // the first process of a container; the others end with it
			}
		}
		failures = append(failures, p.kill())
	}
	return errors.Join(failures...)
}
