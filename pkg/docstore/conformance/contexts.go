package conformance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// contexts: an operation whose context has ended does nothing. Its error wraps docstore.ErrUnavailable and that of the
// context.
func contexts(t *testing.T, f fixture) {
	doc := f.insert(t, docstore.Keys{"holder": "h"})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()

	for name, ctx := range map[string]context.Context{"cancelled": ended, "past its deadline": late} {
		fresh := document(docstore.Keys{"policyNumber": name})
		for call, err := range map[string]error{
			"insert":     f.Insert(ctx, us, fresh),
			"get":        result(f.Get(ctx, us, doc.ID)),
			"replace":    f.Replace(ctx, us, doc, nil),
			"find":       result(f.Find(ctx, us, docstore.Query{Limit: 1})),
			"former":     result(f.Former(ctx, us, doc.ID, 1)),
			"formers":    result(f.Formers(ctx, us, doc.ID, 0, 1)),
			"by key":     result(f.FormerByKey(ctx, us, doc.ID, "k")),
			"unsent":     result(f.Unsent(ctx, us, uuid.Nil, 1)),
			"sent":       result(f.Sent(ctx, us, []docstore.Ref{{ID: doc.ID, Version: 1}})),
			"ping":       f.store.Ping(ctx),
			"collection": result(f.store.Collection(ctx, policies)),
		} {
			t.Run(call+" with a context "+name, func(t *testing.T) {
				wantError(t, call, err, docstore.ErrUnavailable)
				wantError(t, call, err, ctx.Err())
			})
		}
		_, err := f.Get(t.Context(), us, fresh.ID)
		wantError(t, "get of what was to be inserted", err, docstore.ErrNotFound)
	}
	same(t, f.get(t, doc.ID), doc)

	t.Run("writes that are cut off are wholly there or not at all", func(t *testing.T) {
		for i := range f.size.Documents / 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%40)*10*time.Microsecond)
			written := document(docstore.Keys{"idempotency": uuid.NewString()})
			err := f.Insert(ctx, us, written)
			cancel()
			if err != nil && !errors.Is(err, docstore.ErrUnavailable) {
				t.Fatalf("insert: %v", err)
			}
			stored, getErr := f.Get(t.Context(), us, written.ID)
			if err == nil && getErr != nil {
				t.Fatalf("an acknowledged write is lost: %v", getErr)
			}
			if getErr == nil {
				written.Version = 1
				same(t, stored, written)
				if found := f.find(t, docstore.Query{Equal: written.Keys, Limit: 2}); len(found) != 1 {
					t.Fatalf("the document is there, and its key finds %v", found)
				}
			}
		}
	})
}

// result returns the error of a call and drops its result.
func result[T any](_ T, err error) error { return err }
