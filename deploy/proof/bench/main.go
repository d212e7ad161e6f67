// Command bench measures the exchange in one process against a bare Gin handler that returns the same bytes from
// memory, or as separate processes against Go's reverse proxy in front of that handler. It starts both, drives them
// in turn over loopback with the same client, and prints a table of their ratio, of the CPU time that both use for a
// request, and of what the exchange allocates for it, which other load on the machine affects least. Every record
// that the exchange has acknowledged is durable; the bare handler stores nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"insurance.example/exchange/deploy/proof/bench/comparison"
	"insurance.example/exchange/deploy/proof/bench/hostile"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// serving are the processes that this command is with one of these arguments.
var serving = map[string]func(io.Reader, io.Writer) error{
	sides.BareCommand: sides.ServeBare, sides.ProxyCommand: sides.ServeProxy, hostile.HordeCommand: hostile.ServeHorde,
}

func main() {
	if len(os.Args) > 1 && serving[os.Args[1]] != nil {
		if err := serving[os.Args[1]](os.Stdin, os.Stdout); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", os.Args[1], err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// The arguments that make this command compare reports that it has kept, draw those of -scale, and measure the
// allocations of a request and write them into a file.
const (
	compareCommand     = "compare"
	drawCommand        = "draw"
	allocationsCommand = "allocations"
)

// command runs what the command line asks for.
func command(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == compareCommand {
		return report.Compare(args[1:], os.Stdout)
	}
	if len(args) > 0 && args[0] == drawCommand {
		return report.Draw(args[1:])
	}
	if len(args) > 0 && args[0] == allocationsCommand {
		if len(args) != 2 {
			return errors.New("allocations takes the file to write, as in: bench allocations deploy/proof/bench/allocations.json")
		}
		return comparison.UpdateAllocations(ctx, sibling("exchange"), args[1], os.Stdout)
	}
	return run(ctx, parse(args), os.Stdout)
}

// parse parses the command line. It ends the process if the command line is wrong or asks for help.
func parse(args []string) arguments {
	var a arguments
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.StringVar(&a.Command, "exchange", sibling("exchange"), "command of the exchange")
	flags.DurationVar(&a.Duration, "duration", 10*time.Second, "how long each side of a row is driven")
	flags.IntVar(&a.Connections, "connections", 16, "connections that ask at the same time")
	flags.IntVar(&a.Policies, "policies", 1000, "policies, each with a vehicle and a claim, that the rows are about")
	flags.Func("only", "measure only the rows whose name matches this regular `expression`", func(text string) (err error) {
		a.Only, err = regexp.Compile(text)
		return err
	})
	flags.BoolVar(&a.Processes, "processes", false, "measure the gateway and the services as separate processes, from the commands beside that of the exchange, also with -mongo")
	flags.BoolVar(&a.Mongo, "mongo", false, "measure with records in MongoDB, against its driver alone")
	flags.StringVar(&a.MongoURL, "mongo-url", "", "`URL` of an empty MongoDB for -mongo; without it a server that stands in for MongoDB is started, as root on Debian")
	flags.BoolVar(&a.pocketBase, "pocketbase", false, "measure against PocketBase with the same records")
	flags.BoolVar(&a.scale, "scale", false, "measure reads before and after loading records straight into the store")
	flags.BoolVar(&a.aging, "aging", false, "measure requests about a record before and after thousands of changes, and receipts of a row of a million")
	flags.BoolVar(&a.hostile, "hostile", false, "measure what hostile requests cost the exchange, and those who use it meanwhile")
	flags.BoolVar(&a.overload, "overload", false, "measure what is served when three times as much is asked for as can be served")
	flags.BoolVar(&a.Together, "together", false, "with -overload, let the exchange and its callers share all cores, in place of one for each")
	flags.IntVar(&a.Callers, "callers", 0, "callers of each row of -overload, in place of those in its name")
	flags.IntVar(&a.Count, "count", 1_000_000, "vehicles, and policies, that -scale loads, and receipts that -aging loads")
	flags.StringVar(&a.Keep, "keep", "", "`folder` in which -scale leaves what it has loaded, and finds it the next time")
	flags.BoolVar(&a.check, "check", false, "end with status 1 if a row is below its target or has errors")
	flags.StringVar(&a.json, "json", "", "keep every slice of every row in this `file`, but for -aging, -hostile and -overload")
	_ = flags.Parse(args) // ends the process itself
	if flags.NArg() > 0 || a.Duration <= 0 || a.Connections < 1 || a.Policies < 1 || a.Count < 1 || a.Callers < 0 {
		fmt.Fprintln(flags.Output(), "bench takes no arguments; duration, connections, policies and count are greater than 0, and callers is not negative")
		flags.Usage()
		os.Exit(2)
	}
	if a.json != "" && (a.aging || a.hostile || a.overload) {
		fmt.Fprintln(flags.Output(), "bench keeps nothing of -aging, -hostile and -overload with -json")
		os.Exit(2)
	}
	return a
}

// sibling returns the path of another command in the folder of this one.
func sibling(command string) string {
	self, err := os.Executable()
	if err != nil {
		return command
	}
	return filepath.Join(filepath.Dir(self), command)
}
