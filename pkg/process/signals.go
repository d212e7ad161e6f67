package process

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the exit status of a program that a second signal ends, as shells give it after Ctrl-C.
const interrupted = 130

// UntilSignal returns a context that is cancelled by SIGINT or SIGTERM, upon which a program ends in good order. A
// second signal ends the process at once. Leaving the second signal to the operating system would not do: a process
// that a script starts in the background inherits that SIGINT is ignored.
func UntilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(interrupted)
	}()
	return ctx
}
