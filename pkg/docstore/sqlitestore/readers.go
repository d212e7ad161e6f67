package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// readers are the connections that read. Each serves one read at a time, and keeps the statements it has prepared:
// one for each shape of query; a collection has few shapes.
//
// A connection is opened when all others serve a read, and the one that was used last is used next. So there are only
// as many as have been in use at once, and what they have cached is what was read last. One costs 150 KiB, and 2 MiB
// once its cache is full.
type readers struct {
	path    string
	file    os.FileInfo // of the database when the store was opened
	sharing sqlite3.Sharing
	// places has an entry for each read under way.
	places chan struct{}
	closed chan struct{}

	mu   sync.Mutex
	idle []*reader // the one that was used last is at the end
}

type reader struct {
	conn  *sqlite3.Conn
	stmts map[string]*sqlite3.Stmt
}

// openReaders returns readers with a first connection, and with room for two for each processor, because a read
// mostly takes processor time and sometimes waits for the disk.
func openReaders(path string, sharing sqlite3.Sharing) (*readers, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	r := &readers{
		path: path, file: file, sharing: sharing,
		places: make(chan struct{}, max(4, 2*runtime.GOMAXPROCS(0))), closed: make(chan struct{}),
	}
	first, err := r.open()
	if err != nil {
		return nil, err
	}
	r.idle = append(r.idle, first)
	return r, nil
}

// errReplaced is why no further connection is opened to a file that is not the one of the other connections.
var errReplaced = errors.New("was moved or replaced while it was in use; put it back, or restart the process")

func (r *readers) open() (*reader, error) {
	if file, err := os.Stat(r.path); err != nil || !os.SameFile(file, r.file) {
		return nil, fmt.Errorf("%s %w", r.path, errors.Join(errReplaced, err))
	}
	conn, err := connectSharing(r.sharing, r.path, sqlite3.ReadOnly, readerPragmas)
	if err != nil {
		return nil, withRemedy(r.path, err)
	}
	return &reader{conn, map[string]*sqlite3.Stmt{}}, nil
}

// reading is how a query is run: brief or long. It does not begin after the context has ended.
type reading func(ctx context.Context, sql string, use func(*sqlite3.Stmt) error) error

// brief is for a query that reads a row or two.
func (r *readers) brief(ctx context.Context, sql string, use func(*sqlite3.Stmt) error) error {
	return r.read(ctx, false, sql, use)
}

// long is for any other query, which fails soon when the context ends. To watch a context costs a third of a get.
func (r *readers) long(ctx context.Context, sql string, use func(*sqlite3.Stmt) error) error {
	return r.read(ctx, true, sql, use)
}

func (r *readers) read(ctx context.Context, watched bool, sql string, use func(*sqlite3.Stmt) error) error {
	reader, err := r.take(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer r.give(reader)
	if watched {
		reader.conn.Under(ctx)
		defer reader.conn.Under(context.Background())
	}
	if err = reader.query(sql, use); err != nil && ctx.Err() != nil {
		return unavailable(ctx.Err())
	}
	if err != nil {
		return unavailable(withRemedy(r.path, err))
	}
	return nil
}

// ping reads from the file.
func (r *readers) ping(ctx context.Context) error {
	_, err := one(ctx, r.brief, "SELECT count(*) FROM sqlite_schema", func(*sqlite3.Stmt) {}, number)
	return err
}

// Plans returns SQLite's plan of each statement that has read from the store, by its SQL. With it a test shows that the
// finds of real declarations do not scan.
func (s *Store) Plans(ctx context.Context) (map[string][]string, error) {
	plans := map[string][]string{}
	s.reads.mu.Lock()
	for _, one := range s.reads.idle {
		for sql := range one.stmts {
			plans[sql] = nil
		}
	}
	s.reads.mu.Unlock()
	for sql := range plans {
		if err := s.reads.long(ctx, "EXPLAIN QUERY PLAN "+sql, func(stmt *sqlite3.Stmt) error {
			for {
				row, err := stmt.Step()
				if err != nil || !row {
					return err
				}
				plans[sql] = append(plans[sql], string(stmt.Bytes(planAt)))
			}
		}); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

// planAt is the column of a plan's text.
const planAt = 3

func (r *reader) query(sql string, use func(*sqlite3.Stmt) error) error {
	stmt, ok := r.stmts[sql]
	if !ok {
		var err error
		if stmt, err = r.conn.Prepare(sql); err != nil {
			return err
		}
		r.stmts[sql] = stmt
	}
	defer stmt.Reset()
	return use(stmt)
}

// take returns a connection for a read, which has to be given back. It waits for one while all are in use.
func (r *readers) take(ctx context.Context) (*reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Mostly there is a place, and a select with one case costs a third of a select with three.
	select {
	case r.places <- struct{}{}:
	default:
		select {
		case r.places <- struct{}{}:
		case <-r.closed:
			return nil, errClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if last := r.last(); last != nil {
		return last, nil
	}
	opened, err := r.open()
	if err != nil {
		<-r.places
	}
	return opened, err
}

// last takes the idle connection that was used last; nil if none is idle.
func (r *readers) last() *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.idle) == 0 {
		return nil
	}
	last := r.idle[len(r.idle)-1]
	r.idle = r.idle[:len(r.idle)-1]
	return last
}

// give makes a connection idle.
func (r *readers) give(back *reader) {
	r.mu.Lock()
	r.idle = append(r.idle, back)
	r.mu.Unlock()
	<-r.places
}

// close waits for the reads under way and closes the connections.
func (r *readers) close() error {
	close(r.closed)
	for range cap(r.places) {
		r.places <- struct{}{}
	}
	var errs []error
	for _, idle := range r.idle {
		errs = append(errs, idle.conn.Close())
	}
	return errors.Join(errs...)
}
