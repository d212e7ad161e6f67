package mongostore

import (
	"context"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// bounded is a collection each of whose operations ends within a time. A server that accepts connections and does not
// respond would keep it until the context of the whole request ends.
type bounded struct {
	collection docstore.Collection
	timeout    time.Duration
}

func (b *bounded) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, b.timeout)
}

func (b *bounded) Insert(ctx context.Context, doc docstore.Document) error {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Insert(ctx, doc)
}

func (b *bounded) Get(ctx context.Context, id uuid.UUID) (docstore.Document, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Get(ctx, id)
}

func (b *bounded) Present(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Present(ctx, ids)
}

func (b *bounded) Texts(ctx context.Context, ids []uuid.UUID, member string) (map[uuid.UUID]string, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Texts(ctx, ids, member)
}

func (b *bounded) Replace(ctx context.Context, doc docstore.Document, former *docstore.Former) error {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Replace(ctx, doc, former)
}

func (b *bounded) Former(ctx context.Context, id uuid.UUID, version int64) (docstore.Former, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Former(ctx, id, version)
}

func (b *bounded) Formers(ctx context.Context, id uuid.UUID, after int64, limit int) ([]docstore.Former, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Formers(ctx, id, after, limit)
}

func (b *bounded) FormerByKey(ctx context.Context, id uuid.UUID, key string) (docstore.Former, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.FormerByKey(ctx, id, key)
}

func (b *bounded) Find(ctx context.Context, q docstore.Query) ([]docstore.Document, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Find(ctx, q)
}

func (b *bounded) Unsent(ctx context.Context, after uuid.UUID, limit int) ([]docstore.Document, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Unsent(ctx, after, limit)
}

func (b *bounded) Sum(ctx context.Context, index, value string, after uuid.UUID, limit int) (docstore.Sum, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Sum(ctx, index, value, after, limit)
}

func (b *bounded) FirstUnsent(ctx context.Context, index, value string) (uuid.UUID, error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.FirstUnsent(ctx, index, value)
}

func (b *bounded) Sent(ctx context.Context, refs []docstore.Ref) (removed int, err error) {
	ctx, cancel := b.bound(ctx)
	defer cancel()
	return b.collection.Sent(ctx, refs)
}

func (b *bounded) Backfill() docstore.Backfill { return b.collection.Backfill() }
