package bordereau

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/source"
	"insurance.example/exchange/services/desk/underway"
)

// Kinds are the kinds of bordereaux, sorted.
var Kinds = []string{desk.Claims, desk.Premium}

// Desk prepares and keeps bordereaux. It is safe for concurrent use, once Open has returned.
type Desk struct {
	contracts *contract.Contracts
	source    *source.Source
	underWay  *underway.Log
	now       func() time.Time
	// zone is that of the exchange, in which days are due.
	zone *time.Location
	// layout is the number of the layout of exports.
	layout  int
	log     *slog.Logger
	ledgers docstore.Kept[ledger]
	blocks  docstore.Collection
	// supplements are what was added to claims; see supplement.go.
	supplements docstore.Kept[supplement]
}

// New returns a desk. Open prepares it. One that prepares and compares nothing needs no log of what is under way, and
// layout is the number of the layout of exports, from 1; one that exports and approves nothing needs none. Stored
// bordereaux that cannot be read are logged.
func New(
	contracts *contract.Contracts, from *source.Source, underWay *underway.Log, now func() time.Time,
	zone *time.Location, layout int, log *slog.Logger,
) *Desk {
	return &Desk{contracts: contracts, source: from, underWay: underWay, now: now, zone: zone, layout: layout, log: log}
}

// Open prepares the collections. It is called once, before anything else is used.
func (d *Desk) Open(ctx context.Context, store docstore.Store) (err error) {
	ledgers, err := store.Collection(ctx, ledgerSpec())
	if err != nil {
		return err
	}
	d.ledgers = keptLedgers(ledgers)
	if d.blocks, err = store.Collection(ctx, block.Spec(blocks)); err != nil {
		return err
	}
	in, err := store.Collection(ctx, docstore.Spec{
		Name: supplements, Unlogged: true, Indexes: []docstore.Index{{Name: claimIndex, Unique: true}},
	})
	d.supplements = keptSupplements(in)
	return err
}

// Place names a period of a contract, as a path does.
type Place struct{ Contract, Kind, Period string }

// periodAt returns the period of a place, and what is wrong with the place.
func (d *Desk) periodAt(at Place) (p period.Period, wrong *problem.Error, err error) {
	wrong = problem.New(problem.BadParameter, "A parameter has a value that it cannot have.")
	if !slices.Contains(Kinds, at.Kind) {
		wrong.InParameter("kind", "must be "+strings.Join(Kinds, " or "))
	}
	p, ok := period.Parse(at.Period)
	if !ok {
		wrong.InParameter("period", "must be a month such as 2026-01, or a quarter such as 2026-Q1 or 2026-02-3M")
	}
	if len(wrong.Violations) > 0 {
		return p, wrong, wrong
	}
	return p, wrong, nil
}

// place returns the contract and the period that a path names. Errors: problem.NotFound, problem.BadParameter, those of
// the store.
func (d *Desk) place(ctx context.Context, at Place) (*contract.Kept, period.Period, error) {
	k, err := d.contracts.Get(ctx, at.Contract)
	if err != nil {
		return nil, period.Period{}, err
	}
	p, wrong, err := d.periodAt(at)
	if err != nil {
		return nil, p, err
	}
	if !p.InRow(k.First) {
		return nil, p, wrong.InParameter("period", "must be a "+k.Frequency+", as the frequency of the contract says, "+
			"such as "+k.First.String())
	}
	return k, p, nil
}

// version returns the version that a path names, with its contract and ledger. Errors: as place; problem.NotFound.
func (d *Desk) version(ctx context.Context, at Place, number string) (*contract.Kept, *ledger, *version, error) {
	k, p, err := d.place(ctx, at)
	if err != nil {
		return nil, nil, nil, err
	}
	l, err := d.ledger(ctx, k.Reference, at.Kind)
	if err != nil {
		return nil, nil, nil, err
	}
	n, err := strconv.Atoi(number)
	v := l.numbered(p, n)
	if v != nil && v.State != desk.Approved && !k.ShowsDrafts(ctx) {
		v = nil
	}
	if err != nil || v == nil || strconv.Itoa(n) != number {
		return nil, nil, nil, problem.New(problem.NotFound, "The period has no version "+problem.Short(number)+".")
	}
	return k, l, v, nil
}

// Reported reports whether a version of a contract that is pending or stands has lines of a policy.
func (d *Desk) Reported(ctx context.Context, reference, policyNumber string) (bool, error) {
	for _, kind := range Kinds {
		l, err := d.ledger(ctx, reference, kind)
		if err != nil {
			return false, err
		}
		for _, v := range l.Versions {
			if v.State == desk.Rejected {
				continue
			}
			has := false
			if err := eachLine(ctx, d, v, func(line identity) error {
				has = has || line.PolicyNumber == policyNumber
				return nil
			}); err != nil || has {
				return has, err
			}
		}
	}
	return false, nil
}

// Taken returns what the rule of a contract has taken into versions that are pending or approved. Errors: those of the
// store.
func (d *Desk) Taken(ctx context.Context, k *contract.Kept) (contract.Taken, error) {
	all := contract.Taken{}
	for _, kind := range Kinds {
		l, err := d.ledger(ctx, k.Reference, kind)
		if err != nil {
			return nil, err
		}
		for _, v := range l.Versions {
			if v.State == desk.Rejected || v.Head.Lines == 0 {
				continue
			}
			then, err := d.contracts.Numbered(ctx, k.Reference, v.Head.ContractVersion)
			if err != nil {
				return nil, err
			}
			all.With(v.taken(then))
		}
	}
	return all, nil
}
