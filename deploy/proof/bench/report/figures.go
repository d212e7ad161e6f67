package report

import (
	"slices"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// PerSecond returns the rate of a slice.
func PerSecond(s load.Slice) float64 { return s.PerSecond }

// P99 returns the latency in milliseconds that 99 of 100 requests did not exceed.
func P99(s load.Slice) float64 { return 1000 * s.P99 }

// P50 returns the median latency in milliseconds.
func P50(s load.Slice) float64 { return 1000 * s.P50 }

// CPU returns the microseconds of a core that a request took.
func CPU(s load.Slice) float64 { return s.CPU * 1e6 / float64(s.Requests) }

// Objects returns how many objects were allocated for a request.
func Objects(s load.Slice) float64 { return s.Objects / float64(s.Requests) }

// kilobytes returns the size of these objects.
func kilobytes(s load.Slice) float64 { return s.Bytes / 1024 / float64(s.Requests) }

// quotients returns what a function returns for the slices, divided by what it returns for others at the same time.
func quotients(all, by []load.Slice, of func(load.Slice) float64) []float64 {
	pairs := make([]float64, len(all))
	for i := range pairs {
		pairs[i] = of(all[i]) / of(by[i])
	}
	return pairs
}

// Median returns the median of the values that a function returns for the slices.
func Median(all []load.Slice, of func(load.Slice) float64) float64 {
	return middle(each(all, of))
}

// each returns the values that a function returns for the slices.
func each(all []load.Slice, of func(load.Slice) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return values
}

// middle returns the median of an odd number of values.
func middle(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
