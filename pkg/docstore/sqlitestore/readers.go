package sqlitestore

import (
	"context"
	"errors"
	"runtime"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/problem"
)

// readers are the connections that read. Each serves one read at a time, and keeps the statements it has prepared:
// there is one for each shape of query, of which a collection has few.
type readers struct {
	idle   chan *reader
	opened int
	closed chan struct{}
}

type reader struct {
	conn  *sqlite3.Conn
	path  string // of the database, for errors
	stmts map[string]*sqlite3.Stmt
}

// newReaders returns readers with room for two connections for each processor, because a read mostly takes processor time
// and sometimes waits for the disk.
func newReaders() *readers {
	return &readers{idle: make(chan *reader, max(4, 2*runtime.GOMAXPROCS(0))), closed: make(chan struct{})}
}

// open opens the connections and applies the pragmas to each.
func (r *readers) open(path string, sharing sqlite3.Sharing, pragmas []string) error {
	for range cap(r.idle) {
		conn, err := connectSharing(sharing, path, sqlite3.ReadOnly, pragmas)
		if err != nil {
			return err
		}
		conn.Interruptible()
		r.opened++
		r.idle <- &reader{conn: conn, path: path, stmts: map[string]*sqlite3.Stmt{}}
	}
	return nil
}

// read runs a short query. It does not begin after the context has ended, and is not interrupted once it has begun.
func (r *readers) read(ctx context.Context, sql string, use func(*sqlite3.Stmt) error) error {
	reader, err := r.take(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer r.give(reader)
	return reader.query(sql, use)
}

// search runs a query that may take long, and interrupts it when the context ends.
func (r *readers) search(ctx context.Context, sql string, use func(*sqlite3.Stmt) error) error {
	reader, err := r.take(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer r.give(reader)
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		reader.conn.Interrupt()
		close(interrupted)
	})
	err = reader.query(sql, use)
	if !stop() {
		// The interrupt must not reach the connection's next query.
		<-interrupted
		reader.conn.Resume()
	}
	if err != nil && ctx.Err() != nil {
		return unavailable(ctx.Err())
	}
	return err
}

func (r *reader) query(sql string, use func(*sqlite3.Stmt) error) error {
	stmt, ok := r.stmts[sql]
	if !ok {
		var err error
		if stmt, err = r.conn.Prepare(sql); err != nil {
			return unavailable(withRemedy(r.path, err))
		}
		r.stmts[sql] = stmt
	}
	defer stmt.Reset()
	err := use(stmt)
	var refused *problem.Error // the process has no memory for what was found, which says nothing about the store
	if err != nil && !errors.As(err, &refused) {
		err = unavailable(withRemedy(r.path, err))
	}
	return err
}

func (r *readers) take(ctx context.Context) (*reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Mostly a connection is idle, and a select with one case costs a third of a select with three.
	select {
	case reader := <-r.idle:
		return reader, nil
	default:
	}
	select {
	case reader := <-r.idle:
		return reader, nil
	case <-r.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *readers) give(reader *reader) { r.idle <- reader }

// close waits for the reads under way and closes the connections.
func (r *readers) close() error {
	close(r.closed)
	var errs []error
	for range r.opened {
		errs = append(errs, (<-r.idle).conn.Close())
	}
	return errors.Join(errs...)
}
