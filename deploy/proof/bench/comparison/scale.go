package comparison

import (
	"context"
	"path/filepath"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// slowest is the greatest factor by which a read may be slower on the large store than on the small one.
const slowest = 1.15

// Scale returns the comparison of reads on a small store with the same ones on a large one.
func Scale() measurement.Kind {
	return measurement.Kind{Rows: names(readsOf(&records.Book{})), Measure: measureScale}
}

// measureScale measures reads on the small book, loads records straight into the store, measures the same reads on
// what was loaded, and prints both. It reports whether every read is fast enough on the large store.
func measureScale(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	small, err := compareWithBare(ctx, run, written, readsOf)
	if err != nil {
		return false, err
	}
	if err := run.Exchange.Stop(); err != nil { // a store has one owner
		return false, err
	}
	loaded, err := records.Load(ctx, filepath.Join(run.Data, "coverage.db"), written, run.Count, run.Out)
	if err != nil {
		return false, err
	}
	if err := run.Restart(ctx); err != nil {
		return false, err
	}
	large, err := compareWithBare(ctx, run, loaded, readsOf)
	if err != nil {
		return false, err
	}
	return printScale(run, small, large), nil
}

// printScale prints the rates of each read on both stores, and reports whether all are fast enough. Minutes pass
// between the two measurements, so each rate is compared with that of the bare handler at the same time.
func printScale(run *measurement.Run, small, large []*result) (met bool) {
	table := run.Table(names(readsOf(&records.Book{})))
	for i, s := range small {
		l := large[i]
		slower, errors := report.Median(s.ratios())/report.Median(l.ratios()), s.errors()+l.errors()
		table.Row(s.row.Name,
			report.Of("small/s", "small-req/s", 0, each(s.exchange, rate)...),
			report.Of("p99 ms", "small-p99-ms", 2, each(s.exchange, p99)...),
			report.Of("large/s", "large-req/s", 0, each(l.exchange, rate)...),
			report.Of("p99 ms", "large-p99-ms", 2, each(l.exchange, p99)...),
			report.Of("errors", "", 0, float64(errors)).If(errors == 0),
			report.Of("small ratio", "small-ratio", 2, s.ratios()...),
			report.Of("large ratio", "large-ratio", 2, l.ratios()...),
			report.Of("slower", "slower", 2, slower).If(slower <= slowest),
			report.Of("by CPU", "slower-cpu", 2, report.Median(s.cpuRatios())/report.Median(l.cpuRatios())))
	}
	return table.Met
}

// The figures of a slice: requests a second, and latencies in milliseconds.
func rate(s load.Slice) float64 { return s.PerSecond }
func p50(s load.Slice) float64  { return 1000 * s.P50 }
func p99(s load.Slice) float64  { return 1000 * s.P99 }
