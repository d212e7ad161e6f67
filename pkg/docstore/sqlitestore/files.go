package sqlitestore

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// makeFiles creates the files of a database, and its folder, if they are missing. Only their owner can access them, and
// SQLite gives its further files the mode of the database. Files that an earlier version created are treated likewise.
func makeFiles(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	for _, name := range []string{path, lockFile(path)} {
		// One that is there is not opened: to close it would end the locks that this process has on it.
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = file.Close()
		}
		if err == nil && name == lockFile(path) {
			err = tellApart(name)
		}
		if err != nil {
			return err
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-lock", "-lock-journal"} {
		info, err := os.Stat(path + suffix)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.Chmod(path+suffix, info.Mode().Perm()&^0o077); err != nil {
			return err
		}
	}
	return nil
}

// tellApart gives a new file a time that no other one has, so that it is told from one that had its place, and that the
// file system may have given the same number. A file that is gone is nobody's any more.
func tellApart(file string) error {
	at := time.Unix(rand.Int64N(1<<30), rand.Int64N(1e9))
	if err := os.Chtimes(file, at, at); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// same reports whether two looks saw one lock file.
func same(before, after os.FileInfo) bool {
	return os.SameFile(before, after) && before.ModTime().Equal(after.ModTime())
}

// withRemedy adds to an error the file that it is about, and what a person can do. An error without a known remedy
// only gets the file.
func withRemedy(path string, err error) error {
	switch {
	case sqlite3.Full(err), errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s cannot be written, because its disk is full; free some space there: %w", path, err)
	case sqlite3.WriteFailed(err):
		return fmt.Errorf(
			"%s cannot be written; free space on the disk, or raise the quota or limit of file sizes (ulimit -f), "+
				"or replace the disk if it fails: %w", path, err)
	case sqlite3.Damaged(err):
		return fmt.Errorf("%s is damaged or is not a database of SQLite; put a copy of it from a backup in its place, "+
			"or move it away with its -wal file to begin without records: %w", path, err)
	case sqlite3.Forbidden(err), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s cannot be opened for writing; give this user the right to write it and its folder: %w",
			path, err)
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
}
