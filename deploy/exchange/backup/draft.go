package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"insurance.example/exchange/deploy/exchange/client"
)

// draft is a folder under a temporary name. It gets its own name when all that is in it is on the disk, so that what
// has that name is whole, whatever happens.
type draft struct{ path, target string }

// newDraft makes the folder beside the target, readable by its owner only. The target must not exist, or be an empty
// folder.
func newDraft(target, advice string) (*draft, error) {
	target, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, client.Misuse(fmt.Sprintf("%v; %s", err, advice))
	case len(entries) > 0:
		return nil, client.Misuse(fmt.Sprintf("%s is not empty, and nothing in it is written over; %s", target, advice))
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(filepath.Dir(target), filepath.Base(target)+".partial-*")
	return &draft{path, target}, err
}

// file returns the path of a file in the draft.
func (d *draft) file(name string) string { return filepath.Join(d.path, name) }

// keep gives the draft its own name. The files in it must be on the disk.
func (d *draft) keep() error {
	if err := syncFolder(d.path); err != nil {
		return err
	}
	// It does not remove a folder that is not empty.
	if err := os.Remove(d.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; if another file system is mounted there, name a folder in it", err)
	}
	if err := os.Rename(d.path, d.target); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(d.target))
}

// discard removes the draft.
func (d *draft) discard() error { return os.RemoveAll(d.path) }

// syncFolder makes the names in a folder survive a power cut.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such operation
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
