// Package check holds the command that looks for faults in the stored records of an exchange.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"insurance.example/exchange/deploy/exchange/progress"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/rest/inspect"
)

// patience is how long a message about a record may take to be acted on.
const patience = time.Minute

// index is a unique index of a collection by which records are named, or docstore.IDIndex.
type index struct {
	in   docstore.Collection
	name string
}

// targets returns what the records of the services refer to, by the targets' names; see inspect.Examination.Missing.
func targets(ctx context.Context, databases []database) (map[string]index, error) {
	collections := map[string]docstore.Collection{}
	for _, d := range databases {
		for _, c := range d.service.Collections {
			var err error
			if collections[c.Name], err = d.Collection(ctx, c.Spec); err != nil {
				return nil, err
			}
		}
	}
	indexes := map[string]index{}
	for _, d := range databases {
		for _, name := range d.service.Targets {
			collection, by, unique := strings.Cut(name, ".")
			if !unique {
				by = docstore.IDIndex
			}
			if collections[collection] == nil {
				return nil, fmt.Errorf("a record of %s refers to %s, and no service has this collection", d.name, name)
			}
			indexes[name] = index{collections[collection], by}
		}
	}
	return indexes, nil
}

// tally counts what was examined, by the names of collections and sorts.
type tally struct {
	Records  map[string]int `json:"records"`
	Others   map[string]int `json:"examined"`
	Findings int            `json:"findings"`
	Notes    int            `json:"notes"`
}

// examine looks for faults in the databases. It reports each, and each note, which is no fault, and says on progressed
// how far it has come.
func examine(
	ctx context.Context, databases []database, of *figures,
	report func(service string, f docstore.Finding, isNote bool) error, progressed io.Writer,
) (*tally, error) {
	found, err := targets(ctx, databases)
	if err != nil {
		return nil, err
	}
	missing := func(ctx context.Context, target string, values []string) ([]string, error) {
		return inspect.Missing(ctx, found[target].in, found[target].name, values)
	}
	t := &tally{Records: map[string]int{}, Others: map[string]int{}}
	bar, total := progress.New(progressed, -1), 0
	defer bar.End()
	// What is wrong with one database can keep the records of another from being examined. So the others are examined
	// all the same.
	var unread []error
	others := &peers{databases: databases, started: map[string]*peer.Client{}}
	finding := func(service string, f docstore.Finding, isNote bool) error {
		if isNote {
			t.Notes++
		} else {
			t.Findings++
		}
		return report(service, f, isNote)
	}
	for _, d := range databases {
		x := inspect.Examination{
			Store: d, Missing: missing, Now: d.now, Patience: patience,
			Peer:   func(service string) (*peer.Client, error) { return others.of(ctx, service) },
			Report: func(f docstore.Finding) error { return finding(d.name, f, false) },
			Note:   func(f docstore.Finding) error { return finding(d.name, f, true) },
			Count: func(sort string, n int) {
				if sort == "records" {
					t.Records[d.name] += n
					total += n
				} else {
					t.Others[sort] += n
				}
				bar.At(int64(total), fmt.Sprintf("%d records examined", total))
			},
		}
		if err := inspect.Examine(ctx, d.service, x); err != nil {
			unread = append(unread, fmt.Errorf("the records of %s cannot be examined further: %w", d.name, err))
			if !errors.Is(err, docstore.ErrUnavailable) || ctx.Err() != nil {
				break
			}
		}
	}
	if of != nil && len(unread) == 0 {
		n, err := of.examine(ctx, others, func(f docstore.Finding, isNote bool) error {
			return finding(inBook, f, isNote)
		}, progressed)
		if t.Others["rows and cells of the book"] = n; err != nil {
			unread = append(unread, fmt.Errorf("the book cannot be compared with the records: %w", err))
		}
	}
	return t, errors.Join(unread...)
}

// sound reports what is wrong with all of the databases. Errors: docstore.ErrUnavailable; those of report.
func (s *source) sound(ctx context.Context, report func(service string, f docstore.Finding, isNote bool) error) (
	faults int, err error,
) {
	if s.faults == nil {
		return 0, nil
	}
	all, err := s.faults(ctx)
	for _, fault := range all {
		err = errors.Join(err, report("", docstore.Finding{Invariant: "the database is sound",
			Found: docstore.Short(fault), Expected: "no fault"}, false))
	}
	return len(all), err
}
