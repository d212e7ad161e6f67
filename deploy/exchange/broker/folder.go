package broker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"insurance.example/exchange/pkg/kafka/cluster"
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

// SettingsIn says how the broker is reached that uses a folder, or that has used it last.
func SettingsIn(folder string) (cluster.Settings, error) {
	address, err := os.ReadFile(filepath.Join(folder, addressFile))
	if err != nil {
		return cluster.Settings{}, err
	}
	var settings cluster.Settings
	switch _, err := os.Stat(filepath.Join(folder, passwordFile)); {
	case err == nil:
		settings = secured(folder)
	case !errors.Is(err, fs.ErrNotExist):
		return settings, err
	}
	settings.Brokers = []string{strings.TrimSpace(string(address))}
	return settings, nil
}

// passwordFile is the file in the folder of a broker that holds the password of its clients.
const passwordFile = "password"

// passwordIn returns the password in the folder of a broker, which it makes if there is none.
func passwordIn(folder string) (string, error) {
	path := filepath.Join(folder, passwordFile)
	text, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(text)), err
	}
	password := rand.Text()
	next := path + ".new"
	if err := os.WriteFile(next, []byte(password+"\n"), 0o600); err != nil {
		return "", err
	}
	return password, os.Rename(next, path)
}

// secured returns the settings of a client that proves that it knows the password in the folder of a broker.
func secured(folder string) cluster.Settings {
	return cluster.Settings{
		SASL: cluster.ScramSHA256, User: user, PasswordFile: filepath.Join(folder, passwordFile),
	}
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
