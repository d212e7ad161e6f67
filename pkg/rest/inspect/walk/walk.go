// Package walk looks for faults in the stored records of a service: the side of the command check that knows what a
// record is. One walker reads the documents of each collection, whatever the store is, and hands each to the
// inspections: its keys, its state, its history, its former versions, its references and its mark.
package walk

import (
	"context"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/rest/inspect"
)

// walk examines the records of one collection, page by page.
type walk struct {
	inspect.Examination
	inspect.Collection
	in docstore.Inspected
	// pending are the references of the page that have not been looked up yet, by their targets.
	pending map[string][]pending
	// unsent are records about which a message has not been acted on, the oldest first, and newest is the newest
	// record.
	unsent []uuid.UUID
	newest uuid.UUID
}

func (w *walk) report(id uuid.UUID, invariant, found, expected string) error {
	return w.Report(docstore.Finding{
		Collection: w.Name, ID: id.String(), Invariant: invariant, Found: docstore.Short(found),
		Expected: docstore.Short(expected),
	})
}

// Examine looks for faults in the records of a service: what the store promises, that records can be read and are in
// a state of theirs, that no version or event is missing, that what they refer to is there, and that messages about
// them were acted on. Errors: docstore.ErrUnavailable; those of Report.
func Examine(ctx context.Context, s inspect.Service, x inspect.Examination) error {
	faults, err := x.Inspection.Faults(ctx)
	if err != nil {
		return err
	}
	for _, fault := range faults {
		if err := x.Report(docstore.Finding{Invariant: "the database is sound", Found: docstore.Short(fault),
			Expected: "no fault"}); err != nil {
			return err
		}
	}
	var specs []docstore.Spec
	for _, c := range s.Collections {
		in, err := x.Inspection.Collection(ctx, c.Spec)
		if err != nil {
			return err
		}
		w := &walk{Examination: x, Collection: c, in: in}
		if err := w.run(ctx); err != nil {
			return err
		}
		specs = append(specs, c.Spec)
	}
	compared := shared.Comparison{
		Inspection: x.Inspection, Specs: specs, Report: x.Report, Note: x.Note, Count: x.Count,
		Recent: func(at time.Time) bool { return !x.Now.IsZero() && x.Now.Sub(at) < x.Patience },
	}
	if err := compared.Run(ctx); err != nil {
		return err
	}
	if s.Further == nil {
		return nil
	}
	return s.Further(ctx, x)
}

// run examines what a store promises about a collection: its indexes are there and keep unique values unique,
// every document has the keys that its body and state say (Spec.Keys), and every former
// version is one of a document. It examines each record.
func (w *walk) run(ctx context.Context) error {
	if err := w.in.Faults(ctx, w.Report); err != nil {
		return err
	}
	if err := inspect.EachPage(ctx, w.in, docstore.Query{}, func(page []docstore.Stored) error {
		for _, doc := range page {
			if err := w.document(ctx, doc); err != nil {
				return err
			}
		}
		w.Count("records", len(page))
		return w.resolve(ctx)
	}); err != nil {
		return err
	}
	if err := w.orphans(ctx); err != nil {
		return err
	}
	return w.reportUnsent()
}
