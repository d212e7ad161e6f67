package reconciliation

import (
	"context"
	"log/slog"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/services/desk/bordereau"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/profile"
	"insurance.example/exchange/services/desk/underway"
)

// Reconciler compares files with records. It is safe for concurrent use, once Open has returned.
type Reconciler struct {
	*folder.Folder
	desk      *bordereau.Desk
	underWay  *underway.Log
	types     []string
	memberOf  profile.MemberOf
	now       func() time.Time
	zone      *time.Location
	log       *slog.Logger
	allSeries docstore.Collection
}

// seriesName is the collection of the series. The key of one is the reference of its contract.
const seriesName = "reconciliationLedger"

// New returns a reconciler, for receipts of some types; memberOf knows the members of records. Open prepares it.
func New(
	of *bordereau.Desk, in *folder.Folder, underWay *underway.Log, types []string, memberOf profile.MemberOf,
	now func() time.Time, zone *time.Location, log *slog.Logger,
) *Reconciler {
	return &Reconciler{
		Folder: in, desk: of, underWay: underWay, types: types, memberOf: memberOf, now: now, zone: zone, log: log,
	}
}

// Open prepares the collection of the series. It is called once, before anything else is used.
func (r *Reconciler) Open(ctx context.Context, store docstore.Store) (err error) {
	r.allSeries, err = store.Collection(ctx, docstore.Spec{
		Name: seriesName, Indexes: []docstore.Index{{Name: folder.KeyIndex, Unique: true}},
	})
	return err
}
