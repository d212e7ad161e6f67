// Package inspect looks for faults in the stored records of a service: the side of the command check that knows what a
// record is. One walker reads the documents of each collection, whatever the store is, and hands each to the
// inspections: its keys, its state, its history, its former versions, its references and its mark.
package inspect

import (
	"context"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/rest/history"
)

// Examination is a look for faults in the stored records of a service. It reads page by page, so that it needs little
// memory however much is stored.
type Examination struct {
	// Inspection is the database of the service.
	Inspection docstore.Inspection
	// Report is called with each finding. The examination ends if it returns an error.
	Report func(docstore.Finding) error
	// Note is called with what callers have written that other records contradict. That is no fault of the exchange.
	Note func(docstore.Finding) error
	// Count is called with how many things of a sort were examined, such as "records".
	Count func(sort string, n int)
	// Missing returns those of the values that no record of a target has. A target is a collection, whose records are
	// named by their ids, or "collection.index", whose records are named by a unique value. The records may be those
	// of another service.
	Missing func(ctx context.Context, target string, values []string) ([]string, error)
	// Peer returns a client of another service, which reads the database of that as it is stored; nil if it has none.
	Peer func(service string) (*peer.Client, error)
	// Now is the instant at which the database is read. It is zero for a database that no process uses, in which time
	// stands still at the newest record. Patience is how long a message about a record may stay without effect before
	// it is a finding.
	Now      time.Time
	Patience time.Duration
}

// Service is what an examination needs to know of a service.
type Service struct {
	Collections []Collection
	// Targets are what members of the records refer to; see Examination.Missing.
	Targets []string
	// Further looks for faults beyond those that the declarations imply; nil for none.
	Further func(ctx context.Context, x Examination) error
}

// Collection is a collection of a service.
type Collection struct {
	docstore.Spec
	// Decode reads a document as it was written, before time moved its state.
	Decode func(docstore.Document) (Record, error)
}

// Record is a record that was read.
type Record struct {
	// ID is the id that the record itself has.
	ID string
	// Keys and Amount are what its document should have.
	Keys   docstore.Keys
	Amount int64
	// Status is its state, and States are those that it may be in; nil for a resource without states.
	Status     string
	States     []string
	State      history.State
	References []Reference
}

// Reference is a value of a member that names a record of one of the targets, which commas separate.
type Reference struct{ Member, Value, Targets string }

// walk examines the records of one collection, page by page.
type walk struct {
	Examination
	Collection
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

// Examine looks for faults in the records of the service: what the store promises, that records can be read and are in
// a state of theirs, that no version or event is missing, that what they refer to is there, and that messages about
// them were acted on. Errors: docstore.ErrUnavailable; those of Report.
func (s Service) Examine(ctx context.Context, x Examination) error {
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

// pageLength is how many documents or former versions are read at once.
const pageLength = 200

// KeyOf returns the key by which the documents of an owner, the empty one for none, are found that have a value of an
// index. The index is neither global nor of a public collection.
func KeyOf(owner, index, value string) docstore.Keys {
	return docstore.Spec{}.Led(owner, docstore.Keys{index: value})
}

// EachPage calls visit with each page of the documents that a query selects.
func EachPage(ctx context.Context, in docstore.Inspected, q docstore.Query, visit func([]docstore.Stored) error) error {
	for q.Limit = pageLength; ; {
		page, err := in.Find(ctx, q)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := visit(page); err != nil {
			return err
		}
		q.After = page[len(page)-1].ID
	}
}

// run examines what a store promises about a collection: its indexes are there and keep unique values unique,
// every document has the keys and the amount that its body and state say (Spec.Keys, Spec.Amount), and every former
// version is one of a document. It examines each record.
func (w *walk) run(ctx context.Context) error {
	if err := w.in.Faults(ctx, w.Report); err != nil {
		return err
	}
	if err := EachPage(ctx, w.in, docstore.Query{}, func(page []docstore.Stored) error {
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
