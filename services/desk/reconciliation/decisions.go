package reconciliation

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/visible"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// mostReason is how many characters a reason may have.
const mostReason = 2000

// decision is what somebody has decided about an item.
type decision struct {
	Item   int       `json:"item"`
	Is     string    `json:"is"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
	// Month is the one from which the item ages, and Open whether it asked for a decision.
	Month string `json:"month"`
	Open  bool   `json:"open"`
	// Hand is the version of the series in which the item became a pair by hand, 0 for an item that is none.
	Hand int64 `json:"hand,omitzero"`
	// Before are the decisions that this one took the place of.
	Before []decision `json:"before,omitzero"`
}

// mostBefore is how many decisions about an item are kept.
const mostBefore = 20

func decisionsOf(run string) string { return "decision/" + run }

// address is where the decision about an item is kept: where its pair was made, or became one by hand.
type address struct {
	reconciliation.RunPlace
	hand int64
}

func (a address) key() string {
	key := fmt.Sprintf("%s/%d", decisionsOf(a.Run), a.Item)
	if a.hand > 0 {
		key += fmt.Sprintf("/%d", a.hand)
	}
	return key
}

// decisions returns what was decided about the items of a run.
func (r *Reconciler) decisions(ctx context.Context, run string) (all []decision, err error) {
	err = folder.Each(ctx, r.Folder, decisionsOf(run), false, func(_ folder.Head, d decision) { all = append(all, d) })
	return all, err
}

// parted returns the items of a run that somebody has parted.
func (r *Reconciler) parted(ctx context.Context, run string) (map[int]bool, error) {
	items := map[int]bool{}
	return items, folder.Each(ctx, r.Folder, decisionsOf(run), false, func(_ folder.Head, d decision) {
		if d.Is == reconciliation.Unmatched {
			items[d.Item] = true
		}
	})
}

// decidedAt returns where the decision about an item of a run is kept.
func decidedAt(s *series, run string, item reconciliation.RunItem) address {
	at := reconciliation.RunPlace{Run: run, Item: item.Number}
	if item.PairedIn != nil && match.Paired(item.Outcome) {
		at = *item.PairedIn
	}
	if h := handOf(s.hands(at.Run), at.Item); h != nil {
		return address{at, h.Version}
	}
	return address{RunPlace: at}
}

// reasoned notes what is wrong with a reason.
func reasoned(wrong *problem.Error, reason string) {
	if !visible.In(reason) || utf8.RuneCountInString(reason) > mostReason {
		wrong.At("/reason", fmt.Sprintf("must have 1 to %d characters", mostReason))
	}
}

// Decide notes a decision about an item of a run. Errors: problem.NotFound, problem.Invalid, problem.Transition, those
// of the store.
func (r *Reconciler) Decide(
	ctx context.Context, id, number, is string, why reconciliation.DecisionReason,
) (reconciliation.RunItem, error) {
	item, err := r.Item(ctx, id, number)
	if err != nil {
		return item, err
	}
	wrong := problem.New(problem.Invalid, "A decision has a reason.")
	if reasoned(wrong, why.Reason); len(wrong.Violations) > 0 {
		return item, wrong
	}
	if err := r.decide(ctx, id, item, is, why.Reason); err != nil {
		return item, err
	}
	return r.Item(ctx, id, number)
}

// decide notes a decision about an item as it was read. Errors: problem.Transition, those of the store.
func (r *Reconciler) decide(
	ctx context.Context, id string, item reconciliation.RunItem, is, reason string,
) error {
	of, s, err := r.run(ctx, id)
	if err == nil {
		err = decidable(s, of, item, is)
	}
	if err != nil {
		return err
	}
	if err := r.note(ctx, s, id, item, is, reason); err != nil {
		return err
	}
	if of, s, err = r.run(ctx, id); err == nil {
		err = decidable(s, of, item, is) // nor has the item become another one meanwhile
	}
	return err
}

// note keeps a decision about an item of a series as it was read. Errors: problem.Transition, those of the store.
func (r *Reconciler) note(
	ctx context.Context, s *series, id string, item reconciliation.RunItem, is, reason string,
) error {
	at := decidedAt(s, id, item)
	return docstore.Again(func() error {
		var was decision
		h, err := r.Find(ctx, at.key(), &was)
		if err != nil {
			return err
		}
		next := decision{Item: at.Item, Is: is, By: request.CallerFrom(ctx).Key(), At: r.now(), Reason: reason,
			Month: month(item), Open: match.Open(item.Outcome), Hand: at.hand}
		if h != nil && was.Is == is && was.By == next.By && was.Reason == next.Reason {
			return nil // it was sent again
		}
		if err := moves(item.Outcome, was.Is, is, len(was.Before)); err != nil {
			return err
		}
		if h != nil {
			next.Before = was.Before
			was.Before = nil
			next.Before = append(next.Before, was)
		}
		_, err = r.Write(ctx, h, at.key(), decisionsOf(at.Run), next)
		return err
	})
}

// decidable refuses decisions about an item that has become another one.
func decidable(s *series, of *run, item reconciliation.RunItem, is string) error {
	refuse := func(words string) error {
		return problem.New(problem.Transition, words).With("state", item.Outcome)
	}
	for _, run := range []string{of.Head.ID, decidedAt(s, of.Head.ID, item).Run} {
		if err := stands(s, run); err != nil {
			return err
		}
	}
	h := handOf(s.hands(of.Head.ID), item.Number)
	switch {
	case h == nil && item.Paired != nil && item.Paired.With > 0:
		return refuse("The pair was parted.")
	case h == nil:
		return nil
	case item.Paired == nil:
		return refuse(fmt.Sprintf("Items %d and %d were paired by hand, and are item %d.", h.Items[rowItem],
			h.Items[recordItem], h.Items[rowItem]))
	case is == reconciliation.Unmatched:
		return refuse("The pair was made by hand, and :unpair of the run parts it.")
	}
	return nil
}

// moves refuses a decision that the outcome or the decision before does not allow.
func moves(outcome, was, is string, before int) error {
	refuse := func(words string) error { return problem.New(problem.Transition, words).With("state", was) }
	switch {
	case was == reconciliation.Unmatched:
		return refuse("The pair was parted. Compare the statement again to see what its row and record are now.")
	case before >= mostBefore:
		return refuse(fmt.Sprintf("There were %d decisions about the item, as many as there may be.", mostBefore+1))
	case is == was:
		return refuse("The item is " + was + " already.")
	case is == reconciliation.Unmatched && !match.Paired(outcome):
		return refuse("Only a pair is parted, and the item is " + outcome + ".")
	case is == reconciliation.Accepted && !match.Open(outcome):
		return refuse("The item is " + outcome + ", so that there is no difference to accept.")
	}
	return nil
}

// show adds the decision about an item to it.
func (d decision) show(item *reconciliation.RunItem) {
	item.Decision, item.DecidedBy, item.Reason = d.Is, d.By, d.Reason
	item.DecidedAt = scalar.Instant(d.At)
}
