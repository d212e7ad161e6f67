// Command local has what an exchange in containers needs where there is no identity provider: the secrets that its
// processes share, and tokens for its callers. It is the small part of the command exchange.
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
		Short:   "Secrets and tokens for an exchange without an identity provider",
		Version: process.CurrentBuild().String(), SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	environ := os.Environ()
	root.AddCommand(local.SecretsCommand(environ), local.TokenCommand(environ, os.Stdout))
	if err := root.ExecuteContext(process.UntilSignal()); err != nil {
		fmt.Fprintln(os.Stderr, "local:", err)
		os.Exit(1)
	}
}
