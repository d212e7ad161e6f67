package docstore

import (
	"context"

	"insurance.example/exchange/pkg/organisation"
)

// FindSettled returns a page of documents, in ascending order, from which its reader goes on later even where none
// follows at present: no document will ever be inserted before the last one. All documents have their bodies. more
// reports whether others follow; without it, those that wait for a write under way are found later. Errors: those of
// Find.
func FindSettled(
	ctx context.Context, in Collection, who organisation.ID, q Query,
) (docs []Document, more bool, err error) {
	held := Held(ctx)
	q.Settled = true
	docs, err = in.Find(ctx, who, q)
	if err != nil || len(docs) == 0 {
		return docs, false, err
	}
	if whole := withBodies(docs); len(whole) < len(docs) {
		return whole, len(whole) > 0, nil
	}
	if len(docs) == q.Limit {
		return docs, true, nil
	}
	// The store settles a page that is full. It is read again as one, and may be shorter then.
	Release(ctx, held)
	q.Limit = len(docs)
	docs, err = in.Find(ctx, who, q)
	return withBodies(docs), false, err
}

// withBodies returns the documents before the first one without a body, which only shows that there is one.
func withBodies(docs []Document) []Document {
	for i, doc := range docs {
		if doc.Body == nil {
			return docs[:i]
		}
	}
	return docs
}
