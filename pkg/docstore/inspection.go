package docstore

import (
	"context"
	"strings"

	"github.com/google/uuid"
)

// Inspection reads a database as it is stored, for those who look for faults in it. It changes nothing, and works
// while a Store has the database open. One goroutine at a time may use it and what it returns.
type Inspection interface {
	// Collection returns a collection. One that was never created has no documents. Errors: ErrUnavailable.
	Collection(ctx context.Context, spec Spec) (Inspected, error)
	// Faults returns in words what is wrong with the database as a whole, nothing for a sound one. Errors:
	// ErrUnavailable.
	Faults(ctx context.Context) ([]string, error)
	Close() error
}

// Inspected is a collection as it is stored.
type Inspected interface {
	// Find returns what Collection.Find does, with the keys of the documents. It may return fewer documents than the
	// limit while there are more; none means that there are no more. Errors: ErrUnavailable.
	Find(ctx context.Context, q Query) ([]Stored, error)
	// Formers returns up to limit former versions of a document with their bodies, those after a version, in order of
	// version. It may return fewer while there are more, as Find. Errors: ErrUnavailable.
	Formers(ctx context.Context, id uuid.UUID, after int64, limit int) ([]Former, error)
	// Kept returns up to limit former versions, by document and version, in this order, those after one. Errors:
	// ErrUnavailable.
	Kept(ctx context.Context, after Ref, limit int) ([]Ref, error)
	// Holders returns the documents that a unique index finds for values, by value; IDIndex stands for the ids. Errors:
	// ErrUnavailable.
	Holders(ctx context.Context, index string, values []string) (map[string]Ref, error)
	// Faults reports what is wrong with the indexes. Errors: ErrUnavailable; those of report.
	Faults(ctx context.Context, report func(Finding) error) error
}

// Stored is a document as it is stored.
type Stored struct {
	// Document has its keys.
	Document
	// Awaiting are the indexes of the spec that the document has no keys of yet, because a release without them wrote
	// it.
	Awaiting []string
}

// Finding is an invariant that does not hold.
type Finding struct {
	Collection string `json:"collection,omitzero"`
	// ID is the document that it is about, empty for none.
	ID string `json:"id,omitzero"`
	// Invariant says in words what should hold.
	Invariant string `json:"invariant"`
	Found     string `json:"found"`
	Expected  string `json:"expected"`
}

// Short returns a text as a finding shows it: a long one is cut.
func Short(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
