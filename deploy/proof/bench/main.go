// Command bench measures the exchange against a bare Gin handler that returns the same bytes from memory, against
// MongoDB's driver, or against bounds. It starts both sides and drives them in turn over loopback with the same
// callers. Every record that the exchange has acknowledged is durable; the bare handler stores nothing.
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
	"runtime"
	"slices"
	"syscall"
	"time"

	"insurance.example/exchange/deploy/proof/bench/comparison"
	"insurance.example/exchange/deploy/proof/bench/desk"
	"insurance.example/exchange/deploy/proof/bench/feed"
	"insurance.example/exchange/deploy/proof/bench/hostile"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/overload"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/sides"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// serving are the processes that this command is with one of these arguments, and one more argument.
var serving = map[string]func(out io.Writer, argument string) error{
	sides.BareCommand: sides.ServeBare, sides.ProxyCommand: sides.ServeProxy, hostile.HordeCommand: hostile.ServeHorde,
	overload.CrowdCommand: overload.ServeCrowd,
}

// kinds are the kinds of measurement, by their flags.
var kinds = []struct {
	flag, usage string
	kind        func() measurement.Kind
}{
	{"scale", "measure reads before and after loading records straight into the store", comparison.Scale},
	{"aging",
		"measure requests about a record before and after thousands of changes, and receipts to a row of a million",
		comparison.Aging},
	{"batch", "measure batches of 50 creations, and the same creations one by one", comparison.Batch},
	{invisible, "measure requests about what another organisation has, and about what nobody has; also with -mongo",
		comparison.Invisible},
	{"hostile", "measure what hostile requests cost the exchange, and those who use it meanwhile", hostile.Measurement},
	{"feed", "measure how fast a reader gets the events of the feed, and how soon", feed.Measurement},
	{"desk", "measure bordereaux of 1,000 to a million lines: prepared, read in pages, exported", desk.Measurement},
	{"overload", "measure what is served when more is asked for than can be served", overload.Measurement},
	{"fair", "measure what a calm caller gets beside crowds", overload.Fair},
}

// invisible and -against are the only kinds that are measured with -mongo as well.
const invisible = "invisible"

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// allocationsCommand is the argument that has the allocations of a request measured, and written into a file.
const allocationsCommand = "allocations"

// command runs what the command line asks for.
func command(args []string) error {
	if len(args) == 2 && serving[args[0]] != nil {
		return serving[args[0]](os.Stdout, args[1])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) == 2 && args[0] == allocationsCommand {
		return comparison.UpdateAllocations(ctx, trial.In(ownFolder()), args[1], os.Stdout)
	}
	return run(ctx, parse(args), os.Stdout)
}

// arguments are what the command line says.
type arguments struct {
	measurement.Options
	kind    measurement.Kind
	check   bool
	results string // file that keeps what was measured; "" for none
}

// parse parses the command line. It ends the process if the command line is wrong or asks for help.
func parse(args []string) arguments {
	var a arguments
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	commands := flags.String("commands", ownFolder(), "`folder` of the commands of the exchange")
	flags.DurationVar(&a.Duration, "duration", 10*time.Second, "how long each side of a row is driven")
	flags.IntVar(&a.Connections, "connections", 16, "connections that ask at the same time")
	flags.IntVar(&a.Policies, "policies", 1000, "policies, each with a vehicle and a claim, that the rows are about")
	flags.Func("only", "measure only the rows whose name matches this regular `expression`",
		func(text string) (err error) {
			a.Only, err = regexp.Compile(text)
			return err
		})
	flags.BoolVar(&a.Processes, "processes", false,
		"measure the gateway and the services as separate processes, also with -mongo")
	flags.BoolVar(&a.Mongo, "mongo", false, "measure with records in MongoDB, against its driver alone")
	flags.StringVar(&a.MongoURL, "mongo-url", "",
		"`URL` of an empty MongoDB for -mongo; without it a server that stands in for MongoDB is started, "+
			"as root on Debian")
	against := flags.String("against", "",
		"measure creations in turn with those of the exchange in another `folder`; also with -mongo")
	flags.BoolVar(&a.Together, "together", false,
		"with -overload and -fair, let the exchange and its callers share all cores, in place of one for each")
	flags.IntVar(&a.Callers, "callers", 0, "callers of each row of -overload and -fair, in place of those in its name")
	flags.IntVar(&a.Count, "count", 1_000_000,
		"vehicles, and policies, that -scale loads, and receipts that -aging and -desk load")
	flags.StringVar(&a.Profiles, "profiles", "",
		"with -overload and -fair, keep a profile of the exchange's CPU time for each row in this `folder`, for "+
			"go tool pprof")
	flags.BoolVar(&a.check, "check", false, "end with status 1 if a row is below its target or has errors")
	flags.StringVar(&a.results, "results", "",
		"append what is measured to this `file`, in Go's benchmark format for benchstat")
	chosen := make([]*bool, len(kinds))
	for i, k := range kinds {
		chosen[i] = flags.Bool(k.flag, false, k.usage)
	}
	_ = flags.Parse(args) // ends the process itself
	a.Commands, a.kind = trial.In(*commands), comparison.Rows(a.Options)
	count, onMongo := 0, false
	for i, k := range kinds {
		if *chosen[i] {
			onMongo = k.flag == invisible
			a.kind = k.kind()
			count++
		}
	}
	if *against != "" {
		a.kind, onMongo = comparison.Against(*against), true
		count++
	}
	if flags.NArg() > 0 || a.Duration <= 0 || a.Connections < 1 || a.Policies < 1 || a.Count < 1 || a.Callers < 0 ||
		count > 1 || count == 1 && (a.Processes || a.Mongo && !onMongo) {
		fmt.Fprintln(flags.Output(),
			"bench takes no arguments and one kind of measurement; duration, connections, policies "+
				"and count are greater than 0, and callers is not negative")
		flags.Usage()
		os.Exit(2)
	}
	return a
}

// ownFolder returns the folder of this command, which the other commands are in as well.
func ownFolder() string {
	self, err := os.Executable()
	if err != nil {
		return "."
	}
	return filepath.Dir(self)
}

// errBelowTarget is the error of -check if a row is below its target.
var errBelowTarget = errors.New("below target")

// run measures what the arguments ask for and prints it. It returns errBelowTarget if a row is below its target and
// the arguments ask for this check.
func run(ctx context.Context, a arguments, out io.Writer) (err error) {
	if a.Only != nil && !slices.ContainsFunc(a.kind.Rows, a.Only.MatchString) {
		return fmt.Errorf("no row has a name that matches %q", a.Only)
	}
	folder, err := os.MkdirTemp("", "exchange-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if a.Mongo && a.MongoURL == "" {
		server, uri, err := sides.StartMongo(a.Commands)
		if err != nil {
			return err
		}
		defer func() { _ = server.Kill() }() // its data goes with it
		a.MongoURL = uri
	}
	var results io.Writer
	if a.results != "" {
		file, err := os.OpenFile(a.results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		results = file
	}
	started, err := measurement.Start(ctx, a.Options, filepath.Join(folder, "data"), out, results)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, started.Exchange.Stop()) }()
	written, err := records.Write(started.Exchange.Client, a.Policies, a.Connections)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "load: %d connections, %v each side of a row, in turn in slices of %v; "+
		"%d CPUs for all processes\n\n",
		a.Connections, a.Duration, a.Duration/measurement.Turns, runtime.NumCPU())
	met, err := a.kind.Measure(ctx, started, written)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nexchange: resident %s after the load\n", started.Exchange.Resident())
	if a.check && (!met || !started.InTime()) {
		return errBelowTarget
	}
	return nil
}
