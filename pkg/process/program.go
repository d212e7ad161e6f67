package process

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/setting"
)

// Program is a command with settings, which package setting reads. A wrong value or an unknown name ends the start
// with one line that names the setting; an unknown variable that looks like no setting is logged and ignored. Every
// program knows the settings that this module declares, so that programs may share an environment.
type Program struct {
	// Name is the name of the command, and Summary describes it in one line of --help.
	Name, Summary string
	// Flags declares the settings beyond those of every process; nil if there are none.
	Flags func(*pflag.FlagSet)
	// Defaults replaces the defaults of settings, by name.
	Defaults map[string]string
	// Usage changes what --help of the command shows; nil for cobra's own. It is a function so that a program without
	// one is linked without templates, which cost its image 8 MB.
	Usage func(*cobra.Command)
	// Foreign holds the names of other programs' settings, which may occur in a shared environment or file.
	Foreign []string
	// Run runs the process until ctx ends.
	Run func(ctx context.Context, p *Process) error
}

// Main runs the program until SIGINT or SIGTERM. It does not return. A second signal ends the process at once.
func (g Program) Main() {
	os.Exit(g.Execute(UntilSignal(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// Execute runs the program with arguments and an environment and returns its exit status: 0, or 1 after a line on
// stderr that says why. Logs go to stderr too.
func (g Program) Execute(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	command := g.Command(environ, stderr)
	command.SetArgs(append([]string{}, args...)) // for nil it takes those of the process
	command.SetOut(stdout)
	command.SetErr(stderr)
	if err := command.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", g.Name, err)
		return 1
	}
	return 0
}

// Command returns the program as a command, which may be one of several. Its settings come from environ and its log
// goes to stderr. It has a command health, which asks the running program whether it is ready.
func (g Program) Command(environ []string, stderr io.Writer) *cobra.Command {
	var own Settings
	command := &cobra.Command{
		Use: g.Name, Short: g.Summary, Args: cobra.NoArgs, Version: CurrentBuild().String(),
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	flags := command.PersistentFlags()
	flags.String(setting.ConfigFlag, "", "YAML file with settings; its keys are the names of the flags")
	own.Register(flags)
	if g.Flags != nil {
		g.Flags(flags)
	}
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return setting.CommandLine(flags, err) })
	read := g.resolved(command, g.setDefaults(flags), environ)
	command.AddCommand(healthCommand(g.Name, read, &own))
	if g.Usage != nil {
		g.Usage(command)
	}
	command.RunE = func(command *cobra.Command, _ []string) error {
		ignored, err := read()
		if err != nil {
			return err
		}
		if err := own.checkOrganisations(); err != nil {
			return err
		}
		patience.Set(own.Patience)
		tuneCollector(own.memory())
		keepFilesPrivate()
		p := NewProcess(own, NewLog(stderr, own.LogFormat, own.LogLevel))
		p.stdout = command.OutOrStdout()
		defer p.close()
		for _, one := range ignored {
			p.Log.Warn("a variable is ignored: "+setting.WhyIgnored, "variable", one.Variable, "nearest", one.Nearest)
		}
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
