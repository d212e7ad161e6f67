package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// oneProcess returns the comparison of an exchange in one process with the bare handler.
func oneProcess() kindOfMeasurement { return kindOf(rowsOf(&book{}), measureRows) }

// separateProcesses returns that of separate processes with the bare handler behind a proxy.
func separateProcesses() kindOfMeasurement {
	return kindOf(separateRowsOf(&book{}), measureProcesses)
}

// onMongo returns that of an exchange, in one process or in several, that has its records in MongoDB with MongoDB's driver alone.
func onMongo() kindOfMeasurement { return kindOf(mongoRowsOf(&book{}), measureMongo) }

// withPocketBase returns that of an exchange in one process with PocketBase.
func withPocketBase() kindOfMeasurement {
	return kindOf(pocketBaseRowsOf(&book{}), measurePocketBase)
}

// measureRows prints the table and reports whether every row is at its target.
func measureRows(ctx context.Context, run *bench, written *book) (met bool, err error) {
	results, err := compareWithBare(ctx, run, chosen(rowsOf(written), run.only))
	if err != nil {
		return false, err
	}
	run.report.add(plainTable, results)
	met = printRows(run.out, "bare", results)
	fmt.Fprintln(run.out)
	run.report.Loaded = run.exchange.resident().all
	inTime, err := printAggregation(ctx, run, results)
	return printMemory(run.out, run.report) && inTime && met, err
}

// measureProcesses prints the table and reports whether every row is at its target.
func measureProcesses(ctx context.Context, run *bench, written *book) (met bool, err error) {
	results, err := compareWithBare(ctx, run, chosen(separateRowsOf(written), run.only))
	if err != nil {
		return false, err
	}
	run.report.Loaded = run.exchange.resident().all
	run.report.add(processesTable, results)
	fmt.Fprintln(run.out, "CPU and allocations are those of all processes of a side; bare is Go's reverse proxy in front of the bare handler")
	return printRows(run.out, "bare", results), nil
}

// measureMongo measures the exchange against MongoDB's driver alone, prints the table, and reports whether every row is at its target.
func measureMongo(ctx context.Context, run *bench, written *book) (met bool, err error) {
	driver, err := connectDriver(ctx, run.mongoURL, run.connections)
	if err != nil {
		return false, err
	}
	defer driver.close()
	// The driver is in this process, as the load generator is.
	bare := &server{processes: []*child{of(os.Getpid())}}
	var results []result
	for _, r := range chosen(mongoRowsOf(written), run.only) {
		measured, err := inTurn(ctx, run, r, driver.row(r.name, written), run.exchange.server(), bare)
		if err != nil {
			return false, err
		}
		results = append(results, measured)
	}
	run.report.Loaded = run.exchange.resident().all
	table := mongoTable
	if run.processes {
		table = mongoProcessesTable
	}
	run.report.add(table, results)
	fmt.Fprintln(run.out, "CPU and allocations are those of the exchange, without MongoDB; the CPU of the driver is with that of the load generator")
	return printRows(run.out, "driver", results), nil
}

// measurePocketBase measures the exchange against PocketBase with as many records, prints the table, and reports whether every row is at its target.
func measurePocketBase(ctx context.Context, run *bench, written *book) (met bool, err error) {
	peer, err := startPocketBase(ctx, filepath.Join(filepath.Dir(run.command), "bench-pocketbase"), run.data+"-pocketbase", run.connections)
	if err != nil {
		return false, err
	}
	defer peer.stop()
	filled, err := peer.fill(run.policies)
	if err != nil {
		return false, err
	}
	other := &server{client: peer.client, processes: []*child{peer.child}}
	var results []result
	for _, r := range chosen(pocketBaseRowsOf(written), run.only) {
		measured, err := inTurn(ctx, run, r, peer.row(r.name, filled), run.exchange.server(), other)
		if err != nil {
			return false, err
		}
		results = append(results, measured)
	}
	run.report.Loaded = run.exchange.resident().all
	run.report.add(pocketBaseTable, results)
	fmt.Fprintf(run.out, "a write that PocketBase has acknowledged %s (SQLite: journal %s, synchronous %d); one that the exchange has acknowledged is on the disk (wal, synchronous 2)\n",
		peer.durability(), peer.journal, peer.synchronous)
	fmt.Fprintf(run.out, "PocketBase: resident %s after the load\n", peer.resident())
	return printRows(run.out, "PocketBase", results), nil
}
