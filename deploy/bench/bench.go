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
	case o.scale:
		rows, measure = len(chosen(readsOf(&book{}), o.only)), (*bench).measureScale
	case o.hostile:
		rows, measure = len(chosen(assaultsOn(&prey{book: &book{vehicles: []string{""}}}), o.only)), (*bench).measureHostile
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
	if err := b.start(ctx); err != nil {
		return err
	}
	defer func() { b.exchange.stop() }()
	written, err := write(b.exchange.client, o.connections)
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
	if o.check && (!met || b.ready > startTarget) {
		return errBelowTarget
	}
	return nil
}

// start starts the exchange and prints how long that took.
func (b *bench) start(ctx context.Context) error {
	started, err := startExchange(ctx, b.command, b.data, b.connections)
	if err != nil {
		return err
	}
	b.exchange = started
	b.ready = cmp.Or(b.ready, started.ready) // of the first start, on a folder without data
	fmt.Fprintf(b.out, "exchange: started in %d ms (first 200 after %d ms), resident %s\n",
		started.printed.Milliseconds(), started.served.Milliseconds(), started.resident())
	fmt.Fprintf(b.out, "start of the whole exchange: time until /readyz  %d ms, target %d ms%s\n",
		started.ready.Milliseconds(), startTarget.Milliseconds(), late(started.ready))
	return nil
}

// late returns the remark for a start that took too long, and otherwise "".
func late(took time.Duration) string {
	if took <= startTarget {
		return ""
	}
	return "  above target"
}

// measureRows prints the table and reports whether every row is at its target.
func (b *bench) measureRows(ctx context.Context, written *book) (met bool, err error) {
	results, err := b.compare(ctx, chosen(rowsOf(written), b.only))
	if err != nil {
		return false, err
	}
	return printRows(b.out, results), nil
}

// turns is the number of slices of time of each side of a row. It is odd. The sides take turns, so that other load on the
// machine affects both.
const turns = 5

// compare measures the exchange and a bare handler that gives the same responses.
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
	bare := dial(process.address, b.exchange.token, b.connections)
	var results []result
	for _, r := range rows {
		drive := func(c *client) slice { return c.drive(ctx, r, b.connections, b.duration/turns) }
		drive(b.exchange.client) // to warm up
		drive(bare)
		measured := result{row: r}
		for range turns {
			measured.exchange = append(measured.exchange, drive(b.exchange.client))
			measured.bare = append(measured.bare, drive(bare))
		}
		if ctx.Err() != nil {
			return nil, errors.New("interrupted")
		}
		results = append(results, measured)
	}
	return results, nil
}
