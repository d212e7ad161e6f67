// Package docstore is the storage interface of the exchange: a store of JSON documents that is small enough to be
// implemented wholly on an embedded database (sqlitestore) and on a server (mongostore), and strong enough that
// nothing above it needs a transaction over several documents.
//
// Three guarantees carry everything else:
//
//   - A write that returned nil is durable, and is either wholly there or not at all.
//   - A value of a unique index belongs to one document; the index decides, never a look before the write.
//   - Replace happens only if the version is still the one that was read (compare-and-swap).
//
// Package conformance states these and the rest as a test suite that every store passes.
package docstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Document is one stored record. The store understands its id, version, keys and unsent mark, and carries Body and
// State as they are.
type Document struct {
	// ID names the document within its collection. Ids are UUIDs of version 7, so their order is the order of
	// creation; every find answers in that order.
	ID uuid.UUID
	// Version is 1 after Insert and grows by 1 with each Replace.
	Version int64
	// Body is the record as its readers see it, a JSON object.
	Body []byte
	// State is what the owning service keeps beside the record and shows to nobody as it is, a JSON object or empty.
	State []byte
	// Keys are the values by which the document can be found, by index name. An index whose name is absent does not
	// hold the document. Finds leave Keys nil: who replaces a document says its keys anew.
	Keys Keys
	// Unsent marks a document about which a message has still to be published. It is part of the document, so
	// that one write stores a record and the duty to speak of it.
	Unsent bool
}

// Keys maps index names to values.
type Keys map[string]string

// Index is one way to find documents of a collection.
type Index struct {
	// Name is lower camel case ASCII, letters and digits only.
	Name string
	// Unique: at most one document of the collection holds a value.
	Unique bool
}

// Spec describes a collection. Indexes stand in order of selectivity, the most selective first: a find that names
// several uses the first of them and filters by the others.
type Spec struct {
	Name    string
	Indexes []Index
}

// Range asks for index values from From to To, both inclusive, compared by bytes. An empty bound is open.
type Range struct {
	Index    string
	From, To string
}

// Query selects documents. All of its conditions must hold; no condition selects the whole collection. Answers are
// in order of id.
type Query struct {
	Equal  Keys
	Ranges []Range
	// After leaves out the document of this id and all before it; the zero UUID starts at the first. Paging by it
	// is stable while others insert.
	After uuid.UUID
	// Skip leaves out this many of the documents selected.
	Skip int
	// Limit is the greatest number of documents answered; it is required.
	Limit int
}

// Ref names one version of a document.
type Ref struct {
	ID      uuid.UUID
	Version int64
}

// Collection holds the documents of one kind, or of several kinds that share a unique index.
type Collection interface {
	// Insert stores a new document with version 1. Errors: *DuplicateError, ErrUnavailable.
	Insert(ctx context.Context, doc Document) error
	// Get answers the document. Errors: ErrNotFound, ErrUnavailable.
	Get(ctx context.Context, id uuid.UUID) (Document, error)
	// Replace stores doc in place of the version doc.Version, as version doc.Version+1: body, state, keys and
	// unsent mark alike. Errors: ErrStale where the stored version is another or the document is not there,
	// *DuplicateError, ErrUnavailable.
	Replace(ctx context.Context, doc Document) error
	// Find answers the documents that the query selects, without their keys. Errors: ErrUnavailable.
	Find(ctx context.Context, q Query) ([]Document, error)
	// Unsent answers up to limit documents that carry the unsent mark, in order of id. Errors: ErrUnavailable.
	Unsent(ctx context.Context, limit int) ([]Document, error)
	// Sent takes the unsent mark off each document that still has the version named, and leaves the version as it
	// is. A document that changed meanwhile keeps its mark. Errors: ErrUnavailable.
	Sent(ctx context.Context, refs []Ref) error
}

// Store is an open database.
type Store interface {
	// Collection makes sure that the collection and its indexes exist and answers it. It is called at start, once for
	// each collection.
	Collection(ctx context.Context, spec Spec) (Collection, error)
	// Ping tells whether the store can serve. Errors: ErrUnavailable.
	Ping(ctx context.Context) error
	// Close ends the store after the writes under way.
	Close() error
}

var (
	// ErrNotFound: no document has the id.
	ErrNotFound = errors.New("docstore: no such document")
	// ErrStale: the document is no longer at the version that was read.
	ErrStale = errors.New("docstore: the document has changed")
	// ErrUnavailable: the store did not answer, or not in time; a write may or may not have happened. Every error of
	// a store that is none of the others wraps it.
	ErrUnavailable = errors.New("docstore: store unavailable")
)

// IDIndex is the name by which DuplicateError tells of a document id that is taken.
const IDIndex = "id"

// DuplicateError tells which unique index refused a write.
type DuplicateError struct{ Index string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("docstore: value of unique index %q is taken", e.Index)
}

// Duplicate tells whether err is the refusal of a unique index, and of which.
func Duplicate(err error) (index string, ok bool) {
	var dup *DuplicateError
	if errors.As(err, &dup) {
		return dup.Index, true
	}
	return "", false
}
