// Package comparison measures two sides in turn: the exchange and something else, a small store and a large one,
// young records and old ones.
package comparison

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// OneProcess returns the comparison of an exchange in one process with the bare handler.
func OneProcess() measurement.Kind { return measurement.KindOf(rowsOf(&records.Book{}), measureRows) }

// SeparateProcesses returns that of separate processes with the bare handler behind a proxy.
func SeparateProcesses() measurement.Kind {
	return measurement.KindOf(separateRowsOf(&records.Book{}), measureProcesses)
}

// Mongo returns that of an exchange, in one process or in several, that has its records in MongoDB with MongoDB's
// driver alone.
func Mongo() measurement.Kind { return measurement.KindOf(mongoRowsOf(&records.Book{}), measureMongo) }

// PocketBase returns that of an exchange in one process with PocketBase.
func PocketBase() measurement.Kind {
	return measurement.KindOf(pocketBaseRowsOf(&records.Book{}), measurePocketBase)
}

// measureRows prints the table and reports whether every row is at its target.
func measureRows(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	results, err := compareWithBare(ctx, run, measurement.Chosen(rowsOf(written), run.Only))
	if err != nil {
		return false, err
	}
	run.Report.Add(report.PlainTable, results)
	met = report.PrintRows(run.Out, "bare", results)
	fmt.Fprintln(run.Out)
	run.Report.Loaded = run.Exchange.Resident().All
	inTime, err := printAggregation(ctx, run, results)
	return report.PrintMemory(run.Out, run.Report) && inTime && met, err
}

// measureProcesses prints the table and reports whether every row is at its target.
func measureProcesses(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	results, err := compareWithBare(ctx, run, measurement.Chosen(separateRowsOf(written), run.Only))
	if err != nil {
		return false, err
	}
	run.Report.Loaded = run.Exchange.Resident().All
	run.Report.Add(report.ProcessesTable, results)
	fmt.Fprintln(run.Out, "CPU and allocations are those of all processes of a side; bare is Go's reverse proxy in front of the bare handler")
	return report.PrintRows(run.Out, "bare", results), nil
}

// measureMongo measures the exchange against MongoDB's driver alone, prints the table, and reports whether every row
// is at its target.
func measureMongo(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	driver, err := sides.ConnectDriver(ctx, run.MongoURL, run.Connections)
	if err != nil {
		return false, err
	}
	defer driver.Close()
	// The driver is in this process, as the load generator is.
	bare := &load.Server{Processes: []*process.Child{process.Of(os.Getpid())}}
	var results []report.Result
	for _, r := range measurement.Chosen(mongoRowsOf(written), run.Only) {
		measured, err := inTurn(ctx, run, r, driver.Row(r.Name, written), run.Exchange.Server(), bare)
		if err != nil {
			return false, err
		}
		results = append(results, measured)
	}
	run.Report.Loaded = run.Exchange.Resident().All
	table := report.MongoTable
	if run.Processes {
		table = report.MongoProcessesTable
	}
	run.Report.Add(table, results)
	fmt.Fprintln(run.Out, "CPU and allocations are those of the exchange, without MongoDB; the CPU of the driver is with that of the load generator")
	return report.PrintRows(run.Out, "driver", results), nil
}

// measurePocketBase measures the exchange against PocketBase with as many records, prints the table, and reports
// whether every row is at its target.
func measurePocketBase(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	peer, err := sides.StartPocketBase(ctx, filepath.Join(filepath.Dir(run.Command), "bench-pocketbase"), run.Data+"-pocketbase", run.Connections)
	if err != nil {
		return false, err
	}
	defer peer.Stop()
	filled, err := peer.Fill(run.Policies)
	if err != nil {
		return false, err
	}
	other := &load.Server{Client: peer.Client, Processes: []*process.Child{peer.Child}}
	var results []report.Result
	for _, r := range measurement.Chosen(pocketBaseRowsOf(written), run.Only) {
		measured, err := inTurn(ctx, run, r, peer.Row(r.Name, filled), run.Exchange.Server(), other)
		if err != nil {
			return false, err
		}
		results = append(results, measured)
	}
	run.Report.Loaded = run.Exchange.Resident().All
	run.Report.Add(report.PocketBaseTable, results)
	fmt.Fprintf(run.Out, "a write that PocketBase has acknowledged %s (SQLite: journal %s, synchronous %d); one that the exchange has acknowledged is on the disk (wal, synchronous 2)\n",
		peer.Durability(), peer.Journal, peer.Synchronous)
	fmt.Fprintf(run.Out, "PocketBase: resident %s after the load\n", peer.Resident())
	return report.PrintRows(run.Out, "PocketBase", results), nil
}
