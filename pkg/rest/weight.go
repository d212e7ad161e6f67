package rest

import (
	"context"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/load"
)

// How much memory a request needs, as multiples of sizes.
const (
	// bodyWeight is for a body: its text, the record that is made of it, its canonical form, and what is written of
	// it. A body with as many members as one may have needs the most.
	bodyWeight = 10
	// changeWeight is for a stored record that is changed, with what is kept about it, besides what was read of it.
	changeWeight = 6
)

// toChange reads a document that is to be changed, takes the memory for that, and waits for a turn if it is large and
// the store has not done so. It reads after the turn has come, because the request that had it before may have changed
// the record.
func (r *documents) toChange(ctx context.Context, id string) (docstore.Document, error) {
	for {
		held := load.Held(ctx)
		doc, err := r.existing(ctx, id)
		if err != nil {
			return doc, err
		}
		size := len(doc.Body) + len(doc.State)
		if err := load.Take(ctx, changeWeight*size); err != nil {
			return doc, err
		}
		waited, err := load.Turn(ctx, size)
		if err != nil || !waited {
			return doc, err
		}
		load.Return(ctx, held)
	}
}
