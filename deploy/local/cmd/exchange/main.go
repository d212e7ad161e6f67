// Command exchange runs the Insurance Exchange Service on one machine, and helps to use it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	local "insurance.example/exchange/deploy/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := &cobra.Command{
		Use: "exchange", Short: "The Insurance Exchange Service on one machine",
		SilenceUsage: true, SilenceErrors: true,
	}
	environ := os.Environ()
	root.AddCommand(
		local.RunProgram(os.Stdout).Command(environ, os.Stderr),
		local.BrokerProgram(os.Stdout).Command(environ, os.Stderr),
		local.TokenCommand(environ, os.Stdout),
	)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "exchange:", err)
		os.Exit(1)
	}
}
