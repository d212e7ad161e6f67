package report

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// Result is what was measured of a row, slice by slice.
type Result struct {
	Row            *load.Row
	Exchange, Bare []load.Slice
}

// PrintRows prints the table, with the name of the side that the exchange is compared with, and reports whether every
// row is at its target and without errors.
func PrintRows(out io.Writer, other string, results []Result) (met bool) {
	met = true
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "row\trequests/s\tp50 ms\tp99 ms\terrors\t%[1]s/s\tratio\ttarget\tCPU µs\t%[1]s CPU µs\tCPU ratio\tallocations\tallocated KB\n", other)
	for _, r := range results {
		ratio, errors := r.Ratio(), r.Errors()
		fmt.Fprintf(table, "%s\t%.0f\t%.2f\t%.2f\t%d\t%.0f\t%.2f\t%.2f%s\t%.1f\t%.1f\t%.2f\t%.0f\t%.1f\n", r.Row.Name,
			Median(r.Exchange, PerSecond), Median(r.Exchange, P50), Median(r.Exchange, P99), errors,
			Median(r.Bare, PerSecond), ratio, r.Row.Target, BelowTarget(ratio >= r.Row.Target),
			Median(r.Exchange, CPU), Median(r.Bare, CPU), r.cpuRatio(), Median(r.Exchange, Objects), Median(r.Exchange, kilobytes))
		met = met && ratio >= r.Row.Target && errors == 0
	}
	_ = table.Flush() // a pipe that is gone ends the process
	return met
}

// Ratio returns the rate of the exchange divided by that of the bare handler. It is the median over the pairs of
// consecutive slices.
func (r Result) Ratio() float64 {
	return middle(quotients(r.Exchange, r.Bare, PerSecond))
}

// cpuRatio returns the CPU time of a request to the bare handler divided by that of one to the exchange.
func (r Result) cpuRatio() float64 {
	return middle(quotients(r.Bare, r.Exchange, CPU))
}

// Errors returns the number of requests to both sides that did not get the right response.
func (r Result) Errors() int64 {
	var n int64
	for _, s := range slices.Concat(r.Exchange, r.Bare) {
		n += s.Errors
	}
	return n
}
