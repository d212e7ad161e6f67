// Package sqlite3 makes the few calls of SQLite's C interface that the store needs. It uses the translation of SQLite
// to Go on which modernc.org/sqlite is built.
//
// The store does not use database/sql, because the most frequent operation would cost more. A read by id took 33 µs of
// processor time through database/sql, 16 µs through its driver alone, and 12 µs here, nearly all of it in SQLite. The
// driver asks for the column names with every query, and starts a goroutine for every query that can be cancelled.
//
// A connection and its statements serve one goroutine at a time.
package sqlite3

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Mode says whether a connection may write.
type Mode int32

// ReadWrite creates the database if it is missing. ReadOnly cannot change it.
const (
	ReadWrite Mode = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_CREATE
	ReadOnly  Mode = lib.SQLITE_OPEN_READONLY
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

// pointerSize is the size in bytes of the memory into which SQLite writes a handle.
const pointerSize = int(unsafe.Sizeof(uintptr(0)))

// errNoMemory is the error of an allocation.
var errNoMemory = errors.New("sqlite: out of memory")

// Conn is a connection to a database file.
type Conn struct {
	tls    *libc.TLS
	handle uintptr
	stmts  []*Stmt

	// under is the context whose end interrupts the statements of the connection.
	under context.Context
	// progress is the function that SQLite asks whether to go on. SQLite holds its address where the garbage collector
	// does not look, so it is kept here.
	progress func(*libc.TLS, uintptr) int32
}

// progressSteps is how many steps of its virtual machine SQLite takes between two questions whether to go on. It takes
// about ten million a second, so a statement ends within a fraction of a millisecond, and asking costs nothing that can
// be measured.
const progressSteps = 1000

// Open connects to the database in the file at path.
func Open(path string, mode Mode, sharing Sharing) (*Conn, error) {
	c := &Conn{tls: libc.NewTLS()}
	cell := libc.Xcalloc(c.tls, 1, lib.Tsize_t(pointerSize))
	if cell == 0 {
		return nil, errNoMemory
	}
	defer libc.Xfree(c.tls, cell)
	file, err := libc.CString(path)
	if err != nil {
		return nil, errNoMemory
	}
	defer libc.Xfree(c.tls, file)
	var system uintptr // how SQLite reaches files; 0 is the usual way
	if sharing != WithOthers {
		if system, err = libc.CString(string(sharing)); err != nil {
			return nil, errNoMemory
		}
		defer libc.Xfree(c.tls, system)
	}

	// NOMUTEX: one goroutine at a time uses a connection, so SQLite need not lock it with every call.
	rc := lib.Xsqlite3_open_v2(c.tls, file, cell, int32(mode)|lib.SQLITE_OPEN_NOMUTEX, system)
	c.handle = libc.AtomicLoadPUintptr(cell)
	if rc != lib.SQLITE_OK {
		err := c.error(rc)
		return nil, fmt.Errorf("open %s: %w", path, errors.Join(err, c.Close()))
	}
	lib.Xsqlite3_extended_result_codes(c.tls, c.handle, 1)
	return c, nil
}

// Exec runs one or more statements that have no parameters. Their rows are ignored.
func (c *Conn) Exec(sql string) error {
	text, err := libc.CString(sql)
	if err != nil {
		return errNoMemory
	}
	defer libc.Xfree(c.tls, text)
	if rc := lib.Xsqlite3_exec(c.tls, c.handle, text, 0, 0, 0); rc != lib.SQLITE_OK {
		return fmt.Errorf("%s: %w", sql, c.error(rc))
	}
	return nil
}

// WithoutTriggers turns the triggers of the database off for the statements of this connection.
func (c *Conn) WithoutTriggers() error {
	// The values of a C function with variable arguments: int and int *, each in eight bytes.
	values := libc.Xcalloc(c.tls, 2, 8)
	if values == 0 {
		return errNoMemory
	}
	defer libc.Xfree(c.tls, values)
	if rc := lib.Xsqlite3_db_config(c.tls, c.handle, lib.SQLITE_DBCONFIG_ENABLE_TRIGGER, values); rc != lib.SQLITE_OK {
		return c.error(rc)
	}
	return nil
}

// Prepare compiles one statement. It stays usable until the connection is closed.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	cell := libc.Xcalloc(c.tls, 1, lib.Tsize_t(pointerSize))
	if cell == 0 {
		return nil, errNoMemory
	}
	defer libc.Xfree(c.tls, cell)
	text, err := libc.CString(sql)
	if err != nil {
		return nil, errNoMemory
	}
	defer libc.Xfree(c.tls, text)
	if rc := lib.Xsqlite3_prepare_v3(c.tls, c.handle, text, -1, lib.SQLITE_PREPARE_PERSISTENT, cell,
		0); rc != lib.SQLITE_OK {
		return nil, fmt.Errorf("%s: %w", sql, c.error(rc))
	}
	s := &Stmt{conn: c, handle: libc.AtomicLoadPUintptr(cell), values: memory{tls: c.tls}}
	c.stmts = append(c.stmts, s)
	return s, nil
}

// Changes returns how many rows the last statement inserted, updated or deleted.
func (c *Conn) Changes() int { return int(lib.Xsqlite3_changes(c.tls, c.handle)) }

// TotalChanges returns how many rows all statements of the connection inserted, updated or deleted. It does not go
// down when a transaction is taken back.
func (c *Conn) TotalChanges() int64 { return lib.Xsqlite3_total_changes64(c.tls, c.handle) }

// InTransaction reports whether a transaction is open. SQLite ends one by itself after some errors, such as a full
// disk.
func (c *Conn) InTransaction() bool { return lib.Xsqlite3_get_autocommit(c.tls, c.handle) == 0 }

// Interruptible lets Under have an effect. It is called before the first statement of the connection.
func (c *Conn) Interruptible() {
	c.under = context.Background()
	c.progress = func(*libc.TLS, uintptr) int32 {
		if c.under.Err() != nil {
			return 1
		}
		return 0
	}
	// The translated SQLite takes the address of a Go function value as a C function.
	address := *(*uintptr)(unsafe.Pointer(&c.progress))
	lib.Xsqlite3_progress_handler(c.tls, c.handle, progressSteps, address, 0)
}

// Under makes the statement that runs on the connection when a context ends fail soon, and every further one that
// takes more than a moment, until it is called again with another context. It does not use sqlite3_interrupt, because
// SQLite forgets that if no statement has begun to run: a statement that is about to begin would run to its end.
func (c *Conn) Under(ctx context.Context) { c.under = ctx }

// Close finishes the connection's statements and closes it.
func (c *Conn) Close() error {
	defer c.tls.Close()
	for _, s := range c.stmts {
		lib.Xsqlite3_finalize(c.tls, s.handle)
		s.values.release()
	}
	if rc := lib.Xsqlite3_close_v2(c.tls, c.handle); rc != lib.SQLITE_OK {
		return c.error(rc)
	}
	return nil
}

// Sizes in bytes: what is allocated for the values of a statement at first, and what a statement may keep between two
// uses.
const (
	firstBlock  = 1 << 12
	largestKept = 1 << 16
)

// memory holds the values of a statement while SQLite reads them. It lies outside of Go's heap, because SQLite must not
// keep pointers into that. It grows by blocks, so that its values never move.
type memory struct {
	tls *libc.TLS
	// full are the blocks before the one in use.
	full  []uintptr
	block uintptr
	size  int
	used  int
}

// hold stores a copy of v until clear and returns its address. It returns 0 if no memory is left.
func hold[T string | []byte](m *memory, v T) uintptr {
	// An empty value takes a byte too, because for SQLite the address 0 means that there is no value.
	n := max(len(v), 1)
	if m.used+n > m.size && !m.grow(n) {
		return 0
	}
	at := m.block + uintptr(m.used)
	m.used += n
	copy(libc.GoBytes(at, len(v)), v)
	return at
}

// grow starts a block that has room for n bytes.
func (m *memory) grow(n int) bool {
	size := max(firstBlock, 2*m.size, n)
	block := libc.Xmalloc(m.tls, lib.Tsize_t(size))
	if block == 0 {
		return false
	}
	if m.block != 0 {
		m.full = append(m.full, m.block)
	}
	m.block, m.size, m.used = block, size, 0
	return true
}

// clear forgets the values. It keeps one block for the next use, unless the block is large.
func (m *memory) clear() {
	for _, block := range m.full {
		libc.Xfree(m.tls, block)
	}
	m.full, m.used = m.full[:0], 0
	if m.size > largestKept {
		m.release()
	}
}

// release frees everything.
func (m *memory) release() {
	for _, block := range m.full {
		libc.Xfree(m.tls, block)
	}
	if m.block != 0 {
		libc.Xfree(m.tls, m.block)
	}
	*m = memory{tls: m.tls}
}
