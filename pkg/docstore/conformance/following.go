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

func following(t *testing.T, f fixture) { Following(t, max(10, f.size.Documents/20), f.Collection) }

// Following tests that a reader who follows the pages while others insert misses nothing: one that goes on after pages
// that are full, as callers of a list do, and then one that goes on after each page. The collections are one, of the
// spec that the suite works on, as several processes have it open. Each of twelve writers inserts so many documents for
// each reader, each second one after another whose id was made later, as a service does that asks another one between
// the making of the id and the write.
func Following(t *testing.T, documents int, opened ...docstore.Collection) {
	for name, next := range map[string]nextPage{"full pages": afterFull, "each page": afterEach} {
		var writers sync.WaitGroup
		written := make(chan struct{})
		var mu sync.Mutex
		acknowledged := map[uuid.UUID]bool{}
		for i := range followers {
			writers.Go(func() {
				for range documents / 2 {
					slow, quick := followed(), followed()
					for _, doc := range []docstore.Document{quick, slow} {
						id, ok := insertPassed(t, opened[i%len(opened)], doc)
						if !ok {
							return
						}
						mu.Lock()
						acknowledged[id] = true
						mu.Unlock()
					}
				}
			})
		}
		go func() {
			writers.Wait()
			close(written)
		}()
		counts := follow(t, opened[0], next, written)
		writers.Wait()
		missed := 0
		for id := range acknowledged {
			if counts[id] == 0 {
				missed++
			}
			if counts[id] > 1 {
				t.Errorf("after %s: %v is on %d pages", name, id, counts[id])
			}
		}
		if missed > 0 || len(acknowledged) == 0 {
			t.Errorf("after %s: %d of %d documents are on no page", name, missed, len(acknowledged))
		}
	}
}

// nextPage returns a page, and whether its reader goes on after it at once.
type nextPage func(*testing.T, docstore.Collection, docstore.Query) (docs []docstore.Document, more bool, err error)

// afterFull is nextPage of a caller of a list: the last document only shows that there is one, and the last page is
// asked for again until all is written.
func afterFull(
	t *testing.T, in docstore.Collection, q docstore.Query,
) (docs []docstore.Document, more bool, err error) {
	q.Settled = true
	docs, err = in.Find(t.Context(), us, q)
	if q.Followed(docs) {
		return docs[:len(docs)-1], true, err
	}
	return docs, false, err
}

// afterEach is nextPage of a reader who goes on after what there is at present.
func afterEach(
	t *testing.T, in docstore.Collection, q docstore.Query,
) (docs []docstore.Document, more bool, err error) {
	q.Limit = 1000 // few pages are full
	docs, _, err = docstore.FindSettled(t.Context(), in, us, q)
	return docs, len(docs) > 0, err
}

// follow reads page after page until all is written and no page is left, and returns how often it has seen a document.
func follow(
	t *testing.T, in docstore.Collection, next nextPage, written <-chan struct{},
) map[uuid.UUID]int {
	counts := map[uuid.UUID]int{}
	q := docstore.Query{Equal: docstore.Keys{"holder": "motor"}, Limit: 4, Bytes: 1 << 20}
	for done := false; ; {
		select {
		case <-written:
			done = true
		default:
		}
		docs, more, err := next(t, in, q)
		switch {
		case errors.Is(err, docstore.ErrUnavailable):
			continue // writes hold the page back
		case err != nil:
			t.Error(err)
			return counts
		case !more && !done:
			continue // the last page is asked for again
		}
		for _, doc := range docs {
			counts[doc.ID]++
			q.After = doc.ID
		}
		if !more {
			return counts
		}
	}
}

// followed returns a document that the readers look for.
func followed() docstore.Document {
	return document(docstore.Keys{"holder": "motor", "idempotency": uuid.NewString()})
}

// insertPassed inserts a document, under another id where pages have gone beyond the one that was made for it.
func insertPassed(t *testing.T, c docstore.Collection, doc docstore.Document) (uuid.UUID, bool) {
	err := c.Insert(t.Context(), us, doc)
	if _, passed := errors.AsType[*docstore.PassedError](err); passed {
		err = docstore.InsertNew(t.Context(), c, us, &doc)
	}
	if err != nil {
		t.Errorf("insert: %v", err)
	}
	return doc.ID, err == nil
}
