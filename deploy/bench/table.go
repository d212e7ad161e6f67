package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// result is what was measured of a row, slice by slice.
type result struct {
	row            *row
	exchange, bare []slice
}

// printRows prints the table, with the name of the side that the exchange is compared with, and reports whether every row is at its target
// and without errors.
func printRows(out io.Writer, other string, results []result) (met bool) {
	met = true
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "row\trequests/s\tp50 ms\tp99 ms\terrors\t%[1]s/s\tratio\ttarget\tCPU µs\t%[1]s CPU µs\tCPU ratio\tallocations\tallocated KB\n", other)
	for _, r := range results {
		ratio, errors := r.ratio(), r.errors()
		fmt.Fprintf(table, "%s\t%.0f\t%.2f\t%.2f\t%d\t%.0f\t%.2f\t%.2f%s\t%.1f\t%.1f\t%.2f\t%.0f\t%.1f\n", r.row.name,
			median(r.exchange, perSecond), median(r.exchange, p50), median(r.exchange, p99), errors,
			median(r.bare, perSecond), ratio, r.row.target, remark(ratio >= r.row.target),
			median(r.exchange, cpu), median(r.bare, cpu), r.cpuRatio(), median(r.exchange, objects), median(r.exchange, kilobytes))
		met = met && ratio >= r.row.target && errors == 0
	}
	_ = table.Flush() // a pipe that is gone ends the process
	return met
}

// ratio returns the rate of the exchange divided by that of the bare handler. It is the median over the pairs of consecutive
// slices.
func (r result) ratio() float64 {
	return middle(quotients(r.exchange, r.bare, perSecond))
}

// cpuRatio returns the CPU time of a request to the bare handler divided by that of one to the exchange.
func (r result) cpuRatio() float64 {
	return middle(quotients(r.bare, r.exchange, cpu))
}

// errors returns the number of requests to both sides that did not get the right response.
func (r result) errors() int64 {
	var n int64
	for _, s := range slices.Concat(r.exchange, r.bare) {
		n += s.Errors
	}
	return n
}
