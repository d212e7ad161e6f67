// Command kubernetes runs a Kubernetes cluster of one node until it is interrupted or terminated. See package
// kubernetes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"insurance.example/exchange/deploy/proof/standins/kubernetes"
)

func main() {
	var c kubernetes.Config
	flag.StringVar(&c.Dir, "dir", "",
		"`folder` of the programs, and of the cluster's state; a folder of the user's cache if empty")
	images := flag.String("images", "",
		"`names` of images, separated by commas, that are copied from the Docker engine to the node")
	sweep := flag.Bool("sweep", false, "remove what a killed process has left of its cluster, and end")
	prepare := flag.Bool("prepare", false, "install and build what a start needs, and end")
	flag.Parse()
	act := func() error { return run(c, *images) }
	switch {
	case *sweep:
		act = c.Sweep
	case *prepare:
		act = func() error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return c.Prepare(ctx)
		}
	}
	if err := act(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the cluster until the process is interrupted or terminated.
func run(c kubernetes.Config, images string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cluster, err := c.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	if images != "" {
		if err := cluster.LoadImages(ctx, strings.Split(images, ",")...); err != nil {
			return err
		}
	}
	fmt.Printf("export KUBECONFIG=%s PATH=%s:$PATH\n", cluster.Kubeconfig(), cluster.Programs())
	select {
	case <-ctx.Done():
		return nil
	case err := <-cluster.Broken():
		return fmt.Errorf("kubernetes: %w", err)
	}
}
