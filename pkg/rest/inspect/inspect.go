// Package inspect has the words in which a service says what its stored records should be. Package walk compares the
// records with it, for the command check: a service that runs has no use for that.
package inspect

import (
	"context"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/rest/history"
)

// Examination is a look for faults in the stored records of a service. It reads page by page, so that it needs little
// memory however much is stored.
type Examination struct {
	// Store is the database of the service. It is only read.
	Store docstore.Store
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
	// Peer returns a client of another service, which reads its own database; nil if there is none of it.
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

// How many documents are read at once, and of what size together in bytes.
const pageLength, pageBytes = 200, 1 << 20

// EachPage calls visit with each page of the documents of all organisations that a query selects, with their states.
func EachPage(
	ctx context.Context, in docstore.Collection, q docstore.Query, visit func([]docstore.Document) error,
) error {
	return pages(ctx, in, organisation.Exchange(), q, visit)
}

// pages calls visit with each page of the documents that an organisation finds by a query.
func pages(
	ctx context.Context, in docstore.Collection, who organisation.ID, q docstore.Query,
	visit func([]docstore.Document) error,
) error {
	q.Limit, q.Bytes, q.WithState = pageLength, pageBytes, true
	for {
		page, err := in.Find(ctx, who, q)
		if last := len(page) - 1; last > 0 && page[last].Body == nil {
			page = page[:last] // there was no room for the last one
		}
		if err != nil || len(page) == 0 {
			return err
		}
		if err := visit(page); err != nil {
			return err
		}
		q.After = page[len(page)-1].ID
	}
}

// OfOwner calls visit with each document of an owner, the empty name for none, that has a value of an index.
func OfOwner(
	ctx context.Context, in docstore.Collection, owner, index, value string, visit func(docstore.Document) error,
) error {
	who, err := organisation.Owner(owner)
	if err != nil {
		return err
	}
	return pages(ctx, in, who, docstore.Query{Equal: docstore.Keys{index: value}},
		func(page []docstore.Document) error {
			for _, doc := range page {
				if err := visit(doc); err != nil {
					return err
				}
			}
			return nil
		})
}

// Missing returns those of the values of a unique global index that no document has; docstore.IDIndex stands for the
// ids.
func Missing(ctx context.Context, in docstore.Collection, index string, values []string) (missing []string, err error) {
	for _, value := range values {
		_, has, err := One(ctx, in, index, value)
		if err != nil {
			return nil, err
		}
		if !has {
			missing = append(missing, value)
		}
	}
	return missing, nil
}

// One returns the document that has a value of a unique global index, and whether there is one; docstore.IDIndex stands
// for the ids.
func One(
	ctx context.Context, in docstore.Collection, index, value string,
) (doc docstore.Document, has bool, err error) {
	q := docstore.Query{Equal: docstore.Keys{index: value}, Limit: 1}
	var id uuid.UUID
	if index == docstore.IDIndex {
		if id, err = uuid.Parse(value); err != nil {
			return doc, false, nil //nolint:nilerr // no document has an id that is none
		}
		q = docstore.Query{After: docstore.IDBefore(id), Limit: 1}
	}
	docs, err := in.Find(ctx, organisation.Exchange(), q)
	if err != nil || len(docs) == 0 || index == docstore.IDIndex && docs[0].ID != id {
		return doc, false, err
	}
	return docs[0], true, nil
}
