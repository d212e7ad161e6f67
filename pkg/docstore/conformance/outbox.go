package conformance

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// outbox: the unsent mark is written with the document, and is removed only from the version that was sent.
func outbox(t *testing.T, f fixture) {
	var marked []docstore.Document
	for i := range 30 {
		doc := document(docstore.Keys{"holder": "h"})
		doc.Unsent = i%3 == 0
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		doc.Version = 1
		if doc.Unsent {
			marked = append(marked, doc)
		}
	}
	unsent := func(t *testing.T, limit int) []uuid.UUID {
		t.Helper()
		docs, err := f.Unsent(t.Context(), us, uuid.Nil, limit)
		if err != nil {
			t.Fatalf("unsent: %v", err)
		}
		return ids(docs)
	}

	t.Run("the marked documents are returned in order, up to a limit", func(t *testing.T) {
		if got, want := unsent(t, 100), ids(marked); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got, want := unsent(t, 4), ids(marked[:4]); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		docs, err := f.Unsent(t.Context(), us, uuid.Nil, 1)
		if err != nil || len(docs) != 1 {
			t.Fatalf("%d documents, error %v", len(docs), err)
		}
		same(t, docs[0], marked[0])
	})
	t.Run("the marked documents are read on from any of them", func(t *testing.T) {
		docs, err := f.Unsent(t.Context(), us, marked[3].ID, 100)
		if got, want := ids(docs), ids(marked[4:]); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v (%v), want %v", got, err, want)
		}
		if docs, err := f.Unsent(t.Context(), us, marked[len(marked)-1].ID, 100); err != nil || len(docs) != 0 {
			t.Errorf("after the last there are %d documents (%v)", len(docs), err)
		}
	})
	t.Run("sent takes the mark off and leaves the version", func(t *testing.T) {
		refs := []docstore.Ref{{ID: marked[0].ID, Version: 1}, {ID: marked[1].ID, Version: 1}}
		if removed, err := f.Sent(t.Context(), us, refs); err != nil || removed != 2 {
			t.Fatalf("%d marks removed (%v), want 2", removed, err)
		}
		if got, want := unsent(t, 100), ids(marked[2:]); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		marked[0].Unsent = false
		same(t, f.get(t, marked[0].ID), marked[0])
		if removed, err := f.Sent(t.Context(), us, refs); err != nil || removed != 0 {
			t.Errorf("%d marks removed a second time (%v)", removed, err)
		}
		if err := f.Replace(t.Context(), us, marked[0], nil); err != nil {
			t.Errorf("replace of the version that was read before: %v", err)
		}
	})
	t.Run("a document that changed meanwhile keeps its mark", func(t *testing.T) {
		doc := marked[2]
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Fatal(err)
		}
		refs := []docstore.Ref{{ID: doc.ID, Version: 1}, {ID: marked[3].ID, Version: 1}, {ID: uuid.New(), Version: 1}}
		if removed, err := f.Sent(t.Context(), us, refs); err != nil || removed != 1 {
			t.Fatalf("%d marks removed (%v), want 1", removed, err)
		}
		want := slices.Insert(ids(marked[4:]), 0, doc.ID)
		if got := unsent(t, 100); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("a replace puts the mark on and takes it off", func(t *testing.T) {
		doc := f.insert(t, nil)
		for _, mark := range []bool{true, false} {
			doc.Unsent = mark
			if err := f.Replace(t.Context(), us, doc, nil); err != nil {
				t.Fatal(err)
			}
			doc.Version++
			if got := slices.Contains(unsent(t, 100), doc.ID); got != mark {
				t.Errorf("marked: %v, want %v", got, mark)
			}
		}
	})
	t.Run("nothing sent is nothing to do", func(t *testing.T) {
		if removed, err := f.Sent(t.Context(), us, nil); err != nil || removed != 0 {
			t.Errorf("%d marks removed (%v)", removed, err)
		}
	})
}
