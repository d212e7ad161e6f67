package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// slowest is the greatest factor by which a read may be slower on the large store than on the small one.
const slowest = 1.15

// scale returns the comparison of reads on a small store with the same ones on a large one.
func scale() kindOfMeasurement { return kindOf(readsOf(&book{}), measureScale) }

// measureScale measures reads on the small book, loads records straight into the store, measures the same reads on
// what was loaded, and prints both. It reports whether every read is fast enough on the large store.
func measureScale(ctx context.Context, run *bench, written *book) (met bool, err error) {
	small, err := compareWithBare(ctx, run, chosen(readsOf(written), run.only))
	if err != nil {
		return false, err
	}
	run.exchange.stop() // a store has one owner
	loaded, err := loadRecords(ctx, run)
	if err != nil {
		return false, err
	}
	if err := run.restart(ctx); err != nil {
		return false, err
	}
	large, err := compareWithBare(ctx, run, chosen(readsOf(loaded), run.only))
	if err != nil {
		return false, err
	}
	run.report.Loaded = run.exchange.resident().all
	run.report.Options.Count = run.count
	run.report.add(smallTable, small)
	run.report.add(largeTable, large)
	fmt.Fprintln(run.out)
	return printScale(run.out, small, large), nil
}

// loadRecords loads records into the store of the coverage service, or into that of the folder that keeps them unless they are there, and returns
// a book of some of them. The exchange is started on that folder next.
func loadRecords(ctx context.Context, run *bench) (*book, error) {
	if run.keep == "" {
		return load(ctx, filepath.Join(run.data, "coverage.db"), run.count, run.out)
	}
	run.data = run.keep
	kept := filepath.Join(run.keep, "loaded.json")
	text, err := os.ReadFile(kept)
	if err == nil {
		return readLoaded(kept, text, run.count)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(run.keep, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(run.keep, "coverage.db")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s is not whole, because a load broke off: remove the folder", file), err)
	}
	written, err := load(ctx, file, run.count, run.out)
	if err != nil {
		return nil, err
	}
	if text, err = json.Marshal(loadedRecords{run.count, written.vehicles, written.policies, written.pages}); err != nil {
		return nil, err
	}
	return written, os.WriteFile(kept, text, 0o600)
}

// loadedRecords are the book of what a folder keeps, and how many records of each kind there are.
type loadedRecords struct {
	Count                     int
	Vehicles, Policies, Pages []string
}

func readLoaded(file string, text []byte, count int) (*book, error) {
	var loaded loadedRecords
	if err := json.Unmarshal(text, &loaded); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if loaded.Count != count {
		return nil, fmt.Errorf("%s is about %d records of each kind: give -count %d, or another folder with -keep", file, loaded.Count, loaded.Count)
	}
	return &book{vehicles: loaded.Vehicles, policies: loaded.Policies, pages: loaded.Pages}, nil
}

// printScale prints the rates of each read on both stores, and reports whether all are fast enough. Minutes pass between the
// two measurements, so each rate is compared with that of the bare handler at the same time.
func printScale(out io.Writer, small, large []result) (met bool) {
	met = true
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "row\tsmall/s\tp99 ms\tlarge/s\tp99 ms\terrors\tsmall ratio\tlarge ratio\tslower\tat most")
	for i, s := range small {
		l := large[i]
		slower, errors := s.ratio()/l.ratio(), s.errors()+l.errors()
		fmt.Fprintf(table, "%s\t%.0f\t%.2f\t%.0f\t%.2f\t%d\t%.2f\t%.2f\t%.2f\t%.2f%s\n", s.row.name,
			median(s.exchange, perSecond), median(s.exchange, p99), median(l.exchange, perSecond), median(l.exchange, p99),
			errors, s.ratio(), l.ratio(), slower, slowest, remark(slower <= slowest))
		met = met && slower <= slowest && errors == 0
	}
	_ = table.Flush() // a pipe that is gone ends the process
	return met
}
