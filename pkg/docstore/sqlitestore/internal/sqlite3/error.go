package sqlite3

import "zombiezen.com/go/sqlite"

// is reports whether an error has one of some result codes, primary or extended ones.
func is(err error, codes ...sqlite.ResultCode) bool {
	code := sqlite.ErrCode(err)
	for _, one := range codes {
		if err != nil && (code == one || code.ToPrimary() == one) {
			return true
		}
	}
	return false
}

// NotUnique reports whether err is the refusal of a primary key or a unique index. The message it returns ends in the
// columns, as in "table.column, table.column".
func NotUnique(err error) (message string, ok bool) {
	if !is(err, sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey) {
		return "", false
	}
	return err.Error(), true
}

// Busy reports whether err means that another connection holds a lock that was asked for.
func Busy(err error) bool { return is(err, sqlite.ResultBusy) }

// Full reports whether err means that the disk has no space left.
func Full(err error) bool { return is(err, sqlite.ResultFull, sqlite.ResultIOErrSHMSize) }

// NoIndex reports whether err means that the index of a log, which processes share, could not be made for lack of
// space.
func NoIndex(err error) bool { return is(err, sqlite.ResultIOErrSHMSize) }

// WriteFailed reports whether err means that the file system refused to write, for another reason than a full disk: a
// quota, a limit of the process, or a fault.
func WriteFailed(err error) bool {
	return is(err, sqlite.ResultIOErrWrite, sqlite.ResultIOErrFsync, sqlite.ResultIOErrDirFsync,
		sqlite.ResultIOErrTruncate)
}

// Damaged reports whether err means that the file is no database or is a damaged one.
func Damaged(err error) bool { return is(err, sqlite.ResultCorrupt, sqlite.ResultNotADB) }

// Forbidden reports whether err means that this user may not write the file or its folder.
func Forbidden(err error) bool {
	return is(err, sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultCantOpen)
}
