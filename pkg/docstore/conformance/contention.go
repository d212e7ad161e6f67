package conformance

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// contention: if several writers want the same thing at once, exactly one gets it, and the error of each other says so.
func contention(t *testing.T, f fixture) {
	t.Run("increments by replace add up", func(t *testing.T) {
		doc := document(nil)
		doc.Body = []byte("0")
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		var writers sync.WaitGroup
		for range f.size.Writers {
			writers.Go(func() {
				for range f.size.Increments {
					if !f.increment(t, doc) {
						return
					}
				}
			})
		}
		writers.Wait()
		want := f.size.Writers * f.size.Increments
		got := f.get(t, doc.ID)
		if string(got.Body) != strconv.Itoa(want) || got.Version != int64(want)+1 {
			t.Errorf("sum %s at version %d, want %d at version %d", got.Body, got.Version, want, want+1)
		}
	})
	t.Run("a unique value has one winner", func(t *testing.T) {
		var won, refused atomic.Int64
		f.together(func(int) {
			err := f.Insert(t.Context(), us, document(docstore.Keys{"policyNumber": "the one"}))
			switch index, duplicate := docstore.Duplicate(err); {
			case err == nil:
				won.Add(1)
			case duplicate && index == "policyNumber":
				refused.Add(1)
			default:
				t.Errorf("insert: %v", err)
			}
		})
		if won.Load() != 1 || refused.Load() != int64(f.size.Writers)-1 {
			t.Errorf("%d won and %d were refused, of %d", won.Load(), refused.Load(), f.size.Writers)
		}
		if found := f.find(t,
			docstore.Query{Equal: docstore.Keys{"policyNumber": "the one"}, Limit: 9}); len(found) != 1 {
			t.Errorf("%d documents have the value", len(found))
		}
	})
	t.Run("a version has one successor", func(t *testing.T) {
		doc := f.insert(t, nil)
		var won, stale atomic.Int64
		f.together(func(i int) {
			mine := doc
			mine.Body = []byte(strconv.Itoa(i))
			switch err := f.Replace(t.Context(), us, mine, nil); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, docstore.ErrStale):
				stale.Add(1)
			default:
				t.Errorf("replace: %v", err)
			}
		})
		if won.Load() != 1 || stale.Load() != int64(f.size.Writers)-1 {
			t.Errorf("%d won and %d were stale, of %d", won.Load(), stale.Load(), f.size.Writers)
		}
	})
	t.Run("refusals do not affect the writes at the same time", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": "taken"})
		f.together(func(i int) {
			doc := document(docstore.Keys{"policyNumber": "beside " + strconv.Itoa(i)})
			if err := f.Insert(t.Context(), us, doc); err != nil {
				t.Errorf("insert: %v", err)
			}
			refused := document(docstore.Keys{"policyNumber": "taken", "idempotency": strconv.Itoa(i)})
			if _, duplicate := docstore.Duplicate(f.Insert(t.Context(), us, refused)); !duplicate {
				t.Error("a value that is taken was given again")
			}
			if _, err := f.Get(t.Context(), us, doc.ID); err != nil {
				t.Errorf("get of what was inserted: %v", err)
			}
		})
	})
}

// increment adds one to the number that is the document's body.
func (f fixture) increment(t *testing.T, doc docstore.Document) bool {
	for {
		current, err := f.Get(t.Context(), us, doc.ID)
		if err != nil {
			t.Errorf("get: %v", err)
			return false
		}
		n, err := strconv.Atoi(string(current.Body))
		if err != nil {
			t.Errorf("body: %v", err)
			return false
		}
		current.Body = []byte(strconv.Itoa(n + 1))
		switch err := f.Replace(t.Context(), us, current, nil); {
		case err == nil:
			return true
		case !errors.Is(err, docstore.ErrStale):
			t.Errorf("replace: %v", err)
			return false
		}
	}
}

// together runs act once for each writer, all at the same time.
func (f fixture) together(act func(writer int)) {
	var writers sync.WaitGroup
	start := make(chan struct{})
	for i := range f.size.Writers {
		writers.Go(func() {
			<-start
			act(i)
		})
	}
	close(start)
	writers.Wait()
}
