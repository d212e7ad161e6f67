package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Snapshot is a database as it was at one instant. It can be taken while a Store has the file open, in this process
// or another: the store goes on reading and writing, and nothing that it writes becomes part of the snapshot. Until
// Close the log of the database (path-wal) keeps all that is written, and so grows.
//
// One goroutine at a time may use a snapshot.
type Snapshot struct {
	conn *sqlite3.Conn
	path string
}

// snapshotPragmas configure a connection that reads a snapshot.
var snapshotPragmas = append(slices.Clone(readerPragmas),
	// The transaction sees the database as it is when it first reads.
	"BEGIN", "SELECT count(*) FROM sqlite_schema")

// OpenSnapshot takes a snapshot of the database in the file at path, which must exist. It contains every write that
// returned before. Errors wrap docstore.ErrUnavailable; fs.ErrNotExist if there is no file.
func OpenSnapshot(path string) (*Snapshot, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, unavailable(err)
	}
	conn, err := connect(path, sqlite3.ReadOnly, snapshotPragmas)
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
	conn.Interruptible()
	return &Snapshot{conn: conn, path: path}, nil
}

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
		var total, left int
		more, total, left, err = backup.Step(pagesAtOnce)
		if err == nil && progress != nil {
			err = progress(int64(total-left)*pageSize, int64(total)*pageSize)
		}
	}
	return errors.Join(err, backup.Finish())
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
