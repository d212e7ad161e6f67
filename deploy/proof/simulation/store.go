package simulation

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// database is a process's connection to a store: every call waits for the scheduler.
type database struct {
	process *replica
	docstore.Store
}

func (d database) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := d.Store.Collection(ctx, spec)
	return table{c, d.process, spec.Name}, err
}

// table is a collection as a process reaches it.
type table struct {
	docstore.Collection
	process *replica
	name    string
}

// keeper is a collection that can keep a former version while its document stays as it is.
type keeper interface {
	KeepFormer(id uuid.UUID, former docstore.Former)
}

// lost is the error of a call that fails.
func lost(cause error) error { return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause) }

// short names an id in the history: the part of it that is random, and so decided by the seed.
func short(id uuid.UUID) string { return id.String()[28:] }

func step[T any](ctx context.Context, t table, what string, do func(ctx context.Context) (T, error)) (T, error) {
	return call(ctx, t.process, t.name+" "+what, false, lost, func() (T, error) { return do(context.WithoutCancel(ctx)) })
}

// nothing makes a call without a result one with a result.
func nothing(err error) (struct{}, error) { return struct{}{}, err }

func (t table) Insert(ctx context.Context, doc docstore.Document) error {
	_, err := step(ctx, t, "insert "+short(doc.ID), func(ctx context.Context) (struct{}, error) { return nothing(t.Collection.Insert(ctx, doc)) })
	return err
}

func (t table) Get(ctx context.Context, id uuid.UUID) (docstore.Document, error) {
	return step(ctx, t, "get "+short(id), func(ctx context.Context) (docstore.Document, error) { return t.Collection.Get(ctx, id) })
}

func (t table) Present(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	return step(ctx, t, fmt.Sprintf("present %d ids", len(ids)), func(ctx context.Context) (map[uuid.UUID]bool, error) { return t.Collection.Present(ctx, ids) })
}

func (t table) Texts(ctx context.Context, ids []uuid.UUID, member string) (map[uuid.UUID]string, error) {
	return step(ctx, t, fmt.Sprintf("%s of %d ids", member, len(ids)), func(ctx context.Context) (map[uuid.UUID]string, error) {
		return t.Collection.Texts(ctx, ids, member)
	})
}

// Replace can be torn, as that of a store without transactions: the former version is kept, and the document stays as
// it is.
func (t table) Replace(ctx context.Context, doc docstore.Document, former *docstore.Former) error {
	var begin func(*rand.Rand)
	if former != nil {
		begin = func(*rand.Rand) { t.Collection.(keeper).KeepFormer(doc.ID, *former) }
	}
	name := fmt.Sprintf("%s replace %s at %d", t.name, short(doc.ID), doc.Version)
	_, err := callInParts(ctx, t.process, name, false, lost, func() (struct{}, error) {
		return nothing(t.Collection.Replace(context.WithoutCancel(ctx), doc, former))
	}, begin)
	return err
}

func (t table) Former(ctx context.Context, id uuid.UUID, version int64) (docstore.Former, error) {
	return step(ctx, t, fmt.Sprintf("former %s at %d", short(id), version), func(ctx context.Context) (docstore.Former, error) {
		return t.Collection.Former(ctx, id, version)
	})
}

func (t table) Formers(ctx context.Context, id uuid.UUID, after int64, limit int) ([]docstore.Former, error) {
	return step(ctx, t, "formers "+short(id), func(ctx context.Context) ([]docstore.Former, error) {
		return t.Collection.Formers(ctx, id, after, limit)
	})
}

func (t table) FormerByKey(ctx context.Context, id uuid.UUID, key string) (docstore.Former, error) {
	return step(ctx, t, "former by key "+short(id), func(ctx context.Context) (docstore.Former, error) {
		return t.Collection.FormerByKey(ctx, id, key)
	})
}

func (t table) Find(ctx context.Context, q docstore.Query) ([]docstore.Document, error) {
	what := "find"
	for _, index := range slices.Sorted(maps.Keys(q.Equal)) {
		value := q.Equal[index]
		if id, err := uuid.Parse(value); err == nil {
			value = short(id)
		}
		what += " " + index + "=" + value
	}
	return step(ctx, t, what, func(ctx context.Context) ([]docstore.Document, error) { return t.Collection.Find(ctx, q) })
}

func (t table) Unsent(ctx context.Context, after uuid.UUID, limit int) ([]docstore.Document, error) {
	return step(ctx, t, "unsent", func(ctx context.Context) ([]docstore.Document, error) {
		return t.Collection.Unsent(ctx, after, limit)
	})
}

func (t table) Sum(ctx context.Context, index, value string, after uuid.UUID, limit int) (docstore.Sum, error) {
	return step(ctx, t, "sum "+value, func(ctx context.Context) (docstore.Sum, error) {
		return t.Collection.Sum(ctx, index, value, after, limit)
	})
}

func (t table) FirstUnsent(ctx context.Context, index, value string) (uuid.UUID, error) {
	return step(ctx, t, "first unsent "+value, func(ctx context.Context) (uuid.UUID, error) {
		return t.Collection.FirstUnsent(ctx, index, value)
	})
}

// Sent can be torn: it removes the marks of some.
func (t table) Sent(ctx context.Context, refs []docstore.Ref) (removed int, err error) {
	remove := func(refs []docstore.Ref) (int, error) { return t.Collection.Sent(context.WithoutCancel(ctx), refs) }
	return callInParts(ctx, t.process, fmt.Sprintf("%s remove %d marks", t.name, len(refs)), false, lost, func() (int, error) {
		return remove(refs)
	}, func(random *rand.Rand) {
		_, _ = remove(part(random, refs)) // its caller is told of a failure anyway
	})
}

// part returns some of several, at random.
func part[T any](random *rand.Rand, all []T) (some []T) {
	for _, one := range all {
		if random.IntN(2) == 0 {
			some = append(some, one)
		}
	}
	return some
}
