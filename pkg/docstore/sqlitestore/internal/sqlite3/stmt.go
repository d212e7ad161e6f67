package sqlite3

import (
	"bytes"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Stmt is a prepared statement. A use of it gives values to its parameters, counted from 1, steps through its rows,
// reads their columns, counted from 0, and ends with Reset.
type Stmt struct {
	conn   *Conn
	handle uintptr
	values memory
	// failed is the error of the first parameter that could not be set. Step returns it.
	failed error
}

// BindInt sets parameter i to an integer.
func (s *Stmt) BindInt(i int, v int64) {
	s.bound(lib.Xsqlite3_bind_int64(s.conn.tls, s.handle, int32(i), v))
}

// BindNull sets parameter i to NULL.
func (s *Stmt) BindNull(i int) {
	s.bound(lib.Xsqlite3_bind_null(s.conn.tls, s.handle, int32(i)))
}

// BindBlob sets parameter i to a blob.
func (s *Stmt) BindBlob(i int, v []byte) {
	if at := hold(&s.values, v); s.held(at) {
		s.bound(lib.Xsqlite3_bind_blob(s.conn.tls, s.handle, int32(i), at, int32(len(v)), lib.SQLITE_STATIC))
	}
}

// BindText sets parameter i to a text.
func (s *Stmt) BindText(i int, v string) { s.bindText(i, hold(&s.values, v), len(v)) }

// BindTextBytes sets parameter i to a text that is given as bytes.
func (s *Stmt) BindTextBytes(i int, v []byte) { s.bindText(i, hold(&s.values, v), len(v)) }

func (s *Stmt) bindText(i int, at uintptr, n int) {
	if s.held(at) {
		s.bound(lib.Xsqlite3_bind_text(s.conn.tls, s.handle, int32(i), at, int32(n), lib.SQLITE_STATIC))
	}
}

func (s *Stmt) held(at uintptr) bool {
	if at == 0 && s.failed == nil {
		s.failed = errNoMemory
	}
	return at != 0
}

func (s *Stmt) bound(rc int32) {
	if rc != lib.SQLITE_OK && s.failed == nil {
		s.failed = s.conn.error(rc)
	}
}

// Step goes to the next row and reports whether there is one. It fails with the error of a parameter that could not be
// set, or with an *Error of SQLite.
func (s *Stmt) Step() (bool, error) {
	if s.failed != nil {
		return false, s.failed
	}
	switch rc := lib.Xsqlite3_step(s.conn.tls, s.handle); rc {
	case lib.SQLITE_ROW:
		return true, nil
	case lib.SQLITE_DONE:
		return false, nil
	default:
		return false, s.conn.error(rc)
	}
}

// Int returns a column of the row as an integer.
func (s *Stmt) Int(column int) int64 {
	return lib.Xsqlite3_column_int64(s.conn.tls, s.handle, int32(column))
}

// Bytes returns a copy of a column of the row, a text or a blob. It returns nil if the column is empty or NULL.
func (s *Stmt) Bytes(column int) []byte { return bytes.Clone(s.View(column)) }

// Size returns the length of a column of the row, a text or a blob, in bytes. It is 0 if the column is NULL.
func (s *Stmt) Size(column int) int {
	return int(lib.Xsqlite3_column_bytes(s.conn.tls, s.handle, int32(column)))
}

// Text returns a column of the row, a text. ok is false if it is NULL.
func (s *Stmt) Text(column int) (text string, ok bool) {
	if lib.Xsqlite3_column_type(s.conn.tls, s.handle, int32(column)) == lib.SQLITE_NULL {
		return "", false
	}
	return string(s.View(column)), true
}

// CopyTo copies a column of the row, a blob, into to.
func (s *Stmt) CopyTo(to []byte, column int) { copy(to, s.View(column)) }

// View returns a column of the row, a text or a blob, in SQLite's own memory. It is valid until the next Step or
// Reset. It is nil if the column is empty or NULL.
func (s *Stmt) View(column int) []byte {
	// A text that is asked for as a blob is not copied. Asked for as a text, it is copied to get a terminating zero.
	at := lib.Xsqlite3_column_blob(s.conn.tls, s.handle, int32(column))
	if at == 0 {
		return nil
	}
	n := lib.Xsqlite3_column_bytes(s.conn.tls, s.handle, int32(column))
	return libc.GoBytes(at, int(n))
}

// Reset ends a use of the statement. It returns no error, because Step has returned it already.
func (s *Stmt) Reset() {
	lib.Xsqlite3_reset(s.conn.tls, s.handle)
	s.values.clear()
	s.failed = nil
}

// Run runs a statement, ignores its rows, and resets it. It returns the errors of Step.
func (s *Stmt) Run() error {
	defer s.Reset()
	for {
		if row, err := s.Step(); err != nil || !row {
			return err
		}
	}
}
