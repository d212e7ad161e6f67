package conformance

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// followers is the number of writers beside a reader who follows the pages.
const followers = 12

func following(t *testing.T, f fixture) { Following(t, max(10, f.size.Documents/20), f) }

// Following tests that a reader who follows the pages while others insert misses nothing. The collections are one, of
// the spec that the suite works on, as several processes have it open. Each of twelve writers inserts so many
// documents. An insert may be slow between the making of the id and the write, as one is that asks another service.
func Following(t *testing.T, documents int, opened ...docstore.Collection) {
	var writers sync.WaitGroup
	written := make(chan struct{})
	var mu sync.Mutex
	acknowledged := map[uuid.UUID]bool{}
	for i := range followers {
		writers.Go(func() {
			for range documents {
				id, ok := insertPassed(t, opened[i%len(opened)])
				if !ok {
					return
				}
				mu.Lock()
				acknowledged[id] = true
				mu.Unlock()
			}
		})
	}
	go func() {
		writers.Wait()
		close(written)
	}()
	q := docstore.Query{Equal: docstore.Keys{"holder": "motor"}, Limit: 4, Settled: true, Bytes: 1 << 20}
	seen := map[uuid.UUID]int{}
	for done := false; ; {
		select {
		case <-written:
			done = true
		default:
		}
		docs, err := opened[0].Find(t.Context(), us, q)
		if errors.Is(err, docstore.ErrUnavailable) {
			continue // writes hold the page back
		}
		if err != nil {
			t.Fatal(err)
		}
		// As callers of a list do: the last document only shows that there is one.
		if len(docs) == q.Limit || len(docs) > 0 && docs[len(docs)-1].Body == nil {
			for _, doc := range docs[:len(docs)-1] {
				seen[doc.ID]++
			}
			q.After = docs[len(docs)-2].ID
			continue
		}
		if !done {
			continue // the last page is asked for again
		}
		for _, doc := range docs {
			seen[doc.ID]++
		}
		break
	}
	missed := 0
	for id := range acknowledged {
		if seen[id] == 0 {
			missed++
		}
		if seen[id] > 1 {
			t.Errorf("%v is on %d pages", id, seen[id])
		}
	}
	if missed > 0 || len(acknowledged) == 0 {
		t.Errorf("%d of %d documents are on no page", missed, len(acknowledged))
	}
}

// insertPassed inserts a document, under another id where pages have gone beyond the one that was made for it.
func insertPassed(t *testing.T, c docstore.Collection) (uuid.UUID, bool) {
	doc := document(docstore.Keys{"holder": "motor", "idempotency": uuid.NewString()})
	for {
		// As a service does that asks another one.
		if _, err := c.Get(t.Context(), us, doc.ID); !errors.Is(err, docstore.ErrNotFound) {
			t.Errorf("get: %v", err)
			return doc.ID, false
		}
		err := c.Insert(t.Context(), us, doc)
		if err == nil {
			return doc.ID, true
		}
		passed, ok := errors.AsType[*docstore.PassedError](err)
		if !ok {
			t.Errorf("insert: %v", err)
			return doc.ID, false
		}
		if doc.ID, err = docstore.NewID(passed.Least); err != nil {
			t.Error(err)
			return doc.ID, false
		}
	}
}
