package rest

import (
	"context"

	"insurance.example/exchange/pkg/budget"
	"insurance.example/exchange/pkg/docstore"
)

// How much memory a request needs, as multiples of sizes.
const (
	// bodyWeight is for a body: its text, the record that is made of it, its canonical form, and what is written of it. A body with as
	// many members as one may have needs the most.
	bodyWeight = 10
	// changeWeight is for a stored record that is changed, with what is kept about it, besides what was read of it.
	changeWeight = 6
)

// takeChange takes the memory for the change of a stored document, and waits for a turn if it is large.
func takeChange(ctx context.Context, doc docstore.Document) error {
	size := len(doc.Body) + len(doc.State)
	if err := budget.Take(ctx, changeWeight*size); err != nil {
		return err
	}
	return budget.Turn(ctx, size)
}
