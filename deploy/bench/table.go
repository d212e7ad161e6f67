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

// printRows prints the table and reports whether every row is at its target and without errors.
func printRows(out io.Writer, results []result) (met bool) {
	met = true
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "row\trequests/s\tp50 ms\tp99 ms\terrors\tbare/s\tratio\ttarget")
	for _, r := range results {
		ratio, errors := r.ratio(), r.errors()
		fmt.Fprintf(table, "%s\t%.0f\t%.2f\t%.2f\t%d\t%.0f\t%.2f\t%.2f%s\n", r.row.name,
			median(r.exchange, perSecond), median(r.exchange, p50), median(r.exchange, p99), errors,
			median(r.bare, perSecond), ratio, r.row.target, remark(ratio >= r.row.target))
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

func perSecond(s slice) float64 { return s.perSecond }
func p50(s slice) float64       { return 1000 * s.p50 }
func p99(s slice) float64       { return 1000 * s.p99 }

// ratio returns the rate of the exchange divided by that of the bare handler. It is the median over the pairs of consecutive
// slices.
func (r result) ratio() float64 {
	pairs := make([]float64, len(r.exchange))
	for i := range pairs {
		pairs[i] = r.exchange[i].perSecond / r.bare[i].perSecond
	}
	return middle(pairs)
}

// errors returns the number of requests to both sides that did not get the right response.
func (r result) errors() int64 {
	var n int64
	for _, s := range slices.Concat(r.exchange, r.bare) {
		n += s.errors
	}
	return n
}

// median returns the median of the values that a function returns for the slices.
func median(all []slice, of func(slice) float64) float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return middle(values)
}

// middle returns the median of an odd number of values.
func middle(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
