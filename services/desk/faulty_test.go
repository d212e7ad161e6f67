package desk_test

import (
	"context"
	"sync"

	"insurance.example/exchange/pkg/docstore"
)

// faultyStore is a store in which a write of a preparation fails, before it has happened or after.
type faultyStore struct {
	docstore.Store
	mu   sync.Mutex
	next fault
	// failed counts the writes that have failed.
	failed map[fault]int
}

// fault is a write of a collection that fails; happens says that it happens all the same.
type fault struct {
	collection string
	happens    bool
}

// fail lets the next write of a collection fail; none for the zero value.
func (f *faultyStore) fail(next fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = next
}

func (f *faultyStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := f.Store.Collection(ctx, spec)
	if err != nil || spec.Name != "block" && spec.Name != "ledger" {
		return c, err
	}
	return docstore.Decorate(c, func(ctx context.Context, call docstore.Call, do func(context.Context) error) error {
		if call.Operation != "insert" && call.Operation != "replace" {
			return do(ctx)
		}
		f.mu.Lock()
		now := f.next
		fails := now.collection == spec.Name
		if fails {
			f.next = fault{}
			f.failed[now]++
		}
		f.mu.Unlock()
		if fails && !now.happens {
			return docstore.ErrUnavailable
		}
		if err := do(ctx); err != nil || !fails {
			return err
		}
		return docstore.ErrUnavailable
	}), nil
}
