// Package inspect has the words in which a service says what its stored records should be. Package walk compares the
// records with it, for the command check: a service that runs has no use for that.
package inspect

import (
	"context"
	"time"

	"insurance.example/exchange/pkg/docstore"
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
	// Keys are what its document should have.
	Keys docstore.Keys
	// Status is its state, and States are those that it may be in; nil for a resource without states.
	Status     string
	States     []string
	State      history.State
	References []Reference
}

// Reference is a value of a member that names a record of one of the targets, which commas separate.
type Reference struct{ Member, Value, Targets string }

// pageLength is how many documents are read at once.
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
