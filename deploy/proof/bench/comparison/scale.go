package comparison

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// slowest is the greatest factor by which a read may be slower on the large store than on the small one.
const slowest = 1.15

// Scale returns the comparison of reads on a small store with the same ones on a large one.
func Scale() measurement.Kind { return measurement.KindOf(readsOf(&records.Book{}), measureScale) }

// measureScale measures reads on the small book, loads records straight into the store, measures the same reads on
// what was loaded, and prints both. It reports whether every read is fast enough on the large store.
func measureScale(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	small, err := compareWithBare(ctx, run, measurement.Chosen(readsOf(written), run.Only))
	if err != nil {
		return false, err
	}
	run.Exchange.Stop() // a store has one owner
	loaded, err := loadRecords(ctx, run)
	if err != nil {
		return false, err
	}
	if err := run.Restart(ctx); err != nil {
		return false, err
	}
	large, err := compareWithBare(ctx, run, measurement.Chosen(readsOf(loaded), run.Only))
	if err != nil {
		return false, err
	}
	run.Report.Loaded = run.Exchange.Resident().All
	run.Report.Options.Count = run.Count
	run.Report.Add(report.SmallTable, small)
	run.Report.Add(report.LargeTable, large)
	fmt.Fprintln(run.Out)
	return printScale(run.Out, small, large), nil
}

// loadRecords loads records into the store of the coverage service, or into that of the folder that keeps them unless
// they are there, and returns a book of some of them. The exchange is started on that folder next.
func loadRecords(ctx context.Context, run *measurement.Run) (*records.Book, error) {
	if run.Keep == "" {
		return records.Load(ctx, filepath.Join(run.Data, "coverage.db"), run.Count, run.Out)
	}
	run.Data = run.Keep
	kept := filepath.Join(run.Keep, "loaded.json")
	text, err := os.ReadFile(kept)
	if err == nil {
		return readLoaded(kept, text, run.Count)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(run.Keep, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(run.Keep, "coverage.db")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s is not whole, because a load broke off: remove the folder", file), err)
	}
	written, err := records.Load(ctx, file, run.Count, run.Out)
	if err != nil {
		return nil, err
	}
	if text, err = json.Marshal(loadedRecords{run.Count, written.Vehicles, written.Policies, written.Pages}); err != nil {
		return nil, err
	}
	return written, os.WriteFile(kept, text, 0o600)
}

// loadedRecords are the book of what a folder keeps, and how many records of each kind there are.
type loadedRecords struct {
	Count                     int
	Vehicles, Policies, Pages []string
}

func readLoaded(file string, text []byte, count int) (*records.Book, error) {
	var loaded loadedRecords
	if err := json.Unmarshal(text, &loaded); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if loaded.Count != count {
		return nil, fmt.Errorf("%s is about %d records of each kind: give -count %d, or another folder with -keep", file, loaded.Count, loaded.Count)
	}
	return &records.Book{Vehicles: loaded.Vehicles, Policies: loaded.Policies, Pages: loaded.Pages}, nil
}

// printScale prints the rates of each read on both stores, and reports whether all are fast enough. Minutes pass
// between the two measurements, so each rate is compared with that of the bare handler at the same time.
func printScale(out io.Writer, small, large []report.Result) (met bool) {
	met = true
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "row\tsmall/s\tp99 ms\tlarge/s\tp99 ms\terrors\tsmall ratio\tlarge ratio\tslower\tat most")
	for i, s := range small {
		l := large[i]
		slower, errors := s.Ratio()/l.Ratio(), s.Errors()+l.Errors()
		fmt.Fprintf(table, "%s\t%.0f\t%.2f\t%.0f\t%.2f\t%d\t%.2f\t%.2f\t%.2f\t%.2f%s\n", s.Row.Name,
			report.Median(s.Exchange, report.PerSecond), report.Median(s.Exchange, report.P99), report.Median(l.Exchange, report.PerSecond), report.Median(l.Exchange, report.P99),
			errors, s.Ratio(), l.Ratio(), slower, slowest, report.BelowTarget(slower <= slowest))
		met = met && slower <= slowest && errors == 0
	}
	_ = table.Flush() // a pipe that is gone ends the process
	return met
}
