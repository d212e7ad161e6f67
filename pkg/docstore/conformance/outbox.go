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
		if doc = f.put(t, doc); doc.Unsent {
			marked = append(marked, doc)
		}
	}
	all := ids(marked)

	t.Run("the marked documents are returned in order, up to a limit", func(t *testing.T) {
		f.wantUnsent(t, uuid.Nil, 100, all...)
		f.wantUnsent(t, uuid.Nil, 4, all[:4]...)
		f.wantUnsent(t, all[3], 100, all[4:]...)
		f.wantUnsent(t, all[len(all)-1], 100)
		docs, err := f.Unsent(t.Context(), us, uuid.Nil, 1)
		must(t, err)
		same(t, docs[0], marked[0])
	})
	t.Run("sent takes the mark off and leaves the version", func(t *testing.T) {
		f.sends(t, 2, all[:2]...)
		f.wantUnsent(t, uuid.Nil, 100, all[2:]...)
		marked[0].Unsent = false
		f.has(t, marked[0])
		f.sends(t, 0, all[:2]...)
		f.replace(t, marked[0])
	})
	t.Run("a document that changed meanwhile keeps its mark", func(t *testing.T) {
		f.replace(t, marked[2])
		f.sends(t, 1, all[2], all[3], uuid.New())
		f.wantUnsent(t, uuid.Nil, 100, append([]uuid.UUID{all[2]}, all[4:]...)...)
	})
	t.Run("a replace puts the mark on and takes it off", func(t *testing.T) {
		doc := f.insert(t, nil)
		for _, mark := range []bool{true, false} {
			doc.Unsent = mark
			doc = f.replace(t, doc)
			docs, err := f.Unsent(t.Context(), us, uuid.Nil, 100)
			if got := slices.Contains(ids(docs), doc.ID); err != nil || got != mark {
				t.Errorf("marked: %v (%v), want %v", got, err, mark)
			}
		}
	})
	t.Run("nothing sent is nothing to do", func(t *testing.T) { f.sends(t, 0) })
}

// wantUnsent fails the test unless the expected documents have the mark.
func (f fixture) wantUnsent(t *testing.T, after uuid.UUID, limit int, want ...uuid.UUID) {
	t.Helper()
	docs, err := f.Unsent(t.Context(), us, after, limit)
	if got := ids(docs); err != nil || !slices.Equal(got, want) {
		t.Errorf("unsent are %v (%v), want %v", got, err, want)
	}
}

// sends takes the marks off the first versions of documents, and fails the test unless so many had one.
func (f fixture) sends(t *testing.T, want int, sent ...uuid.UUID) {
	t.Helper()
	var refs []docstore.Ref
	for _, id := range sent {
		refs = append(refs, docstore.Ref{ID: id, Version: 1})
	}
	if removed, err := f.Sent(t.Context(), us, refs); err != nil || removed != want {
		t.Errorf("%d marks removed (%v), want %d", removed, err, want)
	}
}
