package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// OpenFolder creates the data folder if there is none, and checks that files can be created in it. Its errors say
// what to do.
func OpenFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return folderError(path, err)
	}
	probe, err := os.CreateTemp(path, ".writable-*")
	if err != nil {
		return folderError(path, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return folderError(path, err)
	}
	return nil
}

func folderError(path string, err error) error {
	advice := "choose another folder with --data"
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = "let this user write there, or " + advice
	case errors.Is(err, syscall.ENOSPC):
		advice = "free some space on that disk, or " + advice
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		advice = "a file is in the way; " + advice
	}
	return fmt.Errorf("the folder %s cannot be used: %w; %s", path, err, advice)
}
