package backup

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/pkg/setting"
)

// Commands returns the commands backup and restore. Their settings come from environ, where their flags do not give
// them. They say on notes how far they have come.
func Commands(environ []string, out, notes io.Writer) []*cobra.Command {
	return []*cobra.Command{backupCommand(environ, out, notes), restoreCommand(environ, out, notes)}
}

func backupCommand(environ []string, out, notes io.Writer) *cobra.Command {
	command := &cobra.Command{
		Use:   "backup FOLDER",
		Short: "Copy the records of an exchange on this machine, also while it runs, into a new folder",
		Long: `Copy the records of an exchange on this machine, also while it runs, into a new folder.

The copy has every record that was acknowledged before the command was started, whole. Each file of it is verified by
reading all of it. It has neither the keys of local tokens, which a restored exchange makes anew, nor the log of the
broker, which it does not need. It holds personal data: keep it as you keep the exchange's own.`,
		Example: `  exchange backup backups/monday
  exchange backup "backups/$(date +%Y%m%dT%H%M%S)"`,
	}
	data := register(command, "folder of the exchange's data, whose records are copied")
	command.RunE = func(command *cobra.Command, args []string) error {
		folder, err := resolved(command, environ, args, notes)
		if err != nil {
			return err
		}
		m, err := take(command.Context(), *data, folder, notes)
		if err != nil {
			return err
		}
		return m.print(out, fmt.Sprintf("The backup is in %s.", folder))
	}
	return command
}

func restoreCommand(environ []string, out, notes io.Writer) *cobra.Command {
	command := &cobra.Command{
		Use: "restore BACKUP", Short: "Make a data folder from a backup",
		Long: `Make a data folder from a backup.

The folder must not exist, or be empty. Each file is compared with its checksum and opened before the folder gets its
name; if anything is wrong, nothing is left behind.`,
		Example: `  exchange restore backups/monday --data restored`,
	}
	data := register(command, "folder that the data is restored into")
	command.RunE = func(command *cobra.Command, args []string) error {
		folder, err := resolved(command, environ, args, notes)
		if err != nil {
			return err
		}
		m, err := restore(command.Context(), folder, *data, notes)
		if err != nil {
			return err
		}
		return m.print(out,
			fmt.Sprintf("The data is in %s. Run the exchange with it: exchange run --data %s", *data,
				client.Quoted(*data)))
	}
	return command
}

// register adds the flag of the data folder to a command.
func register(command *cobra.Command, usage string) *string {
	flags := command.Flags()
	data := flags.String(settings.Data, "data", usage)
	flags.String(setting.ConfigFlag, "", "YAML file with settings; its keys are the names of the flags")
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return client.Misuse(setting.CommandLine(flags, err).Error())
	})
	command.Args = func(command *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] == "" {
			return client.Misuse(fmt.Sprintf("%s takes one folder: %s", command.Name(), command.UseLine()))
		}
		return nil
	}
	return data
}

// resolved gives the flags of a command the values of the environment and of the file of settings, and returns its
// argument.
func resolved(command *cobra.Command, environ, args []string, notes io.Writer) (string, error) {
	own := pflag.NewFlagSet(command.Name(), pflag.ContinueOnError)
	own.AddFlag(command.Flags().Lookup(settings.Data))
	own.AddFlag(command.Flags().Lookup(setting.ConfigFlag))
	return args[0], client.Resolve(own, environ, notes)
}

// print writes what a backup consists of.
func (m *manifest) print(w io.Writer, first string) error {
	if _, err := fmt.Fprintf(w, "%s It has every record that was acknowledged before %s.\n", first,
		m.Began.Format(time.RFC3339)); err != nil {
		return err
	}
	for _, e := range m.Files {
		if _, err := fmt.Fprintf(w, "  %-12s %10s  sha256 %s\n", e.Name, size(e.Bytes), e.SHA256); err != nil {
			return err
		}
	}
	return nil
}
