package sqlitestore_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// TestARangeIsFoundWhereverItLies: the documents of a range come first, or after thousands of others, or are few.
func TestARangeIsFoundWhereverItLies(t *testing.T) {
	store := open(t, fresh(t))
	t.Cleanup(func() { _ = store.Close() })
	policies, err := store.Collection(t.Context(), coverage)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string][]uuid.UUID{}
	written, count := make(chan error), 0
	for _, part := range []struct {
		kind  string
		count int
	}{{"early", 900}, {"between", 2500}, {"late", 900}, {"rare", 40}} {
		for range part.count {
			id := uuid.Must(uuid.NewV7())
			stored[part.kind] = append(stored[part.kind], id)
			doc := docstore.Document{ID: id, Body: []byte("{}"), Keys: docstore.Keys{"kind": part.kind}}
			count++
			go func() { written <- policies.Insert(t.Context(), doc) }()
		}
	}
	var failed error
	for range count {
		failed = errors.Join(failed, <-written)
	}
	if failed != nil {
		t.Fatal(failed)
	}
	for kind, want := range stored {
		q := docstore.Query{Ranges: []docstore.Range{{Index: "kind", From: kind, To: kind}}, Limit: 50}
		var found []uuid.UUID
		for {
			docs, err := policies.Find(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range docs {
				found = append(found, doc.ID)
				q.After = doc.ID
			}
			if len(docs) < q.Limit {
				break
			}
		}
		if !slices.Equal(found, want) {
			t.Errorf("%d documents of the kind %q were found, want %d", len(found), kind, len(want))
		}
		q.After, q.Skip, q.Limit = uuid.Nil, len(want)-30, 50
		if docs, err := policies.Find(t.Context(), q); err != nil || len(docs) != 30 || docs[29].ID != want[len(want)-1] {
			t.Errorf("%d of the last 30 documents of the kind %q were found (%v)", len(docs), kind, err)
		}
	}
}
