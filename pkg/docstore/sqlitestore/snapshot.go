package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Snapshot is a database as it was at one instant, as a docstore.Store that refuses writes. It can be taken while a
// Store has the file open, in this process or another: the store goes on reading and writing, and nothing that it
// writes becomes part of the snapshot. Until Close the log of the database (path-wal) keeps all that is written, and
// so grows. A failure ends the snapshot: what is read after it may be newer.
type Snapshot struct {
	conn  *sqlite3.Conn
	path  string
	store *Store // which has this one connection
}

// Of returns the part of a snapshot that has the tables of a service; see Store.Of. It is closed with the snapshot.
func (s *Snapshot) Of(service string) docstore.Store {
	of := &Store{file: s.store.file, log: changeLog{prefix: prefixOf(service)}}
	return part{&Snapshot{s.conn, s.path, of}}
}

type part struct{ *Snapshot }

// Close does nothing.
func (part) Close() error { return nil }

// OpenSnapshot takes a snapshot of the database in the file at path, which must exist. It contains every write that
// returned before. Errors wrap docstore.ErrUnavailable; fs.ErrNotExist if there is no file.
func OpenSnapshot(path string) (*Snapshot, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, unavailable(err)
	}
	conn, err := connect(path, sqlite3.ReadOnly, readerPragmas)
	if sqlite3.Busy(err) {
		return nil, unavailable(
			fmt.Errorf("%s is locked by another process; if that one was started while the disk was "+
				"full, free some space there and start it again: %w", path, err))
	}
	if err != nil {
		return nil, unavailable(withRemedy(path, err))
	}
	if err := checkSchema(conn, path); err != nil {
		return nil, unavailable(errors.Join(err, conn.Close()))
	}
	s, err := newSnapshot(conn, path)
	if err != nil {
		return nil, unavailable(errors.Join(withRemedy(path, err), conn.Close()))
	}
	return s, nil
}

// newSnapshot has a connection read in one transaction: nothing is written through its store.
func newSnapshot(conn *sqlite3.Conn, path string) (*Snapshot, error) {
	if err := conn.Exec("BEGIN"); err != nil {
		return nil, err
	}
	reads := &readers{
		path: path, places: make(chan struct{}, 1), closed: make(chan struct{}),
		idle: []*reader{{conn, map[string]*sqlite3.Stmt{}}},
	}
	s := &Snapshot{conn, path, &Store{file: &file{
		path: path, writer: &writer{closed: true}, reads: reads,
	}}}
	// The transaction sees the database as it is when it first reads.
	return s, s.Ping(context.Background())
}

// Collection returns a collection as it was. It must have been opened with this spec before. Errors:
// docstore.ErrUnavailable, with docstore.ErrNoCollection if it was not.
func (s *Snapshot) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	if err := spec.Validate(); err != nil {
		return nil, unavailable(err)
	}
	spec.Name = s.store.log.prefix + spec.Name
	c := &collection{store: s.store, spec: spec, sql: statementsOf(spec)}
	// What is written later is not seen, so that no page has to be settled.
	c.floor.Raise(uuid.Max)
	has, err := tableColumns(s.conn, spec.Name)
	if err != nil {
		return nil, unavailable(withRemedy(s.path, err))
	}
	var labels []string
	if len(has) > 0 && !slices.Contains(has, stampColumn) {
		if labels, err = names(s.conn, labelsSQL(spec)); err != nil {
			labels = nil // an earlier release has made no table of migrations
		}
	}
	if len(labels) == 0 {
		return nil, unavailable(fmt.Errorf("%s was not opened by this release yet; start the exchange with this "+
			"release once, or use the release that wrote it: %w, %s", s.path, docstore.ErrNoCollection, spec.Name))
	}
	if logs, err := tableColumns(s.conn, s.store.log.prefix+logsTable); err != nil || len(logs) == 0 || spec.Unlogged {
		return c, err
	}
	return c, c.learnLog(s.conn)
}

// Ping reads from the file. Errors: docstore.ErrUnavailable.
func (s *Snapshot) Ping(ctx context.Context) error { return s.store.reads.ping(ctx) }

// Close ends the snapshot.
func (s *Snapshot) Close() error { return s.conn.Close() }

const (
	// pagesAtOnce is how many pages are copied between two reports of the progress: 4 MiB.
	pagesAtOnce = 1024
	// pageSize is the size of a page in bytes, SQLite's default.
	pageSize = 4096
)

// Copy writes the snapshot to a new database in the file at to, which must not exist, and which only its owner can
// access. The copy is on the disk when Copy returns nil, and no other file belongs to it. progress, if set, gets
// how many bytes are copied, and of how many. After an error the file may be there and is worth nothing. Errors wrap
// docstore.ErrUnavailable.
func (s *Snapshot) Copy(ctx context.Context, to string, progress func(done, total int64) error) error {
	created, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return unavailable(withRemedy(to, err))
	}
	if err := created.Close(); err != nil {
		return unavailable(withRemedy(to, err))
	}
	// It is worth nothing until it is whole, so that nothing need be synced before.
	conn, err := connect(to, sqlite3.ReadWrite, []string{"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF"})
	if err != nil {
		return unavailable(withRemedy(to, err))
	}
	err = s.copyTo(ctx, conn, progress)
	if sqlite3.Damaged(err) {
		return unavailable(errors.Join(withRemedy(s.path, err), conn.Close()))
	}
	if err == nil {
		// Without the mode of the original, the copy can be read without files for its log.
		err = conn.Exec("PRAGMA journal_mode = DELETE")
	}
	if err = errors.Join(err, conn.Close()); err == nil {
		err = syncFile(to)
	}
	if err != nil {
		return unavailable(withRemedy(to, err))
	}
	return nil
}

func (s *Snapshot) copyTo(ctx context.Context, conn *sqlite3.Conn, progress func(done, total int64) error) error {
	backup, err := conn.Backup(s.conn)
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err != nil {
			break
		}
		more, err = backup.Step(pagesAtOnce)
		if err == nil && progress != nil {
			total := int64(backup.PageCount())
			err = progress((total-int64(backup.Remaining()))*pageSize, total*pageSize)
		}
	}
	return errors.Join(err, backup.Close())
}

func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// mostFaults bounds how many faults of a damaged file are named.
const mostFaults = 20

// Faults reads the whole database and returns in words what is wrong with its pages and indexes, nothing for a sound
// one. A file that is so damaged that it cannot be read has a fault that says so. Errors wrap
// docstore.ErrUnavailable.
func (s *Snapshot) Faults(ctx context.Context) ([]string, error) {
	s.conn.Under(ctx)
	defer s.conn.Under(context.Background())
	faults, err := names(s.conn, fmt.Sprintf("PRAGMA integrity_check(%d)", mostFaults))
	switch {
	case ctx.Err() != nil:
		return nil, unavailable(ctx.Err())
	case sqlite3.Damaged(err):
		return append(faults, err.Error()), nil
	case err != nil:
		return nil, unavailable(withRemedy(s.path, err))
	case len(faults) == 1 && faults[0] == "ok":
		return nil, nil
	}
	return faults, nil
}
