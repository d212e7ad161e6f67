package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/google/uuid"
)

// slowest is the greatest factor by which a read may be slower on the large store than on the small one.
const slowest = 1.15

// measureScale measures reads on the small book, loads records straight into the store, measures the same reads on
// what was loaded, and prints both. It reports whether every read is fast enough on the large store.
func (b *bench) measureScale(ctx context.Context, written *book) (met bool, err error) {
	small, err := b.compare(ctx, chosen(readsOf(written), b.only))
	if err != nil {
		return false, err
	}
	b.exchange.stop() // a store has one owner
	loaded, err := b.load(ctx)
	if err != nil {
		return false, err
	}
	if err := b.start(ctx); err != nil {
		return false, err
	}
	large, err := b.compare(ctx, chosen(readsOf(loaded), b.only))
	if err != nil {
		return false, err
	}
	b.report.Loaded = b.exchange.resident().all
	b.report.add(smallTable, small)
	b.report.add(largeTable, large)
	fmt.Fprintln(b.out)
	return printScale(b.out, small, large), nil
}

// load loads records into the store of the coverage service, or into that of the folder that keeps them unless they are there, and returns a
// book of some of them. The exchange is started on that folder next.
func (b *bench) load(ctx context.Context) (*book, error) {
	if b.keep == "" {
		return load(ctx, filepath.Join(b.data, "coverage.db"), b.count, b.out)
	}
	b.data = b.keep
	kept := filepath.Join(b.keep, "loaded.json")
	text, err := os.ReadFile(kept)
	if err == nil {
		return readLoaded(kept, text, b.count)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(b.keep, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(b.keep, "coverage.db")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s is not whole, because a load broke off: remove the folder", file), err)
	}
	written, err := load(ctx, file, b.count, b.out)
	if err != nil {
		return nil, err
	}
	if text, err = json.Marshal(loadedRecords{b.count, written.vehicles, written.policies, written.pages}); err != nil {
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

// page returns the query of the vehicles that follow one.
func page(after uuid.UUID) string {
	return "limit=50&cursor=" + base64.RawURLEncoding.EncodeToString(after[:])
}
