package sqlite3

import (
	"errors"
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Error is a failure that SQLite reports.
type Error struct {
	// Code is the extended result code.
	Code int32
	// Message is SQLite's description of the failure, in English.
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("sqlite: %s (%d)", e.Message, e.Code) }

// error returns the last failure of the connection, which had the result code rc.
func (c *Conn) error(rc int32) *Error {
	if c.handle == 0 {
		return &Error{Code: rc, Message: libc.GoString(lib.Xsqlite3_errstr(c.tls, rc))}
	}
	return &Error{Code: rc, Message: libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.handle))}
}

// NotUnique reports whether err is the refusal of a primary key or a unique index. The message it returns names the
// columns as "table.column, table.column".
func NotUnique(err error) (message string, ok bool) {
	var e *Error
	if !errors.As(err, &e) {
		return "", false
	}
	switch e.Code {
	case lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_PRIMARYKEY:
		return e.Message, true
	}
	return "", false
}

// Busy reports whether err means that another connection holds a lock that was asked for.
func Busy(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code&0xff == lib.SQLITE_BUSY
}

// Full reports whether err means that the disk has no space left.
func Full(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code&0xff == lib.SQLITE_FULL || e.Code == lib.SQLITE_IOERR_SHMSIZE)
}

// NoIndex reports whether err means that the index of a log, which processes share, could not be made for lack of
// space.
func NoIndex(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == lib.SQLITE_IOERR_SHMSIZE
}

// WriteFailed reports whether err means that the file system refused to write, for another reason than a full disk: a
// quota, a limit of the process, or a fault.
func WriteFailed(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case lib.SQLITE_IOERR_WRITE, lib.SQLITE_IOERR_FSYNC, lib.SQLITE_IOERR_DIR_FSYNC, lib.SQLITE_IOERR_TRUNCATE:
		return true
	}
	return false
}

// Damaged reports whether err means that the file is no database or is a damaged one.
func Damaged(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code&0xff == lib.SQLITE_CORRUPT || e.Code&0xff == lib.SQLITE_NOTADB)
}

// Forbidden reports whether err means that this user may not write the file or its folder.
func Forbidden(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code & 0xff {
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		return true
	}
	return false
}
