package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// ErrInUse is the error of Open if another process, or another Store of this one, has the file open.
var ErrInUse = errors.New("is in use by another process; stop that one, or use another file")

// errClosed is why a closed store does not serve.
var errClosed = errors.New("sqlitestore: store closed")

// Store has the collections of one service in an open database file.
type Store struct {
	*file
	log changeLog

	end   sync.Once
	ended error
}

// file is an open database file. All stores in it share its one writer, so that their writes are committed together.
type file struct {
	path   string
	lock   *sqlite3.Conn
	writer *writer
	reads  *readers
	// warned reports whether the clock was said to be behind. Only the writer uses it.
	warned bool
	// stores is how many stores are open. The last one closes the file.
	stores atomic.Int64
}

// Open opens the database in the file at path. It creates the file and its folder if they are missing, and makes them
// accessible by their owner only. Until Close the store owns the file, and with it path-wal, path-shm and path-lock.
// It fails with ErrInUse, or with an error that names the file and says what to do.
//
// Where the disk is full, a database that is there is opened to be read: writes and Ping fail until there is space.
// If there is none for path-shm either, no other process can read the database, such as one that copies it, until it
// is opened again.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, unavailable(err)
	}
	lock, err := acquire(path)
	if err != nil {
		return nil, err
	}
	// The writer is opened first: it makes the file, and puts in order what a crash left.
	sharing := sqlite3.WithOthers
	writer, err := openWriter(path, sharing)
	if sqlite3.NoIndex(err) {
		// What is stored can be read all the same.
		sharing = sqlite3.WithinProcess
		writer, err = openWriter(path, sharing)
	}
	if err != nil {
		return nil, unavailable(errors.Join(err, lock.Close()))
	}
	reads, err := openReaders(path, sharing)
	if err != nil {
		return nil, unavailable(errors.Join(err, writer.close(), lock.Close()))
	}
	opened := &file{path: path, lock: lock, writer: writer, reads: reads}
	opened.stores.Add(1)
	return &Store{file: opened}, nil
}

// Of returns another store in the same file, whose tables begin with the name of a service: those of several services
// have collections of the same names.
func (s *Store) Of(service string) *Store {
	s.stores.Add(1)
	return &Store{file: s.file, log: changeLog{prefix: prefixOf(service)}}
}

// prefixOf returns what the names of the tables of a service begin with. No name has it by itself but a longer one.
func prefixOf(service string) string { return service + "_" }

// acquire takes the lock that makes this store the only one of the file. SQLite itself would let several processes
// write in turn, but each would wait for the others' commits. The lock is the lock of an empty database in a separate
// file. The operating system releases it when the process ends, even after a crash. Nothing is ever written to that
// database, so its journal is in memory: a file would need room on the disk.
//
// A store that ends removes the file. So the lock counts only if the file is the same before and after.
func acquire(path string) (*sqlite3.Conn, error) {
	for {
		if err := makeFiles(path); err != nil {
			return nil, unavailable(withRemedy(path, err))
		}
		before, err := os.Stat(lockFile(path))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, unavailable(withRemedy(lockFile(path), err))
		}
		lock, err := connect(lockFile(path), sqlite3.ReadWrite,
			[]string{"PRAGMA journal_mode = MEMORY", "BEGIN EXCLUSIVE"})
		if sqlite3.Busy(err) {
			return nil, fmt.Errorf("the database %s %w", path, ErrInUse)
		}
		if err != nil {
			return nil, unavailable(withRemedy(lockFile(path), err))
		}
		if after, err := os.Stat(lockFile(path)); err == nil && same(before, after) {
			return lock, nil
		}
		if err := lock.Close(); err != nil {
			return nil, unavailable(err)
		}
	}
}

func lockFile(path string) string { return path + "-lock" }

// connect opens a connection that lets other processes in, and runs statements on it.
func connect(path string, mode sqlite3.Mode, statements []string) (*sqlite3.Conn, error) {
	return connectSharing(sqlite3.WithOthers, path, mode, statements)
}

func connectSharing(
	sharing sqlite3.Sharing, path string, mode sqlite3.Mode, statements []string,
) (*sqlite3.Conn, error) {
	conn, err := sqlite3.Open(path, mode, sharing)
	if err != nil {
		return nil, err
	}
	for _, sql := range statements {
		if err := conn.Exec(sql); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}

// Collection makes sure that the table of the collection has a column and an index for each index of the spec, and
// that its documents have their keys: it reads all of them after a change of the indexes, and when an earlier release
// had the file open before; see docstore.Spec. A file whose records a release before v1.1.0 has written is refused.
func (s *Store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	if err := spec.Validate(); err != nil {
		return nil, unavailable(err)
	}
	spec.Name = s.log.prefix + spec.Name
	c := &collection{store: s, spec: spec, sql: statementsOf(spec)}
	if err := s.writer.do(ctx, c.prepare); err != nil {
		return nil, err
	}
	if err := c.migrate(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Ping commits a transaction, which waits its turn among the writes, and reads from the file. The transaction is
// empty, unless the last change failed or was long ago: then it writes a page, because only a write shows that the
// disk has room. Errors of Ping wrap docstore.ErrUnavailable.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.writer.do(ctx, s.writer.try); err != nil {
		return err
	}
	return s.reads.ping(ctx)
}

// Close ends the store. The last one of a file closes that, after the writes that were handed to it, whose callers get
// their results, and the reads under way.
func (s *Store) Close() error {
	s.end.Do(func() {
		if s.stores.Add(-1) == 0 {
			s.ended = s.close()
		}
	})
	return s.ended
}

// close closes the file, and leaves nothing beside it.
func (f *file) close() error {
	// The connection that is closed last moves the log into the database, which one that only reads cannot do.
	f.writer.drain()
	err := errors.Join(f.reads.close(), f.writer.close())
	// While the lock is held, so that whoever waits for this file sees that it is another one; see acquire. Where an
	// open file cannot be removed, it stays.
	_ = os.Remove(lockFile(f.path))
	return errors.Join(err, f.lock.Close())
}

// unavailable returns the error for every failure that has no error of its own in package docstore. It wraps
// docstore.ErrUnavailable.
func unavailable(cause error) error {
	return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause)
}
