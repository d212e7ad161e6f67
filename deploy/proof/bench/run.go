package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"insurance.example/exchange/deploy/proof/bench/comparison"
	"insurance.example/exchange/deploy/proof/bench/hostile"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/overload"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// arguments are what the command line says.
type arguments struct {
	measurement.Options
	pocketBase, scale, aging, hostile, overload bool
	check                                       bool
	json                                        string // file that keeps what was measured; "" for none
}

// errBelowTarget is the error of -check if a row is below its target.
var errBelowTarget = errors.New("below target")

// measurement returns the kind of measurement that the arguments ask for.
func (a arguments) measurement() measurement.Kind {
	switch {
	case a.Mongo:
		return comparison.Mongo()
	case a.Processes:
		return comparison.SeparateProcesses()
	case a.pocketBase:
		return comparison.PocketBase()
	case a.scale:
		return comparison.Scale()
	case a.aging:
		return comparison.Aging()
	case a.hostile:
		return hostile.Measurement()
	case a.overload:
		return overload.Measurement()
	default:
		return comparison.OneProcess()
	}
}

// run measures what the arguments ask for and prints it. It returns errBelowTarget if a row is below its target and
// the arguments ask for this check.
func run(ctx context.Context, a arguments, out io.Writer) error {
	asked := a.measurement()
	if a.Only != nil && !slices.ContainsFunc(asked.Rows, a.Only.MatchString) {
		return fmt.Errorf("no row has a name that matches %q", a.Only)
	}
	folder, err := os.MkdirTemp("", "exchange-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if a.Mongo && a.MongoURL == "" {
		server, uri, err := sides.StartMongo(ctx, filepath.Dir(a.Command))
		if err != nil {
			return err
		}
		defer server.Stop()
		a.MongoURL = uri
	}
	started, err := measurement.Start(ctx, a.Options, filepath.Join(folder, "data"), out)
	if err != nil {
		return err
	}
	defer func() { started.Exchange.Stop() }()
	written, err := records.Write(started.Exchange.Client, a.Policies, a.Connections)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "load: %d connections, %v each side of a row, in turn in slices of %v; %d CPUs for all processes\n\n",
		a.Connections, a.Duration, a.Duration/measurement.Turns, runtime.NumCPU())
	met, err := asked.Measure(ctx, started, written)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nexchange: resident %s after the load\n", started.Exchange.Resident())
	if a.json != "" {
		if err := started.Report.Keep(a.json); err != nil {
			return err
		}
	}
	if a.check && (!met || !started.InTime()) {
		return errBelowTarget
	}
	return nil
}
