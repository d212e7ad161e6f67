package local

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/whole"
)

// SecretsCommand returns the command that creates what the processes of an exchange share: the keys of local tokens,
// and the credential by which a service knows the gateway and the other services. It also creates what a MongoDB of
// their own needs: a password for the user of each service. They become files. What exists stays as it is.
func SecretsCommand(environ []string) *cobra.Command {
	var data, credential, mongoDB string
	command := command(environ, "secrets", &data, func() error {
		if credential == "" {
			return errors.New("setting credential-file: give the file that the credential is written to")
		}
		if _, err := auth.OpenSigner(KeyFolder(data)); err != nil {
			return fmt.Errorf("setting data: %w", err)
		}
		if err := createCredential(credential); err != nil {
			return fmt.Errorf("setting credential-file: %w", err)
		}
		if mongoDB == "" {
			return nil
		}
		if err := createPasswords(mongoDB); err != nil {
			return fmt.Errorf("setting mongodb: %w", err)
		}
		return nil
	})
	flags := command.Flags()
	flags.StringVar(&credential, "credential-file", "",
		"file that the credential is written to; processes read it with the setting of the same name")
	flags.StringVar(&mongoDB, "mongodb", "",
		"folder in which a folder for each service gets the password of its user in MongoDB, and the folder "+
			serverUser+" that of the user who administers, and the key of the replica set")
	return command
}

// serverUser is the user of MongoDB that makes the users of the services, which have the names of the services.
const serverUser = "server"

// createPasswords writes the secrets of MongoDB's users into folders of their own.
func createPasswords(folder string) error {
	// The key is what the members of the replica set know each other by.
	files := []string{filepath.Join(serverUser, "key"), filepath.Join(serverUser, "password")}
	for _, name := range internalapi.Stored() {
		files = append(files, filepath.Join(name, "password"))
	}
	for _, file := range files {
		path := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := createCredential(path); err != nil {
			return err
		}
	}
	return nil
}

// createCredential writes a file with a new credential, readable by its owner only. A file that exists stays.
func createCredential(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	secret, err := NewSecret()
	if err != nil {
		return err
	}
	// It appears under its name when it is whole: another process may be waiting for it.
	if err := whole.Create(path, []byte(secret+"\n")); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// NewSecret returns a new credential.
func NewSecret() (string, error) {
	var secret [32]byte
	_, err := rand.Read(secret[:])
	return hex.EncodeToString(secret[:]), err
}
