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
	t.Run("replacements add up, and what they replace is kept", func(t *testing.T) {
		doc := document(nil)
		doc.Body, doc.State = []byte("1"), []byte("1")
		f.put(t, doc)
		f.together(func(int) {
			for range f.size.Increments {
				f.succeed(t, doc.ID)
			}
		})
		want := f.size.Writers*f.size.Increments + 1
		last := f.get(t, doc.ID)
		if last.Version != int64(want) || string(last.Body) != strconv.Itoa(want) {
			t.Fatalf("version %d has the body %s, want %d", last.Version, last.Body, want)
		}
		page, err := f.Formers(t.Context(), us, doc.ID, 0, want)
		if err != nil || len(page) != want-1 {
			t.Fatalf("%d former versions, error %v", len(page), err)
		}
		for i, former := range page {
			whole, err := f.Former(t.Context(), us, doc.ID, former.Version)
			number := strconv.Itoa(i + 1)
			if err != nil || former.Version != int64(i+1) || string(former.State) != number ||
				string(whole.Body) != number {
				t.Fatalf("version %d: state %s, body %s, error %v", former.Version, former.State, whole.Body, err)
			}
		}
	})
	t.Run("a unique value has one winner", func(t *testing.T) {
		f.oneWins(t, func(int) (refused bool, err error) {
			err = f.Insert(t.Context(), us, document(docstore.Keys{"policyNumber": "the one"}))
			index, duplicate := docstore.Duplicate(err)
			return duplicate && index == "policyNumber", err
		})
		q := docstore.Query{Equal: docstore.Keys{"policyNumber": "the one"}, Limit: 9}
		if docs := f.found(t, q); len(docs) != 1 {
			t.Errorf("%d documents have the value", len(docs))
		}
	})
	t.Run("a version has one successor", func(t *testing.T) {
		doc := f.insert(t, nil)
		f.oneWins(t, func(i int) (refused bool, err error) {
			mine := doc
			mine.Body = []byte(strconv.Itoa(i))
			err = f.Replace(t.Context(), us, mine, nil)
			return errors.Is(err, docstore.ErrStale), err
		})
	})
	t.Run("refusals do not affect the writes at the same time", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": "taken"})
		f.together(func(i int) {
			doc := document(docstore.Keys{"policyNumber": "beside " + strconv.Itoa(i)})
			if err := f.Insert(t.Context(), us, doc); err != nil {
				t.Errorf("insert: %v", err)
			}
			refused := document(docstore.Keys{"policyNumber": "taken", "idempotency": strconv.Itoa(i)})
			wantDuplicate(t, "insert", f.Insert(t.Context(), us, refused), "policyNumber")
			if _, err := f.Get(t.Context(), us, doc.ID); err != nil {
				t.Errorf("get of what was inserted: %v", err)
			}
		})
	})
}

// oneWins fails the test unless one of the writers has no error, and each other is refused.
func (f fixture) oneWins(t *testing.T, write func(writer int) (refused bool, err error)) {
	t.Helper()
	var won atomic.Int64
	f.together(func(writer int) {
		switch refused, err := write(writer); {
		case err == nil:
			won.Add(1)
		case !refused:
			t.Errorf("write: %v", err)
		}
	})
	if won.Load() != 1 {
		t.Errorf("%d of %d won", won.Load(), f.size.Writers)
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
