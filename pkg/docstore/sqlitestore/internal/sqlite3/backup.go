package sqlite3

import (
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Backup copies all pages of one database into another. If a transaction is open on the connection that is read, the
// copy is the database as that transaction sees it, whatever others write meanwhile.
type Backup struct {
	to     *Conn
	handle uintptr
}

// mainDatabase is SQLite's name for the database of a connection.
const mainDatabase = "main"

// Backup starts to replace the database of the connection by that of another connection. Neither may be used for
// anything else until Finish.
func (c *Conn) Backup(from *Conn) (*Backup, error) {
	name, err := libc.CString(mainDatabase)
	if err != nil {
		return nil, errNoMemory
	}
	defer libc.Xfree(c.tls, name)
	handle := lib.Xsqlite3_backup_init(c.tls, c.handle, name, from.handle, name)
	if handle == 0 {
		return nil, c.error(lib.Xsqlite3_errcode(c.tls, c.handle))
	}
	return &Backup{to: c, handle: handle}, nil
}

// Step copies up to a number of pages, and reports whether there are more. After it, total is the number of all
// pages, and left the number of those that are not copied yet.
func (b *Backup) Step(pages int) (more bool, total, left int, err error) {
	tls := b.to.tls
	rc := lib.Xsqlite3_backup_step(tls, b.handle, int32(pages))
	total, left = int(lib.Xsqlite3_backup_pagecount(tls, b.handle)), int(lib.Xsqlite3_backup_remaining(tls, b.handle))
	switch rc {
	case lib.SQLITE_OK:
		return true, total, left, nil
	case lib.SQLITE_DONE:
		return false, total, left, nil
	default:
		// The connection does not hold the error until Finish, which returns it as well.
		return false, total, left, &Error{Code: rc, Message: libc.GoString(lib.Xsqlite3_errstr(tls, rc))}
	}
}

// Finish ends the copying. If it was not done, the database that was written is empty or as it was.
func (b *Backup) Finish() error {
	if rc := lib.Xsqlite3_backup_finish(b.to.tls, b.handle); rc != lib.SQLITE_OK {
		return b.to.error(rc)
	}
	return nil
}
