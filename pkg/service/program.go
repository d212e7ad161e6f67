package service

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/setting"
)

// Program is a command: its settings and what it runs.
//
// A setting is a flag. Its value comes from the command line, else from the environment (EXCHANGE_ and the flag's name
// in capitals, underscores for hyphens), else from the YAML file that --config names (keys are the flags' names). A
// wrong value or an unknown name ends the start with one line that says which and from where. The settings that this
// module declares are known to every program, so that programs may share an environment.
type Program struct {
	Name, Summary string
	// Flags declares the settings beyond Settings, if any.
	Flags func(*pflag.FlagSet)
	// Defaults replace defaults of settings, by name.
	Defaults map[string]string
	// Foreign are names of settings of other programs with which this one shares an environment or a file.
	Foreign []string
	// Run runs the process until ctx ends.
	Run func(ctx context.Context, p *Process) error
}

// Main runs the program until SIGINT or SIGTERM and ends the process. A second signal ends it at once.
func (g Program) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // gives the signals their usual effect back
	os.Exit(g.Execute(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// Execute runs the program with arguments and an environment and answers its exit status: 0, or 1 after a line on
// stderr that says why. Logs go to stderr too.
func (g Program) Execute(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	command := g.Command(environ, stderr)
	command.SetArgs(args)
	command.SetOut(stdout)
	command.SetErr(stderr)
	if err := command.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", g.Name, err)
		return 1
	}
	return 0
}

// Command answers the program as a command, alone or as one of several, with its settings in environ and its log on
// stderr.
func (g Program) Command(environ []string, stderr io.Writer) *cobra.Command {
	var own Settings
	command := &cobra.Command{
		Use: g.Name, Short: g.Summary, Args: cobra.NoArgs,
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	flags := command.Flags()
	flags.String(setting.ConfigFlag, "", "YAML file with settings; its keys are the names of the flags")
	own.Register(flags)
	if g.Flags != nil {
		g.Flags(flags)
	}
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return setting.CommandLine(flags, err) })
	defaults := g.setDefaults(flags)
	command.RunE = func(command *cobra.Command, _ []string) error {
		if defaults != nil {
			return defaults
		}
		if err := setting.Resolve(flags, environ, append(sharedNames(), g.Foreign...)); err != nil {
			return err
		}
		tuneCollector()
		p := NewProcess(own, NewLog(stderr, own.LogFormat, own.LogLevel))
		defer p.close()
		return g.Run(command.Context(), p)
	}
	return command
}

func (g Program) setDefaults(flags *pflag.FlagSet) error {
	for name, value := range g.Defaults {
		if err := setting.SetDefault(flags, name, value); err != nil {
			return err
		}
	}
	return nil
}
