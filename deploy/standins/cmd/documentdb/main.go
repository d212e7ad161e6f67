// Command documentdb serves MongoDB's protocol in the place of a MongoDB container. See package documentdb.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"insurance.example/exchange/deploy/standins/documentdb"
)

func main() {
	var c documentdb.Config
	flag.StringVar(&c.Addr, "addr", "127.0.0.1:27017", "`address` to serve at")
	flag.StringVar(&c.Dir, "dir", "", "`folder` that PostgreSQL is unpacked into; a folder of the user's cache if empty")
	flag.StringVar(&c.Keep, "keep", "", "`name` under which the data is kept and found again; it is removed at the end if empty")
	flag.Parse()
	if err := run(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until the process is interrupted or terminated.
func run(c documentdb.Config) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := c.Start(ctx)
	if err != nil {
		return err
	}
	fmt.Println(server.URI())
	select {
	case <-ctx.Done():
		return server.Close()
	case <-server.Ended():
		return errors.Join(errors.New("documentdb: PostgreSQL has ended by itself"), server.Close())
	}
}
