package bordereau

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/underway"
)

// state returns the state of a period: what became of its last version that was not rejected or, without one, what the
// clock says. daysLate is by how many days its bordereau is late; 0 if it is not, or approved.
func (d *Desk) state(k *contract.Kept, l *ledger, p period.Period) (name string, daysLate int) {
	now := d.now()
	today, _ := calendar.Of(d.zone, now)
	daysLate = max(0, today.Since(due(k, p)))
	for _, v := range slices.Backward(l.of(p)) {
		switch {
		case v.State == desk.Pending:
			return desk.Prepared, daysLate
		case v.State == desk.Approved && v.Acknowledged.By != "":
			return desk.Acknowledged, 0
		case v.State == desk.Approved:
			return desk.Approved, 0
		}
	}
	switch {
	case now.Before(p.Start(k.Zone)):
		return desk.Scheduled, 0
	case now.Before(p.End(k.Zone)):
		return desk.Open, 0
	case daysLate == 0:
		return desk.Due, 0
	}
	return desk.Overdue, daysLate
}

// due returns the day on which the bordereau of a period is due, a day in the exchange's zone.
func due(k *contract.Kept, p period.Period) calendar.Day {
	if on := p.To().Add(*k.DueDays); on.Year <= lastDay.Year {
		return on
	}
	return lastDay
}

// lastDay is the last day that can be written.
var lastDay = calendar.Day{Year: 9999, Month: time.December, Day: 31}

// periodOf returns a period. preparing is the version that is being prepared of any period of the ledger; nil for none.
func (d *Desk) periodOf(
	k *contract.Kept, l *ledger, p period.Period, preparing *underway.Found,
) desk.BordereauPeriod {
	state, daysLate := d.state(k, l, p)
	shown := desk.BordereauPeriod{
		Contract: k.Reference, Owner: k.Owner, Kind: l.Kind, Period: p.String(), State: state,
		Due: scalar.Date(due(k, p).String()), DaysLate: daysLate, Versions: []desk.BordereauStatus{},
	}
	for _, v := range l.of(p) {
		shown.Versions = append(shown.Versions, v.status())
	}
	if preparing != nil && preparing.Part == shown.Period {
		work := preparing.WorkUnderWay
		shown.Preparing = &work
	}
	return shown
}

// Work is what the work list is asked for.
type Work struct {
	// Contract, Owner, Kind and State select; empty for any. The contract of a reference is found as
	// contract.Contracts.InSight says. Overdue are all periods that are late, also those prepared.
	Contract, Owner, Kind, State string
	// From is a month or a quarter, and leaves out periods that end before it; the zero value for none.
	From period.Period
	// After is the Next of the page before, and Limit the most periods of a page.
	After string
	Limit int
}

// Work returns a page of the periods of contracts, from the first of each up to the present one. Errors:
// problem.NotFound for an unknown contract, problem.Ambiguous, those of the store.
func (d *Desk) Work(ctx context.Context, asked Work) (desk.BordereauWork, error) {
	page := desk.BordereauWork{Periods: []desk.BordereauPeriod{}}
	all, err := d.workedOn(ctx, asked)
	if err != nil {
		return page, err
	}
	for _, k := range all {
		if asked.Owner != "" && asked.Owner != k.Owner {
			continue
		}
		for _, kind := range Kinds {
			if asked.Kind != "" && asked.Kind != kind {
				continue
			}
			full, err := d.workOf(k, kind, asked, &page)
			if err != nil || full {
				return page, err
			}
		}
	}
	return page, nil
}

// workedOn returns the contracts whose periods are asked for: one, or all that the caller sees.
func (d *Desk) workedOn(ctx context.Context, asked Work) ([]contract.Visible, error) {
	if asked.Contract == "" {
		return d.contracts.InSightAll(ctx)
	}
	as, _, err := d.contracts.InSight(ctx, asked.Contract, asked.Owner)
	if err != nil {
		return nil, err
	}
	k, err := d.contracts.Get(as, asked.Contract)
	return []contract.Visible{{Kept: k, As: as}}, err
}

// workOf adds the periods of a contract and kind to a page, and reports whether it is full.
func (d *Desk) workOf(
	k contract.Visible, kind string, asked Work, page *desk.BordereauWork,
) (full bool, err error) {
	ctx, last := k.As, k.First.At(d.now(), k.Zone)
	if !asked.goesOn(k.Place(), kind, last) {
		return false, nil
	}
	l, err := d.seen(ctx, k.Kept, kind)
	if stored, is := errors.AsType[*unreadable](err); is {
		d.log.ErrorContext(ctx, "the bordereaux of a contract cannot be read, and are left out", "error", stored,
			"contract", k.Reference, "kind", kind)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	preparing, err := d.preparing(ctx, k.Kept, kind)
	if err != nil {
		return false, err
	}
	for p := k.First; !last.Earlier(p); p = p.Next() {
		if !asked.goesOn(k.Place(), kind, p) || p.EndsBefore(asked.From) {
			continue
		}
		state, daysLate := d.state(k.Kept, l, p)
		if asked.State != "" && asked.State != state && (asked.State != desk.Overdue || daysLate == 0) {
			continue
		}
		if len(page.Periods) == asked.Limit {
			before := page.Periods[asked.Limit-1]
			page.Next = placeOf(before) + "/" + before.Kind + "/" + before.Period
			return true, nil
		}
		period := d.periodOf(k.Kept, l, p, preparing)
		contract.Hide(ctx, &period)
		page.Periods = append(page.Periods, period)
	}
	return false, nil
}

// placeOf returns the place of a period's contract in a list.
func placeOf(p desk.BordereauPeriod) string {
	return contract.Visible{Kept: &contract.Kept{Reference: p.Contract, Owner: p.Owner}}.Place()
}

// goesOn reports whether a period comes after the last one of the page before. Contracts come by their places, which no
// comparison of the texts as a whole would show: "A" is before "A-1", and "A/" behind "A-1/".
func (w Work) goesOn(place, kind string, p period.Period) bool {
	contract, rest, _ := strings.Cut(w.After, "/")
	return cmp.Or(strings.Compare(place, contract), strings.Compare(kind+"/"+p.String(), rest)) > 0
}
