// Command local has what an exchange in containers needs where there is neither an identity provider nor Kafka: the
// secrets that its processes share, tokens for its callers, and a broker. It is the small part of the command exchange.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/pkg/process"
)

func main() {
	root := &cobra.Command{
		Use:     "local",
		Short:   "Secrets, tokens and a broker for an exchange without an identity provider and without Kafka",
		Version: process.CurrentBuild().String(), SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	environ := os.Environ()
	root.AddCommand(
		local.SecretsCommand(environ), local.TokenCommand(environ, os.Stdout),
		local.BrokerProgram(os.Stdout).Command(environ, os.Stderr),
	)
	if err := root.ExecuteContext(process.UntilSignal()); err != nil {
		fmt.Fprintln(os.Stderr, "local:", err)
		os.Exit(1)
	}
}
