package reconciliation

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/bordereau"
	"insurance.example/exchange/services/desk/underway"
)

// Reconciler compares files with records. It is safe for concurrent use, once Open has returned.
type Reconciler struct {
	desk                     *bordereau.Desk
	underWay                 *underway.Log
	types                    []string
	now                      func() time.Time
	zone                     *time.Location
	log                      *slog.Logger
	heads, allSeries, blocks docstore.Collection
	// files has a place for each file that is kept while it is read, and memory the bytes for what is worked on.
	files, memory *semaphore.Weighted
}

// New returns a reconciler, for receipts of some types. Open prepares it.
func New(
	of *bordereau.Desk, underWay *underway.Log, types []string, now func() time.Time, zone *time.Location,
	log *slog.Logger,
) *Reconciler {
	return &Reconciler{desk: of, underWay: underWay, types: types, now: now, zone: zone, log: log,
		files: semaphore.NewWeighted(mostFiles), memory: semaphore.NewWeighted(mostMemory)}
}

// Open prepares the collections. It is called once, before anything else is used. It fails where no temporary file can
// be made.
func (r *Reconciler) Open(ctx context.Context, store docstore.Store) (err error) {
	if err := canSpool(); err != nil {
		return err
	}
	if r.heads, err = store.Collection(ctx, docstore.Spec{
		Name: heads, Unlogged: true, Indexes: []docstore.Index{{Name: keyIndex, Unique: true}, {Name: ofIndex}},
	}); err != nil {
		return err
	}
	if r.allSeries, err = store.Collection(ctx, docstore.Spec{
		Name: seriesName, Indexes: []docstore.Index{{Name: keyIndex, Unique: true}},
	}); err != nil {
		return err
	}
	r.blocks, err = store.Collection(ctx, block.Spec(blocks))
	return err
}
