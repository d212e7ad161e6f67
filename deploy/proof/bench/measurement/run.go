// Package measurement has what all kinds of measurement share: their options, and the exchange that they measure.
package measurement

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// Run is a run of a measurement.
type Run struct {
	Options
	// Exchange is what is measured, and Data the folder of its data. A measurement may stop it, and has to start it
	// again.
	Exchange *sides.Exchange
	Data     string
	// Out is where what is measured is printed, and Report what is kept of it.
	Out    io.Writer
	Report *report.Report
	// ready is how long the first start took until /readyz.
	ready time.Duration
}

// startTarget is the time after its start within which the exchange shall be ready.
const startTarget = time.Second

// Turns is the number of slices of time of each side of a row. It is odd. The sides take turns, so that other load on
// the machine affects both.
const Turns = 5

// Start starts the exchange on a folder of data, prints how long that took, and begins the report of it.
func Start(ctx context.Context, o Options, data string, out io.Writer) (*Run, error) {
	r := &Run{Options: o, Data: data, Out: out}
	if err := r.Restart(ctx); err != nil {
		return nil, err
	}
	if err := r.begin(ctx); err != nil {
		r.Exchange.Stop()
		return nil, err
	}
	return r, nil
}

// Restart starts the exchange, which does not run, and prints how long that took.
func (r *Run) Restart(ctx context.Context) error {
	if r.Processes {
		return r.startSeparate(ctx)
	}
	var settings []string
	if r.Mongo {
		settings = []string{"--store", r.MongoURL}
	}
	started, err := sides.StartExchange(ctx, r.Command, r.Data, r.Connections, settings...)
	if err != nil {
		return err
	}
	r.Exchange = started
	r.ready = cmp.Or(r.ready, started.Ready) // of the first start, on a folder without data
	fmt.Fprintf(r.Out, "exchange: started in %d ms (first 200 after %d ms), resident %s\n",
		started.Printed.Milliseconds(), started.Served.Milliseconds(), started.Resident())
	fmt.Fprintf(r.Out, "start of the whole exchange: time until /readyz  %d ms, target %d ms%s\n",
		started.Ready.Milliseconds(), startTarget.Milliseconds(), report.AboveTarget(started.Ready <= startTarget))
	return nil
}

// startSeparate starts the exchange as separate processes and prints how long that took.
func (r *Run) startSeparate(ctx context.Context) error {
	started, err := sides.StartSeparate(ctx, r.Command, r.Data, r.MongoURL, r.Connections)
	if err != nil {
		return err
	}
	r.Exchange, r.ready = started, started.Ready
	fmt.Fprintf(r.Out, "exchange: %d processes, one after the other ready in %d ms, resident %s\n",
		len(started.Server().Processes), started.Ready.Milliseconds(), started.Resident())
	return nil
}

// begin begins the report of a run whose exchange has been started.
func (r *Run) begin(ctx context.Context) error {
	const info = "exchange_build_info"
	e := r.Exchange
	about, err := process.Scrape(ctx, e.Admin, info)
	if err != nil {
		return err
	}
	e.Rest(ctx)
	r.Report = &report.Report{
		Began:   time.Now().UTC(),
		Build:   report.Build{Version: about.Label(info, "version"), Commit: about.Label(info, "commit"), Go: about.Label(info, "goversion")},
		Options: report.Options{Duration: r.Duration.Seconds(), Connections: r.Connections, Policies: r.Policies},
		CPUs:    runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Ready: e.Ready.Seconds(), Idle: e.Resident().All,
	}
	if r.Only != nil {
		r.Report.Options.Only = r.Only.String()
	}
	return nil
}

// InTime reports whether the first start was as fast as it shall be. Separate processes have no target.
func (r *Run) InTime() bool { return r.Processes || r.ready <= startTarget }

// Slice returns how much is asked for in a slice of time.
func (r *Run) Slice() load.Amount {
	return load.Amount{Connections: r.Connections, Duration: r.Duration / Turns}
}
