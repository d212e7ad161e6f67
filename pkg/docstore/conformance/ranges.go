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
	t.Run("of the only organisation", func(t *testing.T) { rangesOf(t, open, us, nil) })
	t.Run("of one of two", func(t *testing.T) { rangesOf(t, open, acme, &others[0]) })
}

// rangesOf tries the ranges of an organisation. Between each two of its documents is one of the other, if there is one.
func rangesOf(
	t *testing.T, open func(t *testing.T) docstore.Store, who organisation.ID, other *organisation.ID,
) {
	store := open(t)
	t.Cleanup(func() { _ = store.Close() })
	policies, err := store.Collection(t.Context(),
		docstore.Spec{Name: "policies", Indexes: []docstore.Index{{Name: "kind"}}})
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string][]uuid.UUID{}
	var writes errgroup.Group
	writes.SetLimit(64)
	for _, part := range []struct {
		kind  string
		count int
	}{{"early", 900}, {"between", 2500}, {"late", 900}, {"rare", 40}} {
		for range part.count {
			id := uuid.Must(uuid.NewV7())
			stored[part.kind] = append(stored[part.kind], id)
			doc := docstore.Document{ID: id, Body: []byte("{}"), Keys: docstore.Keys{"kind": part.kind}}
			writes.Go(func() error { return policies.Insert(t.Context(), who, doc) })
			if other != nil {
				between := doc
				between.ID = uuid.Must(uuid.NewV7())
				writes.Go(func() error { return policies.Insert(t.Context(), *other, between) })
			}
		}
	}
	if err := writes.Wait(); err != nil {
		t.Fatal(err)
	}
	for kind, want := range stored {
		q := docstore.Query{Ranges: []docstore.Range{{Index: "kind", From: kind, To: kind}}, Limit: 50}
		if found := pages(t, policies, who, q); !slices.Equal(found, want) {
			t.Errorf("%d documents of the kind %q were found, want %d", len(found), kind, len(want))
		}
		near(t, policies, who, q, want)
		q.Descending = true
		reverse := slices.Clone(want)
		slices.Reverse(reverse)
		if found := pages(t, policies, who, q); !slices.Equal(found, reverse) {
			t.Errorf("%d documents of the kind %q were found in descending order, want %d", len(found), kind, len(want))
		}
		near(t, policies, who, q, reverse)
		q.Descending, q.Skip = false, len(want)-30
		if docs, err := policies.Find(t.Context(), who, q); err != nil || len(docs) != 30 ||
			docs[29].ID != want[len(want)-1] {
			t.Errorf("%d of the last 30 documents of the kind %q were found (%v)", len(docs), kind, err)
		}
	}
}

// near checks that finds which look near, each after the last document of the one before, find all of a range.
func near(t *testing.T, c docstore.Collection, who organisation.ID, q docstore.Query, want []uuid.UUID) {
	t.Helper()
	q.Near = true
	var found []uuid.UUID
	for {
		docs, err := c.Find(t.Context(), who, q)
		if err != nil {
			t.Fatal(err)
		}
		more := len(docs) == q.Limit
		for i, doc := range docs {
			q.After = doc.ID
			if doc.Version > 0 {
				found = append(found, doc.ID)
				continue
			}
			if more = true; i < len(docs)-1 || doc.Body != nil {
				t.Fatalf("the end of a window is document %d of %d", i+1, len(docs))
			}
		}
		if !more {
			break
		}
	}
	if !slices.Equal(found, want) {
		t.Errorf("%d documents of %v were found near, want %d", len(found), q.Ranges, len(want))
	}
}

// pages returns the ids that a query selects, read page by page.
func pages(
	t *testing.T, c docstore.Collection, who organisation.ID, q docstore.Query,
) (found []uuid.UUID) {
	t.Helper()
	for {
		docs, err := c.Find(t.Context(), who, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			found = append(found, doc.ID)
			q.After = doc.ID
		}
		if len(docs) < q.Limit {
			return found
		}
	}
}
