// Package sqlite3 has the connections, statements and copies of zombiezen.com/go/sqlite in the form in which the store
// uses them: a connection keeps what it has prepared, ends with the context of a call, and waits for nobody unless a
// pragma says so.
//
// The store does not use database/sql, because the most frequent operation would cost more: a read by id took 33 µs of
// processor time through it, 16 µs through the driver alone, and 12 µs by the calls of SQLite, nearly all of it in
// SQLite. This binding makes these calls.
//
// A connection and its statements serve one goroutine at a time.
package sqlite3

import (
	"context"
	"fmt"
	"net/url"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Mode says whether a connection may write.
type Mode = sqlite.OpenFlags

// ReadWrite creates the database if it is missing. ReadOnly cannot change it.
const (
	ReadWrite = sqlite.OpenReadWrite | sqlite.OpenCreate
	ReadOnly  = sqlite.OpenReadOnly
)

// Sharing says who else may use a database in WAL mode while a connection does.
type Sharing string

const (
	// WithOthers lets other processes in. They share the index of the log, which is in a file (path-shm).
	WithOthers Sharing = ""
	// WithinProcess keeps the index in memory, which connections of this process with the same Sharing see. Others
	// find the database locked once it was written or read with ReadWrite.
	WithinProcess Sharing = "unix-excl"
)

// Conn is a connection to a database file.
type Conn struct{ *sqlite.Conn }

// Open connects to the database in the file at path.
func Open(path string, mode Mode, sharing Sharing) (*Conn, error) {
	if sharing != WithOthers {
		path = (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(),
			RawQuery: "vfs=" + string(sharing)}).String()
		mode |= sqlite.OpenURI
	}
	conn, err := sqlite.OpenConn(path, mode)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(0)
	return &Conn{conn}, nil
}

// Exec runs one statement that has no parameters. Its rows are ignored.
func (c *Conn) Exec(sql string) error {
	if err := sqlitex.ExecuteTransient(c.Conn, sql, nil); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// Prepare compiles one statement. It stays usable until the connection is closed.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	stmt, err := c.Conn.Prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return &Stmt{stmt}, nil
}

// InTransaction reports whether a transaction is open. SQLite ends one by itself after some errors, such as a full
// disk.
func (c *Conn) InTransaction() bool { return !c.AutocommitEnabled() }

// Under makes the statement that runs on the connection when a context ends fail soon, and every further one, until it
// is called again with another context.
func (c *Conn) Under(ctx context.Context) { c.SetInterrupt(ctx.Done()) }

// Backup starts to replace the database of the connection by that of another connection. Neither may be used for
// anything else until the copy is closed. If a transaction is open on the connection that is read, the copy is the
// database as that transaction sees it, whatever others write meanwhile.
func (c *Conn) Backup(from *Conn) (*sqlite.Backup, error) {
	return sqlite.NewBackup(c.Conn, "main", from.Conn, "main")
}
