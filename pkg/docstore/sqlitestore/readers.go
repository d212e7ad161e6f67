package sqlitestore

import (
	"context"
	"errors"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// readers are the connections that read. Each serves one read at a time, and keeps the statements it has prepared:
// there is one for each shape of query, of which a collection has few.
type readers struct {
	idle   chan *reader
	closed chan struct{}
}

type reader struct {
	conn  *sqlite3.Conn
	stmts map[string]*sqlite3.Stmt
}

func newReaders(path string, n int) (*readers, error) {
	r := &readers{idle: make(chan *reader, n), closed: make(chan struct{})}
	for range n {
		conn, err := connect(path, sqlite3.ReadOnly, readerPragmas)
		if err != nil {
			return nil, errors.Join(err, r.discard(len(r.idle)))
		}
		r.idle <- &reader{conn: conn, stmts: map[string]*sqlite3.Stmt{}}
	}
	return r, nil
}

// read runs a short query: it is not begun once the context has ended, and is not broken off.
func (r *readers) read(ctx context.Context, sql string, use func(*sqlite3.Stmt) error) error {
	reader, err := r.take(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer r.give(reader)
	return reader.query(sql, use)
}

// search runs a query that may take long, and breaks it off when the context ends.
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
			return unavailable(err)
		}
		r.stmts[sql] = stmt
	}
	defer stmt.Reset()
	if err := use(stmt); err != nil {
		return unavailable(err)
	}
	return nil
}

func (r *readers) take(ctx context.Context) (*reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Mostly one is idle, and a select of one case costs a third of that of three.
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
	return r.discard(cap(r.idle))
}

func (r *readers) discard(n int) error {
	var errs []error
	for range n {
		errs = append(errs, (<-r.idle).conn.Close())
	}
	return errors.Join(errs...)
}
