package main

import "slices"

func perSecond(s slice) float64 { return s.PerSecond }
func p50(s slice) float64       { return 1000 * s.P50 }
func p99(s slice) float64       { return 1000 * s.P99 }

// Of a request: microseconds of cores, objects that were allocated, and their size in kilobytes.
func cpu(s slice) float64       { return s.CPU * 1e6 / float64(s.Requests) }
func objects(s slice) float64   { return s.Objects / float64(s.Requests) }
func kilobytes(s slice) float64 { return s.Bytes / 1024 / float64(s.Requests) }

// quotients returns what a function returns for the slices, divided by what it returns for others at the same time.
func quotients(all, by []slice, of func(slice) float64) []float64 {
	pairs := make([]float64, len(all))
	for i := range pairs {
		pairs[i] = of(all[i]) / of(by[i])
	}
	return pairs
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
