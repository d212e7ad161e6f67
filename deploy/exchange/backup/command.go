package backup

import (
	_ "embed"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/texts"
	"insurance.example/exchange/pkg/setting"
)

//go:embed commands.yaml
var commands []byte

// described makes a command with its texts.
var described = texts.Of(commands)

// Commands returns the commands backup and restore. Their settings come from environ, where their flags do not give
// them. They say on notes how far they have come.
func Commands(environ []string, out, notes io.Writer) []*cobra.Command {
	return []*cobra.Command{backupCommand(environ, out, notes), restoreCommand(environ, out, notes)}
}

func backupCommand(environ []string, out, notes io.Writer) *cobra.Command {
	command := described("backup")
	data := register(command, "folder of the exchange's data, whose records are copied")
	command.RunE = func(command *cobra.Command, args []string) error {
		folder, err := resolved(command, environ, args, notes)
		if err != nil {
			return err
		}
		backup, err := take(command.Context(), *data, folder, notes)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "The backup is in %s. It has every record that was acknowledged before %s.\n"+
			"  %s %10s  sha256 %s\n", folder, backup.began.Format(time.RFC3339), backup.name, size(backup.bytes),
			backup.sums[backup.name])
		return err
	}
	return command
}

func restoreCommand(environ []string, out, notes io.Writer) *cobra.Command {
	command := described("restore")
	data := register(command, "folder that the data is restored into")
	command.RunE = func(command *cobra.Command, args []string) error {
		folder, err := resolved(command, environ, args, notes)
		if err != nil {
			return err
		}
		if err := restore(command.Context(), folder, *data, notes); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "The data is in %s. Run the exchange with it: exchange run --data %s\n", *data,
			client.Quoted(*data))
		return err
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
