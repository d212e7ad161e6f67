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
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/deploy/proof/standins/documentdb"
)

func main() {
	var c documentdb.Config
	flag.StringVar(&c.Addr, "addr", "127.0.0.1:27017", "`address` to serve at")
	flag.StringVar(&c.Dir, "dir", "",
		"`folder` that PostgreSQL is unpacked into; a folder of the user's cache if empty")
	flag.StringVar(&c.Keep, "keep", "",
		"`name` under which the data is kept and found again; it is removed at the end if empty")
	check := flag.String("check", "", "ask the server at this `address` whether it serves, in place of serving")
	prepare := flag.Bool("prepare", false, "unpack PostgreSQL into the folder if nobody has, and end")
	flag.Parse()
	act := func() error { return run(c) }
	switch {
	case *check != "":
		act = func() error { return ping(*check) }
	case *prepare:
		act = func() error { return unpack(c.Dir) }
	}
	if err := act(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// unpack starts a server and ends it, by which its folder is made.
func unpack(dir string) error {
	server, err := documentdb.Start(context.Background(), dir)
	if err != nil {
		return err
	}
	return server.Close()
}

// checkPatience bounds a check, in which the server asks PostgreSQL.
const checkPatience = 5 * time.Second

// ping fails if no server serves at the address.
func ping(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkPatience)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + address + "/?directConnection=true"))
	if err != nil {
		return err
	}
	// A list of databases is read from PostgreSQL; a ping is not.
	_, err = client.ListDatabaseNames(ctx, bson.D{})
	return errors.Join(err, client.Disconnect(ctx))
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
