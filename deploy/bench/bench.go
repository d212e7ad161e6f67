package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// bench is one run: the exchange that is measured, and where its data is.
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

// run measures what the options ask for and prints it. It returns errBelowTarget if a row is below its target and the options
// ask for this check.
func run(ctx context.Context, o options, out io.Writer) error {
	rows, measure := len(chosen(rowsOf(&book{}), o.only)), (*bench).measureRows
	switch {
	case o.mongo:
		rows, measure = len(chosen(mongoRowsOf(&book{}), o.only)), (*bench).measureMongo
	case o.processes:
		rows, measure = len(chosen(separateRowsOf(&book{}), o.only)), (*bench).measureProcesses
	case o.pocketBase:
		rows, measure = len(chosen(pocketBaseRowsOf(&book{}), o.only)), (*bench).measurePocketBase
	case o.scale:
		rows, measure = len(chosen(readsOf(&book{}), o.only)), (*bench).measureScale
	case o.aging:
		rows, measure = len(chosen((&bench{}).livesOf(), o.only)), (*bench).measureAging
	case o.hostile:
		rows, measure = len(chosen(assaultsOn(&prey{}), o.only)), (*bench).measureHostile
	case o.overload:
		rows, measure = len(chosen(surgesOn(&book{}), o.only)), (*bench).measureOverload
	}
	if rows == 0 {
		return fmt.Errorf("no row has a name that matches %q", o.only)
	}
	folder, err := os.MkdirTemp("", "exchange-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b := &bench{options: o, data: filepath.Join(folder, "data"), out: out}
	if o.mongo && o.mongoURL == "" {
		server, uri, err := startMongo(ctx, filepath.Dir(o.command))
		if err != nil {
			return err
		}
		defer server.stop()
		b.mongoURL = uri
	}
	if err := b.start(ctx); err != nil {
		return err
	}
	defer func() { b.exchange.stop() }()
	if b.report, err = newReport(ctx, o, b.exchange); err != nil {
		return err
	}
	written, err := write(b.exchange.client, o.policies, o.connections)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "load: %d connections, %v each side of a row, in turn in slices of %v; %d CPUs for all processes\n\n",
		o.connections, o.duration, o.duration/turns, runtime.NumCPU())
	met, err := measure(b, ctx, written)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nexchange: resident %s after the load\n", b.exchange.resident())
	if o.json != "" {
		if err := b.report.keep(o.json); err != nil {
			return err
		}
	}
	if o.check && (!met || !o.processes && b.ready > startTarget) {
		return errBelowTarget
	}
	return nil
}

// start starts the exchange and prints how long that took.
func (b *bench) start(ctx context.Context) error {
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

// measureRows prints the table and reports whether every row is at its target.
func (b *bench) measureRows(ctx context.Context, written *book) (met bool, err error) {
	results, err := b.compare(ctx, chosen(rowsOf(written), b.only))
	if err != nil {
		return false, err
	}
	b.report.add(plainTable, results)
	met = printRows(b.out, "bare", results)
	fmt.Fprintln(b.out)
	b.report.Loaded = b.exchange.resident().all
	inTime, err := b.printAggregation(ctx, results)
	return printMemory(b.out, b.report) && inTime && met, err
}

// turns is the number of slices of time of each side of a row. It is odd. The sides take turns, so that other load on the
// machine affects both.
const turns = 5

// compare measures the exchange and a bare handler that gives the same responses. If the exchange is separate processes, so is the other
// side: the bare handler, and a proxy in front of it.
func (b *bench) compare(ctx context.Context, rows []*row) ([]result, error) {
	var responses []cannedResponse
	for _, r := range rows {
		canned, err := b.exchange.sample(r)
		if err != nil {
			return nil, err
		}
		responses = append(responses, canned)
	}
	process, err := startBare(ctx, responses)
	if err != nil {
		return nil, err
	}
	defer process.stop()
	exchange := b.exchange.server()
	bare := &server{client: dial(process.address, b.exchange.token, b.connections), processes: []*child{process}}
	if b.processes {
		proxy, err := startProxy(ctx, process.address)
		if err != nil {
			return nil, err
		}
		defer proxy.stop()
		bare.client, bare.processes = dial(proxy.address, b.exchange.token, b.connections), append(bare.processes, proxy)
	}
	var results []result
	for _, r := range rows {
		measured, err := b.inTurn(ctx, r, r, exchange, bare)
		if err != nil {
			return nil, err
		}
		results = append(results, measured)
	}
	return results, nil
}

// slice returns how much is asked for in a slice of time.
func (b *bench) slice() amount {
	return amount{connections: b.connections, duration: b.duration / turns}
}

// inTurn measures both sides of a row, each once to warm up. What is asked of the other side may be another row.
func (b *bench) inTurn(ctx context.Context, r, others *row, exchange, bare *server) (measured result, err error) {
	defer func() {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
	}()
	measured.row = r
	if err := exchange.calibrate(ctx); err != nil {
		return measured, err
	}
	for turn := range 1 + turns {
		one, err := exchange.measure(ctx, r, b.slice())
		if err != nil {
			return measured, err
		}
		other, err := bare.measure(ctx, others, b.slice())
		if err != nil {
			return measured, err
		}
		if turn > 0 {
			measured.exchange, measured.bare = append(measured.exchange, one), append(measured.bare, other)
		}
	}
	return measured, nil
}
