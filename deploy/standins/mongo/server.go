// Package mongo is a server that speaks MongoDB's protocol, for machines that cannot run MongoDB itself: FerretDB on
// SQLite, as a library. It stores to disk, has real indexes and talks to the official driver over the wire, so it shows
// that a client of MongoDB works. It finds documents by reading all of them, so it is for little data.
//
// FerretDB reads a document and writes it back in two steps, and two updates of one document on different connections
// may both win. A proxy in front lets one request and its reply through at a time, over all connections, which makes
// every operation atomic.
package mongo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"sync"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// Server is a running server.
type Server struct {
	address net.Addr
	stop    context.CancelFunc
	running sync.WaitGroup
}

// Start serves at address ("host:port", port 0 for any that is free) what is stored in the folder data, which it
// creates. It serves until ctx ends or Stop is called.
func Start(ctx context.Context, address, data string) (*Server, error) {
	if err := os.MkdirAll(data, 0o750); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	ferret, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		// FerretDB also returns to the client what it would log about a request.
		Logger:    slog.New(slog.DiscardHandler),
		Handler:   "sqlite",
		SQLiteURL: (&url.URL{Scheme: "file", Opaque: data + "/"}).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("ferretdb: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	s := &Server{stop: stop}
	s.running.Go(func() { _ = ferret.Run(ctx) })
	backend, err := url.Parse(ferret.MongoDBURI())
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("ferretdb: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		s.Stop()
		return nil, err
	}
	s.address = listener.Addr()
	s.running.Go(func() { s.accept(ctx, listener, &serializer{backend: backend.Host}) })
	return s, nil
}

// URI returns the connection string for clients.
func (s *Server) URI() string { return "mongodb://" + s.address.String() + "/" }

// Stop ends the server and returns once everything is closed.
func (s *Server) Stop() {
	s.stop()
	s.running.Wait()
}

// Wait returns once the server has ended.
func (s *Server) Wait() { s.running.Wait() }

// accept serves connections until ctx ends.
func (s *Server) accept(ctx context.Context, listener net.Listener, requests *serializer) {
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	for {
		client, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// A client may have given up while it was waiting.
			continue
		}
		s.running.Go(func() { requests.serve(ctx, client) })
	}
}
