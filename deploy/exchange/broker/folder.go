package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// ErrInUse is the error for a folder that another broker uses.
var ErrInUse = errors.New("is in use by another process; stop that one, or choose another folder")

// openFolder creates the folder of a broker if it is missing, and locks it: two brokers would write over each other's
// log. The operating system releases the lock with the process, however that ends.
func openFolder(path string) (*flock.Flock, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(path, "lock"), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("the folder %s %w", path, ErrInUse)
	}
	if err := makePrivate(path); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// addressFile is the file in the folder of a broker that holds the address on which it listens.
const addressFile = "address"

func writeAddress(folder, address string) error {
	return os.WriteFile(filepath.Join(folder, addressFile), []byte(address+"\n"), 0o600)
}

// AddressIn returns the address of the broker that uses a folder, or that has used it last.
func AddressIn(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, addressFile))
	return strings.TrimSpace(string(text)), err
}

// makePrivate takes the access rights of everybody but the owner from what is in the folder. Earlier versions created
// files that others could read.
func makePrivate(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o077)
	})
}
