package docstore

import (
	"bytes"
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
	// under way may precede, and waits for that write if the next page would begin there. Others may have inserted
	// documents before the last one meanwhile, so it goes on until that has come.
	first, most := docs, q.Limit
	var page []Document
	for len(first) > 0 && len(page) < most {
		q.Limit = min(len(first), most-len(page))
		docs, err = in.Find(ctx, who, q)
		if err != nil {
			return nil, false, err
		}
		whole := WithBodies(docs)
		if len(whole) == 0 {
			break
		}
		page, q.After = append(page, whole...), whole[len(whole)-1].ID
		for len(first) > 0 && bytes.Compare(first[0].ID[:], q.After[:]) <= 0 {
			first = first[1:]
		}
	}
	return page, len(first) > 0, nil
}

// Each calls visit with each document that a query selects, in pages of its limit and bytes. Errors: those of Find and
// of visit, which ends it.
func Each(ctx context.Context, in Collection, who organisation.ID, q Query, visit func(Document) error) error {
	for {
		page, err := in.Find(ctx, who, q)
		if err != nil {
			return err
		}
		for _, doc := range WithBodies(page) {
			if err := visit(doc); err != nil {
				return err
			}
			q.After = doc.ID
		}
		if !q.Followed(page) {
			return nil
		}
	}
}

// Followed reports whether more documents may follow those that a find has returned: it has as many as it may, or ends
// with one without a body.
func (q Query) Followed(docs []Document) bool {
	return len(docs) == q.Limit || len(docs) > 0 && docs[len(docs)-1].Body == nil
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
