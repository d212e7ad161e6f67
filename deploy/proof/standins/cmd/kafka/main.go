// Command kafka serves Kafka's protocol in the place of a Kafka cluster, to try the exchange out as separate processes
// and for tests. It keeps its log in a folder, and what it has acknowledged is on the disk.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:9092", "`address` to serve at, which clients are told as well")
	data := flag.String("data", "kafka", "`folder` of the log")
	check := flag.String("check", "", "ask whether something serves at this `address`, in place of serving")
	flag.Parse()
	act := func() error { return serve(*addr, *data) }
	if *check != "" {
		act = func() error { return dial(*check) }
	}
	if err := act(); err != nil {
		fmt.Fprintln(os.Stderr, "kafka:", err)
		os.Exit(1)
	}
}

// serve serves until the process is interrupted or terminated.
func serve(addr, data string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ClusterID("local"), kfake.DataDir(data),
		kfake.SyncWrites(), kfake.GroupMinSessionTimeout(time.Second),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) { return net.Listen(network, addr) }))
	if err != nil {
		return err
	}
	defer cluster.Close()
	fmt.Printf("The broker listens on %s; Ctrl-C stops it.\n", cluster.ListenAddrs()[0])
	<-ctx.Done()
	return nil
}

// dial fails if nothing listens at an address.
func dial(address string) error {
	connection, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return err
	}
	return connection.Close()
}
