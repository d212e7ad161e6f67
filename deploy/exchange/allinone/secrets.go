package allinone

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/service"
)

// SecretsCommand returns the command that creates what the processes of an exchange share: the keys of local tokens, and
// the credential by which a service knows the gateway and the other services. What exists stays as it is.
func SecretsCommand(environ []string) *cobra.Command {
	var data, credential string
	command := &cobra.Command{
		Use: "secrets", Short: "Create the keys of local tokens and the credential that processes share, unless they exist",
		Example: "  local secrets --data /data --credential-file /credential/settings.yaml",
		Args:    cobra.NoArgs, Version: service.CurrentBuild().String(),
		RunE: func(*cobra.Command, []string) error {
			if credential == "" {
				return errors.New("setting credential-file: give the file that the credential is written to")
			}
			if _, err := auth.OpenSigner(keyFolder(data)); err != nil {
				return fmt.Errorf("setting data: %w", err)
			}
			if err := createCredential(credential); err != nil {
				return fmt.Errorf("setting credential-file: %w", err)
			}
			return nil
		},
	}
	flags := command.Flags()
	registerData(flags, &data)
	if fromEnvironment := lookup(environ, "EXCHANGE_DATA"); fromEnvironment != "" {
		data = fromEnvironment
		flags.Lookup(settings.Data).DefValue = data
	}
	flags.StringVar(&credential, "credential-file", "", "file of settings (YAML) that the credential is written to; processes read it with --config")
	return command
}

// createCredential writes a file of settings with a new credential, readable by its owner only. A file that exists stays.
func createCredential(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	secret, err := newSecret()
	if err != nil {
		return err
	}
	// It appears under its name when it is whole: another process may be waiting for it.
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = fmt.Fprintf(draft, "credential: %s\n", secret)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); !errors.Is(err, fs.ErrExist) { // a link does not replace what is there
		return err
	}
	return nil
}
