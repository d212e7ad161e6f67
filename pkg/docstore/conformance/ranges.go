package conformance

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// Ranges states that the documents of a range are found wherever they lie: before thousands of others, or after them,
// or where they are few, also for an organisation among whose documents are those of another. open returns an empty
// store, which Ranges closes.
func Ranges(t *testing.T, open func(t *testing.T) docstore.Store) {
	ranged := docstore.Spec{Name: "policies", Indexes: []docstore.Index{{Name: "kind"}}}
	t.Run("of the only organisation", func(t *testing.T) { rangesOf(t, opened(t, open(t), Size{}, ranged), nil) })
	t.Run("of one of two", func(t *testing.T) {
		rangesOf(t, opened(t, open(t), Size{}, ranged).by(acme), &others[0])
	})
}

// rangesOf tries the ranges of an organisation. Between each two of its documents is one of the other, if there is one.
func rangesOf(t *testing.T, f fixture, other *organisation.ID) {
	ids := map[string][]uuid.UUID{}
	var writes errgroup.Group
	writes.SetLimit(64)
	for _, part := range []struct {
		kind  string
		count int
	}{{"early", 900}, {"between", 2500}, {"late", 900}, {"rare", 40}} {
		for range part.count {
			id := uuid.Must(uuid.NewV7())
			ids[part.kind] = append(ids[part.kind], id)
			doc := docstore.Document{ID: id, Body: []byte("{}"), Keys: docstore.Keys{"kind": part.kind}}
			writes.Go(func() error { return f.Insert(t.Context(), f.who, doc) })
			if other != nil {
				between := doc
				between.ID = uuid.Must(uuid.NewV7())
				writes.Go(func() error { return f.Insert(t.Context(), *other, between) })
			}
		}
	}
	must(t, writes.Wait())
	for kind, want := range ids {
		q := docstore.Query{Ranges: []docstore.Range{{Index: "kind", From: kind, To: kind}}, Limit: 50}
		last := q
		last.Skip = len(want) - 30
		f.finds(t, last, want[last.Skip:]...)
		for _, q.Descending = range []bool{false, true} {
			for _, q.Near = range []bool{false, true} {
				if docs := f.pages(t, q); !slices.Equal(docs, want) {
					t.Errorf("%+v: %d documents were found, want %d", q, len(docs), len(want))
				}
			}
			slices.Reverse(want)
		}
	}
}

// pages returns the ids that a query selects, read page by page. A find that looks near may end a page with a sign of
// how far it has looked.
func (f fixture) pages(t *testing.T, q docstore.Query) (ids []uuid.UUID) {
	t.Helper()
	for {
		docs := f.found(t, q)
		more := len(docs) == q.Limit
		for i, doc := range docs {
			q.After = doc.ID
			if doc.Version > 0 {
				ids = append(ids, doc.ID)
				continue
			}
			if more = true; !q.Near || i < len(docs)-1 || doc.Body != nil {
				t.Fatalf("the end of a window is document %d of %d", i+1, len(docs))
			}
		}
		if !more {
			return ids
		}
	}
}
