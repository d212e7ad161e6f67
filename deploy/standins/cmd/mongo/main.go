// Command mongo serves MongoDB's protocol from a folder of SQLite files, in the place of a MongoDB container.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"insurance.example/exchange/deploy/standins/mongo"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:27017", "`address` to serve at")
	data := flag.String("data", "data", "`folder` to store in")
	flag.Parse()
	if err := run(*listen, *data); err != nil {
		slog.Error("mongo stand-in", "err", err)
		os.Exit(1)
	}
}

// run serves until the process is interrupted or terminated.
func run(listen, data string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := mongo.Start(ctx, listen, data)
	if err != nil {
		return err
	}
	slog.Info("mongo stand-in serves", "uri", server.URI(), "data", data)
	server.Wait()
	return nil
}
