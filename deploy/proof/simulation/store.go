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

// database is a process's connection to a store. Every call waits for the scheduler.
type database struct {
	process *replica
	docstore.Store
}

func (d database) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := d.Store.Collection(ctx, spec)
	if err != nil {
		return nil, err
	}
	return docstore.Decorate(c, table{c, d.Store, d.process, spec.Name}.call), nil
}

// table is a collection behind that connection.
type table struct {
	stored  docstore.Collection
	store   docstore.Store
	process *replica
	name    string
}

// keeper is a store that can keep a former version without replacing its document.
type keeper interface {
	KeepFormer(collection string, id uuid.UUID, former docstore.Former)
}

// lost is the error of a call that fails.
func lost(cause error) error { return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause) }

// short names an id in the history by its random part, which the seed decides.
func short(id uuid.UUID) string { return id.String()[28:] }

// call makes a call wait for the scheduler. What a process asks while it starts is done at once.
func (t table) call(ctx context.Context, of docstore.Call, do func(context.Context) error) error {
	if t.process.engine == nil {
		return do(ctx)
	}
	name := t.name + " " + described(of)
	_, err := callInParts(ctx, t.process, name, lost, func() (struct{}, error) {
		return struct{}{}, do(context.WithoutCancel(ctx))
	}, t.part(ctx, of))
	return err
}

// part returns what a call does if only a part of it happens; nil if it cannot be torn. A torn replacement keeps the
// former version and leaves the document as it is, as in a store without transactions. A torn removal of marks removes
// some of them.
func (t table) part(ctx context.Context, of docstore.Call) func(*rand.Rand) {
	switch {
	case of.Former != nil:
		return func(*rand.Rand) { t.store.(keeper).KeepFormer(t.name, of.ID, *of.Former) }
	case of.Operation == "sent":
		return func(random *rand.Rand) {
			// Its caller gets an error anyway.
			_, _ = t.stored.Sent(context.WithoutCancel(ctx), of.Organisation, part(random, of.Refs))
		}
	default:
		return nil
	}
}

// described names a call in the history.
func described(of docstore.Call) string {
	what := of.Operation
	if of.ID != uuid.Nil {
		what += " " + short(of.ID)
	}
	if of.Version > 0 {
		what += fmt.Sprintf(" at %d", of.Version)
	}
	if of.Refs != nil {
		what += fmt.Sprintf(" %d marks", len(of.Refs))
	}
	if of.Value != "" {
		what += " " + of.Value
	}
	if of.Query == nil {
		return what
	}
	for _, index := range slices.Sorted(maps.Keys(of.Query.Equal)) {
		what += " " + index
		if index != "idempotency" { // whose values are hashes, which may be of an id with its time
			what += "=" + anyID.ReplaceAllString(of.Query.Equal[index], "$1")
		}
	}
	return what
}

// part returns a random part of a list.
func part[T any](random *rand.Rand, all []T) (some []T) {
	for _, one := range all {
		if random.IntN(2) == 0 {
			some = append(some, one)
		}
	}
	return some
}
