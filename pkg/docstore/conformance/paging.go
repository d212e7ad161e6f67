package conformance

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// paging: a reader who follows the pages sees each document that existed at the beginning exactly once, although
// others are inserted and replaced meanwhile.
func paging(t *testing.T, f fixture) {
	var present []uuid.UUID
	for range f.size.Documents / 2 {
		present = append(present, f.insert(t, docstore.Keys{"kind": "motor"}).ID)
	}
	ctx, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	defer others.Wait()
	defer stop()
	for range 3 {
		others.Go(func() { crowd(ctx, t, f) })
	}
	for _, q := range []docstore.Query{
		{Equal: docstore.Keys{"kind": "motor"}, Limit: 7},
		{Limit: 11},
		{Ranges: []docstore.Range{{Index: "kind", From: "m", To: "n"}}, Limit: 29},
	} {
		for _, q.Descending = range []bool{false, true} {
			seen := f.pages(t, q)
			if q.Descending {
				slices.Reverse(seen)
			}
			for i := range seen[1:] {
				if bytes.Compare(seen[i][:], seen[i+1][:]) >= 0 {
					t.Fatalf("%v and %v are not in order", seen[i], seen[i+1])
				}
			}
			for _, id := range present {
				if !slices.Contains(seen, id) {
					t.Errorf("document %v was not seen", id)
				}
			}
		}
	}
}

// pages returns the ids that a query selects, read page by page. A find that looks near may end a page with a sign of
// how far it has looked.
func (f fixture) pages(t *testing.T, q docstore.Query) (found []uuid.UUID) {
	t.Helper()
	for {
		docs := f.found(t, q)
		more := len(docs) == q.Limit
		for i, doc := range docs {
			q.After = doc.ID
			if doc.Version > 0 {
				found = append(found, doc.ID)
				continue
			}
			if more = true; !q.Near || i < len(docs)-1 || doc.Body != nil {
				t.Fatalf("the end of a window is document %d of %d", i+1, len(docs))
			}
		}
		if !more {
			return found
		}
	}
}

// crowd inserts documents, half of them before others in the order of ids, and replaces those that it inserted.
func crowd(ctx context.Context, t *testing.T, f fixture) {
	for i := range f.size.Documents / 2 {
		doc := document(docstore.Keys{"kind": "motor"})
		if i%2 == 0 {
			doc.ID = uuid.New()
		}
		err := f.Insert(ctx, us, doc)
		if _, passed := errors.AsType[*docstore.PassedError](err); passed {
			continue
		}
		if err == nil {
			doc.Version = 1
			err = f.Replace(ctx, us, doc, nil)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil && !errors.Is(err, docstore.ErrUnavailable) {
			t.Errorf("write while the pages are read: %v", err)
			return
		}
	}
}
