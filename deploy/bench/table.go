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

func remark(met bool) string {
	if met {
		return ""
	}
	return "  below target"
}

// above returns the remark for what is to be small, and otherwise "".
func above(met bool) string {
	if met {
		return ""
	}
	return "  above target"
}

func perSecond(s slice) float64 { return s.PerSecond }
func p50(s slice) float64       { return 1000 * s.P50 }
func p99(s slice) float64       { return 1000 * s.P99 }

// Of a request: microseconds of cores, objects that were allocated, and their size in kilobytes.
func cpu(s slice) float64       { return s.CPU * 1e6 / float64(s.Requests) }
func objects(s slice) float64   { return s.Objects / float64(s.Requests) }
func kilobytes(s slice) float64 { return s.Bytes / 1024 / float64(s.Requests) }

// ratio returns the rate of the exchange divided by that of the bare handler. It is the median over the pairs of consecutive
// slices.
func (r result) ratio() float64 {
	return middle(quotients(r.exchange, r.bare, perSecond))
}

// cpuRatio returns the CPU time of a request to the bare handler divided by that of one to the exchange.
func (r result) cpuRatio() float64 {
	return middle(quotients(r.bare, r.exchange, cpu))
}

// quotients returns what a function returns for the slices, divided by what it returns for others at the same time.
func quotients(all, by []slice, of func(slice) float64) []float64 {
	pairs := make([]float64, len(all))
	for i := range pairs {
		pairs[i] = of(all[i]) / of(by[i])
	}
	return pairs
}

// errors returns the number of requests to both sides that did not get the right response.
func (r result) errors() int64 {
	var n int64
	for _, s := range slices.Concat(r.exchange, r.bare) {
		n += s.Errors
	}
	return n
}

// median returns the median of the values that a function returns for the slices.
func median(all []slice, of func(slice) float64) float64 {
	return middle(each(all, of))
}

// each returns the values that a function returns for the slices.
func each(all []slice, of func(slice) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return values
}

// middle returns the median of an odd number of values.
func middle(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
