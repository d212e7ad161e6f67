package inspect

import (
	"context"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/organisation"
)

// walk examines the records of one collection, page by page.
type walk struct {
	Examination
	Collection
	in docstore.Collection
	// pending are the references of the page that have not been looked up yet, by their targets.
	pending map[string][]pending
	// unsent are records about which a message has not been acted on, the oldest first, and newest is the newest
	// record.
	unsent []uuid.UUID
	newest uuid.UUID
}

func (w *walk) report(id uuid.UUID, invariant, what, expected string) error {
	return w.Report(docstore.Finding{
		Collection: w.Name, ID: id.String(), Invariant: invariant, Found: docstore.Short(what),
		Expected: docstore.Short(expected),
	})
}

// everything is in whose name the records are read.
var everything = organisation.Exchange()

// Examine looks for faults in the records of a service: that records can be read, are found by their keys and are in a
// state of theirs, that each version is as it was written and no event is missing, that what they refer to is there,
// and that messages about them were acted on. Errors: docstore.ErrUnavailable; those of Report.
func Examine(ctx context.Context, s Service, x Examination) error {
	var specs []docstore.Spec
	for _, c := range s.Collections {
		in, err := x.Store.Collection(ctx, c.Spec)
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
		Store: x.Store, Specs: specs, Report: x.Report, Count: x.Count,
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

// run examines each record of a collection.
func (w *walk) run(ctx context.Context) error {
	if err := EachPage(ctx, w.in, docstore.Query{}, func(page []docstore.Document) error {
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
	return w.reportUnsent()
}
