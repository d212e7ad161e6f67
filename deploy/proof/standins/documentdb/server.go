// Package documentdb runs a server that speaks MongoDB's protocol, on machines that cannot run MongoDB's container:
// PostgreSQL 18 with the DocumentDB extension, and FerretDB 2 in front of it. It has real indexes and replaces a
// document atomically. It has no transactions, no retryable writes and no replica set, and a duplicate key error
// names its index in the text only.
//
// PostgreSQL comes from Debian's packages, which are fetched once and unpacked into a folder; nothing is installed. It
// runs in that folder (chroot) as a user of its own. So it needs root, and Debian for the first start.
package documentdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/FerretDB/FerretDB/v2/ferretdb"
)

// Config says how a server is started. The zero value is a server with data of its own, at a free port of the loopback
// interface.
type Config struct {
	// Dir is the folder that PostgreSQL is unpacked into, about 700 MB. Any number of servers of any number of
	// processes may use it at once. If it is empty, it is a folder of the user's cache.
	Dir string
	// Addr is the address to serve at, as host:port. If it is empty, it is a free port of the loopback interface.
	Addr string
	// Keep names the data of the server, which then outlives it: the next server that is started in the same folder
	// with this name has the same data. It is made of letters, digits and hyphens. If it is empty, the data is
	// removed when the server ends.
	Keep string
	// Progress receives a line for each step of a first start, which takes a minute or more. If it is nil, it is
	// os.Stderr.
	Progress io.Writer
}

// Server is a running server. It ends with the process that started it, however that ends.
type Server struct {
	database *postgres
	ferret   *ferretdb.FerretDB
	stop     context.CancelFunc
	ended    chan struct{}
	state    string
	once     sync.Once
}

// Start starts a server. When the server ends, its data is removed. dir is Config.Dir.
func Start(ctx context.Context, dir string) (*Server, error) {
	return Config{Dir: dir}.Start(ctx)
}

// Start starts a server and returns once it serves. ctx bounds the start only.
func (c Config) Start(ctx context.Context) (*Server, error) {
	if c.Progress == nil {
		c.Progress = os.Stderr
	}
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	root, err := provision(ctx, c.Dir, c.Progress)
	if err != nil {
		return nil, fmt.Errorf("documentdb: %w", err)
	}
	database, err := root.start(ctx, c.Keep)
	if err != nil {
		return nil, fmt.Errorf("documentdb: %w", err)
	}
	s := &Server{database: database, ended: make(chan struct{})}
	if err := s.serve(c.Addr); err != nil {
		return nil, errors.Join(fmt.Errorf("documentdb: %w", err), database.stop())
	}
	return s, nil
}

// Forget removes the data that servers have kept under Config.Keep. While a server has the data, Forget waits for its
// end, whichever process it belongs to, until ctx is done. It returns nil if there is no such data.
func (c Config) Forget(ctx context.Context) error {
	if c.Keep == "" {
		return errors.New("documentdb: only data that is kept under a name can be forgotten; set Keep")
	}
	made, err := place(c.Dir)
	if err == nil {
		err = root(made).forget(ctx, c.Keep)
	}
	if err != nil {
		return fmt.Errorf("documentdb: %w", err)
	}
	return nil
}

// serve starts FerretDB.
func (s *Server) serve(address string) (err error) {
	// Built with the race detector, FerretDB panics if it cannot listen.
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	if err := listener.Close(); err != nil {
		return err
	}
	// FerretDB keeps a file for its telemetry even if that is off.
	if s.state, err = os.MkdirTemp("", "ferretdb-"); err != nil {
		return err
	}
	telemetry := false
	var said bytes.Buffer
	s.ferret, err = ferretdb.New(&ferretdb.Config{
		PostgreSQLURL: s.database.url, ListenAddr: address, StateDir: s.state, Telemetry: &telemetry,
		LogOutput: &locked{w: &said},
	})
	if err != nil {
		_ = os.RemoveAll(s.state)
		// The first line has the cause; what follows are its consequences.
		cause, _, _ := strings.Cut(said.String(), "\n")
		return fmt.Errorf("%w: %s", err, cause)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() {
		defer close(s.ended)
		s.ferret.Run(ctx)
	}()
	return nil
}

// URI returns the connection string for clients, without the name of a database.
func (s *Server) URI() string { return s.ferret.MongoDBURI() }

// PostgreSQLURL returns the connection string of the database behind it.
func (s *Server) PostgreSQLURL() string { return s.database.url }

// Ended is closed when the server has ended: by Close, or because PostgreSQL ended by itself.
func (s *Server) Ended() <-chan struct{} { return s.database.ended }

// Close ends the server and returns once its processes have ended and its connections are closed.
func (s *Server) Close() error {
	var err error
	s.once.Do(func() {
		s.stop()
		<-s.ended
		err = errors.Join(s.database.stop(), os.RemoveAll(filepath.Clean(s.state)))
	})
	return err
}

// locked is a writer for several goroutines.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
