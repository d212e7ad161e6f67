package documentdb

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// partial ends the name of a folder while it is being made.
const partial = ".partial"

// copyTree copies a folder of PostgreSQL's data. The copy appears under its name when it is whole.
func copyTree(from, to string) error {
	made := to + partial
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(made, relative)
		if entry.IsDir() {
			err = os.Mkdir(target, 0o700)
		} else {
			err = copyFile(path, target)
		}
		if err != nil {
			return err
		}
		return os.Chown(target, user, user)
	})
	if err != nil {
		return err
	}
	return os.Rename(made, to)
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
