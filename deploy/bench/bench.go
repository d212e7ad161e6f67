package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"
)

// bench is a run of a measurement: the exchange that is measured, and where its data is.
type bench struct {
	options
	exchange *runningExchange
	data     string
	out      io.Writer
	report   *report
	// ready is how long the first start took until /readyz.
	ready time.Duration
}

// startTarget is the time after its start within which the exchange shall be ready.
const startTarget = time.Second

// turns is the number of slices of time of each side of a row. It is odd. The sides take turns, so that other load on the
// machine affects both.
const turns = 5

// startRun starts the exchange on a folder of data, prints how long that took, and begins the report of it.
func startRun(ctx context.Context, o options, data string, out io.Writer) (*bench, error) {
	b := &bench{options: o, data: data, out: out}
	if err := b.restart(ctx); err != nil {
		return nil, err
	}
	if err := b.begin(ctx); err != nil {
		b.exchange.stop()
		return nil, err
	}
	return b, nil
}

// restart starts the exchange, which does not run, and prints how long that took.
func (b *bench) restart(ctx context.Context) error {
	if b.processes {
		return b.startSeparate(ctx)
	}
	var settings []string
	if b.mongo {
		settings = []string{"--store", b.mongoURL}
	}
	started, err := startExchange(ctx, b.command, b.data, b.connections, settings...)
	if err != nil {
		return err
	}
	b.exchange = started
	b.ready = cmp.Or(b.ready, started.ready) // of the first start, on a folder without data
	fmt.Fprintf(b.out, "exchange: started in %d ms (first 200 after %d ms), resident %s\n",
		started.printed.Milliseconds(), started.served.Milliseconds(), started.resident())
	fmt.Fprintf(b.out, "start of the whole exchange: time until /readyz  %d ms, target %d ms%s\n",
		started.ready.Milliseconds(), startTarget.Milliseconds(), above(started.ready <= startTarget))
	return nil
}

// startSeparate starts the exchange as separate processes and prints how long that took.
func (b *bench) startSeparate(ctx context.Context) error {
	started, err := startSeparate(ctx, b.command, b.data, b.mongoURL, b.connections)
	if err != nil {
		return err
	}
	b.exchange, b.ready = started, started.ready
	fmt.Fprintf(b.out, "exchange: %d processes, one after the other ready in %d ms, resident %s\n",
		len(started.server().processes), started.ready.Milliseconds(), started.resident())
	return nil
}

// begin begins the report of a run whose exchange has been started.
func (b *bench) begin(ctx context.Context) error {
	const info = "exchange_build_info"
	e := b.exchange
	about, err := scrape(ctx, e.admin, info)
	if err != nil {
		return err
	}
	e.rest(ctx)
	b.report = &report{
		Began:   time.Now().UTC(),
		Build:   build{about.label(info, "version"), about.label(info, "commit"), about.label(info, "goversion")},
		Options: reportedOptions{Duration: b.duration.Seconds(), Connections: b.connections, Policies: b.policies},
		CPUs:    runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Ready: e.ready.Seconds(), Idle: e.resident().all,
	}
	if b.only != nil {
		b.report.Options.Only = b.only.String()
	}
	return nil
}

// inTime reports whether the first start was as fast as it shall be. Separate processes have no target.
func (b *bench) inTime() bool { return b.processes || b.ready <= startTarget }

// slice returns how much is asked for in a slice of time.
func (b *bench) slice() amount {
	return amount{connections: b.connections, duration: b.duration / turns}
}
