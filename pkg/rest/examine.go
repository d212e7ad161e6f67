package rest

import (
	"context"
	"fmt"
	"time"

	"insurance.example/exchange/pkg/docstore"
)

// Examination is a look for faults in the stored records of a service.
type Examination struct {
	docstore.Examination
	// Inspection is the database of the service.
	Inspection docstore.Inspection
	// Missing returns those of the values that no record of a target has. A target is a collection, whose records are
	// named by their ids, or "collection.index", whose records are named by a unique value. The records may be those
	// of another service.
	Missing func(ctx context.Context, target string, values []string) ([]string, error)
	// Now is the instant at which the database is read. It is zero if nobody uses the database: then time stands
	// still since the newest record. A message about a record must have been acted on within Patience.
	Now      time.Time
	Patience time.Duration
}

// Collections returns the collections of the service, in the order of their declaration.
func (s Service) Collections() ([]docstore.Spec, error) {
	server, _, err := s.undialled()
	if err != nil {
		return nil, err
	}
	return server.specs(), nil
}

// Targets returns what members of the service's records refer to; see Examination.Missing.
func (s Service) Targets() ([]string, error) {
	server, _, err := s.undialled()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, r := range server.resources {
		all = append(all, r.targets()...)
	}
	return all, nil
}

// Inspect returns the collection of the records as it is stored.
func (r *Records[T]) Inspect(ctx context.Context, x Examination) (docstore.Inspected, error) {
	for _, spec := range r.server.specs() {
		if spec.Name == r.Collection {
			return x.Inspection.Collection(ctx, spec)
		}
	}
	return nil, fmt.Errorf("there is no collection %s", r.Collection)
}

// Examine looks for faults in the records of the service: what the store promises (see docstore.Examination), that
// records can be read and are in a state of theirs, that no version or event is missing, that what they refer to is
// there, and that messages about them were acted on. Errors: docstore.ErrUnavailable; those of Report.
func (s Service) Examine(ctx context.Context, x Examination) error {
	server, parts, err := s.undialled()
	if err != nil {
		return err
	}
	faults, err := x.Inspection.Faults(ctx)
	if err != nil {
		return err
	}
	for _, fault := range faults {
		if err := x.Report(docstore.Finding{Invariant: "the database is sound", Found: docstore.Short(fault), Expected: "no fault"}); err != nil {
			return err
		}
	}
	resources := map[string]resource{}
	for _, r := range server.resources {
		resources[r.name()] = r
	}
	for _, spec := range server.specs() {
		in, err := x.Inspection.Collection(ctx, spec)
		if err != nil {
			return err
		}
		records := &recordExamination{Examination: x, collection: spec.Name, in: in}
		if err := x.Collection(ctx, in, spec, func(page []docstore.Stored) error {
			for _, doc := range page {
				// That it is of a resource of the collection was found out with its keys.
				if name, err := ResourceOf(doc.Document); err == nil && resources[name] != nil {
					if err := resources[name].examine(ctx, records, doc); err != nil {
						return err
					}
				}
			}
			return records.resolve(ctx)
		}); err != nil {
			return err
		}
		if err := records.reportUnsent(); err != nil {
			return err
		}
	}
	if parts.Examine == nil {
		return nil
	}
	return parts.Examine(ctx, x)
}
