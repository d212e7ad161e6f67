package conformance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// refusals: an operation whose context has ended does nothing, and its error wraps docstore.ErrUnavailable and that of
// the context. What is asked in nobody's name is refused, and so is what an operator asks.
func refusals(t *testing.T, f fixture) {
	doc := f.insert(t, docstore.Keys{"holder": "h"})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		who  organisation.ID
		want []error
	}{
		{"a context that was cancelled", ended, us, []error{docstore.ErrUnavailable, context.Canceled}},
		{"a context past its deadline", late, us, []error{docstore.ErrUnavailable, context.DeadlineExceeded}},
		{"nobody's name", t.Context(), organisation.ID{}, []error{organisation.ErrNobody}},
		{"an operator's name", t.Context(), organisation.Operator(), []error{organisation.ErrOperator}},
	} {
		fresh := document(docstore.Keys{"policyNumber": c.name})
		all := f.by(c.who).calls(c.ctx, doc, fresh)
		if c.ctx.Err() != nil {
			all["ping"] = f.store.Ping(c.ctx)
			all["collection"] = result(f.store.Collection(c.ctx, policies))
		}
		for call, err := range all {
			for _, want := range c.want {
				wantError(t, call+" under "+c.name, err, want)
			}
		}
		f.lacks(t, fresh.ID)
		f.has(t, doc)
	}

	t.Run("writes that are cut off are wholly there or not at all", func(t *testing.T) {
		for i := range f.size.Documents / 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%40)*10*time.Microsecond)
			doc := document(docstore.Keys{"idempotency": uuid.NewString()})
			err := f.Insert(ctx, us, doc)
			cancel()
			if err != nil && !errors.Is(err, docstore.ErrUnavailable) {
				t.Fatalf("insert: %v", err)
			}
			got, getErr := f.Get(t.Context(), us, doc.ID)
			if err == nil && getErr != nil {
				t.Fatalf("an acknowledged write is lost: %v", getErr)
			}
			if getErr == nil {
				doc.Version = 1
				same(t, got, doc)
				f.finds(t, docstore.Query{Equal: doc.Keys, Limit: 2}, doc.ID)
			}
		}
	})
}
