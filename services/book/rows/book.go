package rows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/setting"
)

// Book is an open book. One goroutine writes; any number reads.
type Book struct {
	path string
	defaults
	// place is read while the file is read, and written while another one takes its place.
	place   sync.RWMutex
	mu      sync.Mutex // guards the writer
	writer  *sqlite.Conn
	readers *sqlitex.Pool
	// computers read what rows are computed of, while the writer writes them.
	computers []*sqlite.Conn
}

// defaults are what holds where no contract says anything else.
type defaults struct {
	amounts setting.Amounts
	zone    *time.Location
}

// readers is how many requests read at once.
const readers = 4

// computers is how many goroutines compute rows.
const computers = 2

// Open opens the book in a file, which it makes if it is missing, damaged, or of another form.
func Open(path string, amounts setting.Amounts, zone *time.Location) (*Book, error) {
	b := &Book{path: path, defaults: defaults{amounts, zone}}
	// What the figures were computed by is part of the form.
	is := strconv.Itoa(form) + " " + amounts.Unit + " " + amounts.Currency + " " + zone.String()
	switch err := b.connect(); {
	case err == nil:
		if was, err := b.State("form"); err == nil && was == is {
			return b, nil
		}
		if err := b.Close(); err != nil {
			return nil, err
		}
	case !damaged(err):
		return nil, err
	}
	if err := b.anew(); err != nil {
		return nil, err
	}
	if err := b.write(func() error { return b.setState("form", is) }); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// damaged reports whether an error says that the file is no book.
func damaged(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultNotADB || code == sqlite.ResultCorrupt
}

// connect opens the connections.
func (b *Book) connect() (err error) {
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return err
	}
	// Nobody else reads it; SQLite gives the files beside it the same rights.
	file, err := os.OpenFile(b.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Chmod(0o600), file.Close()); err != nil {
		return err
	}
	b.writer, err = sqlite.OpenConn(b.path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL)
	if err != nil {
		return fmt.Errorf("the book in %s cannot be opened: %w", b.path, err)
	}
	// A crash of the machine may lose the last transactions, which are then read again, and no part of one.
	// A page that is written again before what was written goes into the file goes there once.
	for _, pragma := range []string{"synchronous = NORMAL", "wal_autocheckpoint = 8000", "cache_size = -16384",
		"temp_store = MEMORY", "trusted_schema = OFF"} {
		if err := sqlitex.ExecuteTransient(b.writer, "PRAGMA "+pragma, nil); err != nil {
			return errors.Join(err, b.writer.Close())
		}
	}
	b.readers, err = sqlitex.NewPool(b.path, sqlitex.PoolOptions{PoolSize: readers,
		Flags: sqlite.OpenReadOnly | sqlite.OpenWAL})
	if err != nil {
		return errors.Join(err, b.writer.Close())
	}
	b.computers = nil
	for range computers {
		conn, err := sqlite.OpenConn(b.path, sqlite.OpenReadOnly|sqlite.OpenWAL)
		if err != nil {
			return errors.Join(err, b.Close())
		}
		b.computers = append(b.computers, conn)
	}
	return nil
}

// anew makes the file anew, with its tables. It is closed before.
func (b *Book) anew() error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(b.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := b.connect(); err != nil {
		return err
	}
	if err := sqlitex.ExecuteScript(b.writer, schema, nil); err != nil {
		return errors.Join(err, b.Close())
	}
	return nil
}

// Clear throws away all that was read, so that it is read again.
func (b *Book) Clear() error {
	return b.write(func() error {
		for _, table := range []string{"due", "owner", "party", "object", "policy", "claim", "receipt", "assignment",
			"cell", "open",
			Policies.table(), Claims.table(), Movements.table()} {
			if err := b.exec("DELETE FROM " + table); err != nil {
				return err
			}
		}
		return b.exec("DELETE FROM state WHERE name NOT IN ('form', ?)", since)
	})
}

// since is the name under which is kept since when a book is made beside another one.
const since = "since"

// Since returns since when the book is made beside another one, which is now for a book that did not know it.
func (b *Book) Since(now time.Time) (at time.Time, err error) {
	text, err := b.State(since)
	if err == nil && text == "" {
		text = now.UTC().Format(time.RFC3339Nano)
		err = b.write(func() error { return b.setState(since, text) })
	}
	if err == nil {
		at, err = time.Parse(time.RFC3339Nano, text)
	}
	return at, err
}

// Become has the file of another book take the place of the file of this one, once nobody reads that; reads that begin
// meanwhile wait. Until the file is renamed, which is done at once, this book has its own, and is whole. The other book
// is closed. After an error the book is to be opened again.
func (b *Book) Become(other *Book) error {
	b.place.Lock()
	defer b.place.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := errors.Join(b.Close(), other.Close()); err != nil {
		return err
	}
	// A log of SQLite belongs to the file before, and would be taken for one of the file that comes.
	for _, path := range []string{b.path, other.path} {
		if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
			return cmp.Or(err, fmt.Errorf("another process reads %s", path))
		}
	}
	if err := os.Rename(other.path, b.path); err != nil {
		return err
	}
	return b.connect()
}

// Close closes the file.
func (b *Book) Close() error {
	err := b.readers.Close()
	for _, conn := range b.computers {
		err = errors.Join(err, conn.Close())
	}
	return errors.Join(err, b.writer.Close())
}

// write calls a function in a transaction, which its error undoes.
func (b *Book) write(do func() error) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	end, err := sqlitex.ImmediateTransaction(b.writer)
	if err != nil {
		return err
	}
	defer end(&err)
	return do()
}

// read calls a function with a connection that reads, as of one instant.
func (b *Book) read(ctx context.Context, do func(*sqlite.Conn) error) (err error) {
	b.place.RLock()
	defer b.place.RUnlock()
	conn, err := b.readers.Take(ctx)
	if err != nil {
		return err
	}
	defer b.readers.Put(conn)
	defer sqlitex.Save(conn)(&err)
	return do(conn)
}

// query runs a statement with a row function.
func query(conn *sqlite.Conn, sql string, row func(*sqlite.Stmt) error, args ...any) error {
	return sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: row})
}

// exec runs a statement of the transaction.
func (b *Book) exec(sql string, args ...any) error { return query(b.writer, sql, nil, args...) }

// State returns what is kept under a name; empty if nothing is.
func (b *Book) State(name string) (value string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return stateOf(b.writer, name)
}

func stateOf(conn *sqlite.Conn, name string) (value string, err error) {
	err = query(conn, "SELECT value FROM state WHERE name = ?", func(s *sqlite.Stmt) error {
		value = s.ColumnText(0)
		return nil
	}, name)
	return value, err
}

func (b *Book) setState(name, value string) error {
	return b.exec("INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value)
}

// asOf is the name under which is kept up to which instant everything was read.
const asOf = "asOf"

// First reports whether everything is being read for the first time.
func (b *Book) First() (bool, error) {
	at, err := b.State(asOf)
	return at == "", err
}

// Reached notes that everything up to an instant was read. It notes nothing while something is due.
func (b *Book) Reached(at time.Time) error {
	if first, err := b.First(); err != nil {
		return err
	} else if first {
		if err := b.index(); err != nil {
			return err
		}
	}
	return b.write(func() error {
		waits := false
		err := query(b.writer, "SELECT 1 FROM due LIMIT 1", func(*sqlite.Stmt) error {
			waits = true
			return nil
		})
		if err != nil || waits {
			return err
		}
		return b.setState(asOf, at.UTC().Format(time.RFC3339Nano))
	})
}

// reached returns the instant up to which everything was read; the zero value before that.
func reached(conn *sqlite.Conn) (scalar.DateTime, error) {
	text, err := stateOf(conn, asOf)
	if err != nil || text == "" {
		return scalar.DateTime{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return scalar.Instant(at), err
}
