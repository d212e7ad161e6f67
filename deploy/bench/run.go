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
)

// arguments are what the command line says.
type arguments struct {
	options
	pocketBase, scale, aging, hostile, overload bool
	check                                       bool
	json                                        string // file that keeps what was measured; "" for none
}

// errBelowTarget is the error of -check if a row is below its target.
var errBelowTarget = errors.New("below target")

// measurement returns the kind of measurement that the arguments ask for.
func (a arguments) measurement() kindOfMeasurement {
	switch {
	case a.mongo:
		return onMongo()
	case a.processes:
		return separateProcesses()
	case a.pocketBase:
		return withPocketBase()
	case a.scale:
		return scale()
	case a.aging:
		return aging()
	case a.hostile:
		return hostileMeasurement()
	case a.overload:
		return overloadMeasurement()
	default:
		return oneProcess()
	}
}

// run measures what the arguments ask for and prints it. It returns errBelowTarget if a row is below its target and the arguments
// ask for this check.
func run(ctx context.Context, a arguments, out io.Writer) error {
	asked := a.measurement()
	if a.only != nil && !slices.ContainsFunc(asked.rows, a.only.MatchString) {
		return fmt.Errorf("no row has a name that matches %q", a.only)
	}
	folder, err := os.MkdirTemp("", "exchange-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if a.mongo && a.mongoURL == "" {
		server, uri, err := startMongo(ctx, filepath.Dir(a.command))
		if err != nil {
			return err
		}
		defer server.stop()
		a.mongoURL = uri
	}
	started, err := startRun(ctx, a.options, filepath.Join(folder, "data"), out)
	if err != nil {
		return err
	}
	defer func() { started.exchange.stop() }()
	written, err := write(started.exchange.client, a.policies, a.connections)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "load: %d connections, %v each side of a row, in turn in slices of %v; %d CPUs for all processes\n\n",
		a.connections, a.duration, a.duration/turns, runtime.NumCPU())
	met, err := asked.measure(ctx, started, written)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nexchange: resident %s after the load\n", started.exchange.resident())
	if a.json != "" {
		if err := started.report.keep(a.json); err != nil {
			return err
		}
	}
	if a.check && (!met || !started.inTime()) {
		return errBelowTarget
	}
	return nil
}
