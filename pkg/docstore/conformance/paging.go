package conformance

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// paging: a reader who follows the pages sees each document that existed at the beginning exactly once, although
// others are inserted and replaced meanwhile.
func paging(t *testing.T, f fixture) {
	present := map[uuid.UUID]bool{}
	for range f.size.Documents / 2 {
		present[f.insert(t, docstore.Keys{"kind": "motor"}).ID] = true
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
		{Limit: 11, Descending: true},
		{Equal: docstore.Keys{"kind": "motor"}, Limit: 7, Descending: true},
		{Ranges: []docstore.Range{{Index: "kind", From: "m", To: "n"}}, Limit: 29},
		{Ranges: []docstore.Range{{Index: "kind", From: "m", To: "n"}}, Limit: 29, Descending: true},
	} {
		seen := map[uuid.UUID]int{}
		last := q.After
		for {
			docs, err := f.Find(t.Context(), us, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range docs {
				forth := bytes.Compare(doc.ID[:], last[:]) > 0
				if seen[doc.ID]++; last != uuid.Nil && forth == q.Descending || doc.ID == last {
					t.Fatalf("%v comes after %v", doc.ID, last)
				}
				last = doc.ID
			}
			if len(docs) < q.Limit {
				break
			}
			q.After = last
		}
		for id := range present {
			if seen[id] != 1 {
				t.Errorf("document %v seen %d times", id, seen[id])
			}
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
