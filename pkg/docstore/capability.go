package docstore

import (
	"context"
	"fmt"
	"reflect"

	"github.com/google/uuid"
)

// History is the capability to read the former versions that Replace has kept.
type History interface {
	// Former returns a former version of a document. Errors: ErrNotFound if it was not kept, ErrUnavailable.
	Former(ctx context.Context, id uuid.UUID, version int64) (Former, error)
	// Formers returns up to limit former versions of a document, those after a version, in order of version, without
	// their bodies. It returns fewer if the states of more are larger than FormersBytes together; none means that
	// there are no more. Errors: ErrUnavailable.
	Formers(ctx context.Context, id uuid.UUID, after int64, limit int) ([]Former, error)
	// FormerByKey returns the latest former version of a document that has the key, without its body. Errors:
	// ErrNotFound, ErrUnavailable.
	FormerByKey(ctx context.Context, id uuid.UUID, key string) (Former, error)
}

// Members is the capability to read little of many documents.
type Members interface {
	// Texts returns one member of the documents that have some ids, at most MaxTexts: the text that the body has in
	// the member, empty where it has none. For the member "" no body is read, and the result says which documents
	// there are. Errors: ErrUnavailable.
	Texts(ctx context.Context, ids []uuid.UUID, member string) (map[uuid.UUID]string, error)
}

// Sums is the capability to add up the amounts of documents. A spec that has an index with Amounts needs it.
type Sums interface {
	// Sum adds up the amounts of the documents that have a value of an index with Amounts: of those after an id, the
	// first up to a limit. A document in Sum.Unsent is part of the sum, also while others insert and remove marks.
	// Errors: ErrUnavailable; *BuildingError if a document has not got its key or its amount yet.
	Sum(ctx context.Context, index, value string, after uuid.UUID, limit int) (Sum, error)
	// FirstUnsent returns the id of the first document, in order of id, that has a value of an index with Amounts and
	// carries the unsent mark. Errors: ErrNotFound, ErrUnavailable; *BuildingError as those of Sum.
	FirstUnsent(ctx context.Context, index, value string) (uuid.UUID, error)
}

// Backfilling is the capability to give stored documents the keys of new indexes in the background.
type Backfilling interface {
	// Backfill returns how far the documents have got the keys of new indexes.
	Backfill() Backfill
}

// As returns a collection as a capability: that of the outermost of the collections that decorate one another, each
// found by its method Unwrap() Collection. Callers ask for what they need when they start. Errors: the store lacks the
// capability.
func As[T any](c Collection) (T, error) {
	for of := c; of != nil; {
		d, decorated := of.(*decorated)
		if capability, ok := of.(T); ok && (!decorated || d.passes(reflect.TypeFor[T]())) {
			return capability, nil
		}
		wraps, ok := of.(interface{ Unwrap() Collection })
		if decorated || !ok {
			break
		}
		of = wraps.Unwrap()
	}
	var none T
	return none, fmt.Errorf("docstore: the store lacks the capability %s", reflect.TypeFor[T]().Name())
}
