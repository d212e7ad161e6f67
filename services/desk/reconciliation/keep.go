package reconciliation

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/block"
)

// The collections. Each head has a key of its own, such as profile/NAME, and is of a list, such as profile. The key of
// a series is the reference of its contract.
const (
	heads      = "reconciliation"
	seriesName = "reconciliationLedger"
	keyIndex   = "key"
	ofIndex    = "of"
	blocks     = "reconciliationBlock"
)

const (
	// blockLength is how many items a block has; the last one may have fewer.
	blockLength = 500
	// pageLength and pageBytes are how many heads, and bytes of them, are read at a time.
	pageLength = 200
	pageBytes  = 1 << 20
)

// head is a document as it was read.
type head struct {
	id      uuid.UUID
	version int64
}

// find reads the document with a key into a value; nil if there is none.
func find(ctx context.Context, in docstore.Collection, key string, into any) (*head, error) {
	docs, err := in.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{keyIndex: key}, Limit: 1,
	})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	return decode(docs[0], into)
}

// get reads the head with an id; nil if there is none.
func (r *Reconciler) get(ctx context.Context, id string, into any) (*head, error) {
	at, isID := scalar.ParseID(id)
	if !isID {
		return nil, nil
	}
	doc, err := r.heads.Get(ctx, request.OrganisationFrom(ctx), at)
	if errors.Is(err, docstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return decode(doc, into)
}

func decode(doc docstore.Document, into any) (*head, error) {
	if err := json.Unmarshal(doc.Body, into); err != nil {
		return nil, &broken{doc.ID, err}
	}
	return &head{doc.ID, doc.Version}, nil
}

// broken is the error of a stored document that cannot be read.
type broken struct {
	id    uuid.UUID
	cause error
}

func (b *broken) Error() string { return fmt.Sprintf("stored document %s: %v", b.id, b.cause) }

// leavesOut reports whether an error is that of a document which cannot be read, and is left out of a list of others.
// It is logged.
func (r *Reconciler) leavesOut(ctx context.Context, err error) bool {
	stored, is := errors.AsType[*broken](err)
	if is {
		r.log.ErrorContext(ctx, "what is stored cannot be read, and is left out", "error", stored)
	}
	return is
}

// each calls a function with each head of a list, in the order in which they were made.
func each[T any](ctx context.Context, r *Reconciler, of string, do func(head, T)) error {
	q := docstore.Query{Equal: docstore.Keys{ofIndex: of}, Limit: pageLength, Bytes: pageBytes}
	for {
		docs, err := r.heads.Find(ctx, request.OrganisationFrom(ctx), q)
		if err != nil {
			return err
		}
		whole := docstore.WithBodies(docs)
		for _, doc := range whole {
			var value T
			q.After = doc.ID
			h, err := decode(doc, &value)
			if of == profiles && r.leavesOut(ctx, err) {
				continue
			}
			if err != nil {
				return err
			}
			do(*h, value)
		}
		if len(docs) < pageLength && len(whole) == len(docs) {
			return nil
		}
	}
}

// find reads the head with a key into a value; nil if there is none.
func (r *Reconciler) find(ctx context.Context, key string, into any) (*head, error) {
	return find(ctx, r.heads, key, into)
}

// write stores a value as a head; see the function.
func (r *Reconciler) write(ctx context.Context, was *head, key, of string, value any) (*head, error) {
	keys := docstore.Keys{keyIndex: key}
	if of != "" {
		keys[ofIndex] = of
	}
	return write(ctx, r.heads, was, keys, value)
}

// add stores a value as a new head under a key that may have its id, which named gives it.
func (r *Reconciler) add(ctx context.Context, of string, value any, named func(id string) (key string)) error {
	var doc docstore.Document
	return docstore.InsertNamed(ctx, r.heads, request.OrganisationFrom(ctx), &doc, func() (err error) {
		doc.Keys = docstore.Keys{keyIndex: named(doc.ID.String()), ofIndex: of}
		doc.Body, err = json.Marshal(value, json.Deterministic(true))
		return err
	})
}

// write stores a value in place of the document that was read, or as a new one, and returns where. Errors:
// docstore.ErrStale, *docstore.DuplicateError, those of the store.
func write(
	ctx context.Context, in docstore.Collection, was *head, keys docstore.Keys, value any,
) (*head, error) {
	body, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	doc, who := docstore.Document{Body: body, Keys: keys}, request.OrganisationFrom(ctx)
	if was != nil {
		doc.ID, doc.Version = was.id, was.version
		err = in.Replace(ctx, who, doc, nil)
	} else {
		err = docstore.InsertNew(ctx, in, who, &doc)
	}
	return &head{doc.ID, doc.Version + 1}, err
}

// itemsOf returns a list of items of a batch, in blocks of a length.
func (r *Reconciler) itemsOf(batch uuid.UUID, what string, length int) block.List {
	return block.List{In: r.blocks, Batch: batch, What: what, Length: length}
}

// eachOf calls a function with each item of a batch.
func eachOf[T any](
	ctx context.Context, r *Reconciler, batch uuid.UUID, what string, length, count int, do func(T) error,
) error {
	for number := 0; number*length < count; number++ {
		items, err := block.Read[T](ctx, r.itemsOf(batch, what, length), number)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := do(item); err != nil {
				return err
			}
		}
	}
	return nil
}
