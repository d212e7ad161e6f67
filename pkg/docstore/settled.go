package docstore

import (
	"context"

	"insurance.example/exchange/pkg/organisation"
)

// FindSettled returns a page of documents, in ascending order, from which its reader goes on later even where none
// follows at present: no document will ever be inserted before the last one. All documents have their bodies. It has
// all documents that were there, also the youngest. more reports whether others follow. Errors: those of Find.
func FindSettled(
	ctx context.Context, in Collection, who organisation.ID, q Query,
) (docs []Document, more bool, err error) {
	q.Settled = true
	docs, err = in.Find(ctx, who, q)
	if err != nil || len(docs) == 0 {
		return docs, false, err
	}
	if whole := WithBodies(docs); len(whole) < len(docs) {
		return whole, len(whole) > 0, nil
	}
	if len(docs) == q.Limit {
		return docs, true, nil
	}
	// The store settles a page that is full. It is read again as one. The store may end before a document that a write
	// under way may precede, and waits for that write if the next page would begin there.
	q.Limit = len(docs)
	var page []Document
	for q.Limit > 0 {
		docs, err = in.Find(ctx, who, q)
		if err != nil {
			return nil, false, err
		}
		whole := WithBodies(docs)
		page = append(page, whole...)
		if len(whole) == len(docs) || len(whole) == 0 {
			break
		}
		q.After, q.Limit = whole[len(whole)-1].ID, q.Limit-len(whole)
	}
	return page, false, nil
}

// WithBodies returns the documents before the first one without a body, which only shows that there is one: by
// Query.Bytes or Query.Near.
func WithBodies(docs []Document) []Document {
	for i, doc := range docs {
		if doc.Body == nil {
			return docs[:i]
		}
	}
	return docs
}
