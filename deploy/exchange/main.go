// Command exchange runs the Insurance Exchange Service on one machine, and is a client of one that runs anywhere.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/backup"
	"insurance.example/exchange/deploy/exchange/check"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/desk"
	"insurance.example/exchange/deploy/exchange/follow"
	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/pkg/process"
)

func main() {
	os.Exit(client.Report(os.Stderr, command().ExecuteContext(process.UntilSignal())))
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:     "exchange",
		Short:   "The Insurance Exchange Service: run it on this machine, or call one that runs anywhere",
		Version: process.CurrentBuild().String(),
		Example: `  exchange run
  exchange create vehicle --body '{"plateNumber":"EX 2026","vin":"WVWZZZ1JZXW000001"}'
  exchange import vehicle fleet.csv
  source <(exchange completion bash)`,
		SilenceUsage: true, SilenceErrors: true,
		Args: knownCommand, RunE: func(root *cobra.Command, _ []string) error { return root.Help() },
	}
	process.WrapUsage(root)
	environ := os.Environ()
	around := client.Surroundings{
		Environ: environ, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, IssueToken: local.Issuing(environ),
	}
	clients := slices.Concat(client.Commands(around), follow.Commands(around), desk.Commands(around))
	root.AddGroup(&cobra.Group{ID: "run", Title: "Run an exchange:"},
		&cobra.Group{ID: "client", Title: "Call an exchange:"})
	grouped(root, "run", allinone.RunProgram(os.Stdout).Command(environ, os.Stderr),
		check.Command(environ, os.Stdout, os.Stderr))
	grouped(root, "run", backup.Commands(environ, os.Stdout, os.Stderr)...)
	grouped(root, "client", append(clients, local.TokenCommand(environ, os.Stdout),
		local.LinkCommand(environ, os.Stdout, client.DefaultURL), conformance.Command(environ, os.Stdout))...)
	return root
}

func grouped(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// knownCommand refuses a command line that names an unknown command.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		return client.Misuse(fmt.Sprintf("there is no command %q; did you mean %s?", args[0],
			strings.Join(near, " or ")))
	}
	return client.Misuse(fmt.Sprintf("there is no command %q; exchange --help lists them", args[0]))
}
