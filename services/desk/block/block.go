// Package block keeps long lists of items, such as the lines of a version, as documents of some items each.
package block

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
)

// index is the index of the blocks.
const index = "place"

// Spec returns the collection with a name for blocks.
func Spec(name string) docstore.Spec {
	return docstore.Spec{Name: name, Unlogged: true, Indexes: []docstore.Index{{Name: index, Unique: true}}}
}

// List names a list of items.
type List struct {
	// In is the collection of its blocks.
	In docstore.Collection
	// Batch names what was written together, and What the list among these.
	Batch uuid.UUID
	What  string
	// Length is how many items a block has; the last one may have fewer.
	Length int
}

func (l *List) place(number int) string { return fmt.Sprintf("%s/%s/%07d", l.Batch, l.What, number) }

// Writer writes a list.
type Writer[T any] struct {
	List
	// Count is how many items were added.
	Count int
	items []T
}

// Add adds an item, and writes a block that is full. Errors: those of the store.
func (w *Writer[T]) Add(ctx context.Context, item T) error {
	w.items = append(w.items, item)
	w.Count++
	if len(w.items) < w.Length {
		return nil
	}
	return w.Flush(ctx)
}

// Flush writes the block that is not full, if there is one. Errors: those of the store.
func (w *Writer[T]) Flush(ctx context.Context) error {
	if len(w.items) == 0 {
		return nil
	}
	err := Put(ctx, w.List, (w.Count-1)/w.Length, w.items)
	w.items = w.items[:0]
	return err
}

// Put writes a block. Errors: *docstore.DuplicateError if it is there, those of the store.
func Put[T any](ctx context.Context, l List, number int, items []T) error {
	body, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		return err
	}
	doc := docstore.Document{Body: body, Keys: docstore.Keys{index: l.place(number)}}
	return docstore.InsertNew(ctx, l.In, request.OrganisationFrom(ctx), &doc)
}

// Read returns the items of a block, which must be there. Errors: those of the store.
func Read[T any](ctx context.Context, l List, number int) ([]T, error) {
	docs, err := l.In.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{index: l.place(number)}, Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("block %d of %s of %s is not there", number, l.What, l.Batch)
	}
	var of struct {
		Items []T `json:"items"`
	}
	if err := json.Unmarshal(docs[0].Body, &of); err != nil {
		return nil, fmt.Errorf("stored block %s: %w", docs[0].ID, err)
	}
	return of.Items, nil
}
