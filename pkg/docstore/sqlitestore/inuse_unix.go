//go:build unix

package sqlitestore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The bytes of a file on which SQLite has its exclusive lock.
const (
	lockedFrom   = 0x40000002
	lockedLength = 510
)

// InUse reports whether a store of another process has the database in the file at path open. It must not be called
// by a process that itself has the database open in a Store: the operating system would release that one's lock.
func InUse(path string) (bool, error) {
	file, err := os.OpenFile(lockFile(path), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, unavailable(withRemedy(lockFile(path), err))
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: lockedFrom, Len: lockedLength}
	err = syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock)
	if err = errors.Join(err, file.Close()); err != nil {
		return false, unavailable(withRemedy(lockFile(path), err))
	}
	return lock.Type != syscall.F_UNLCK, nil
}
