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
	// Before are the decisions that this one took the place of.
	Before []decision `json:"before,omitzero"`
}

// mostBefore is how many decisions about an item are kept.
const mostBefore = 20

func decisionsOf(run string) string { return "decision/" + run }

func decisionKey(at reconciliation.RunPlace) string {
	return fmt.Sprintf("%s/%d", decisionsOf(at.Run), at.Item)
}

// parted returns the items of a run that somebody has parted.
func (r *Reconciler) parted(ctx context.Context, run string) (map[int]bool, error) {
	items := map[int]bool{}
	return items, each(ctx, r, decisionsOf(run), func(_ head, d decision) {
		if d.Is == reconciliation.Unmatched {
			items[d.Item] = true
		}
	})
}

// decidedAt returns where the decision about an item of a run is kept: where its pair was made.
func decidedAt(run string, item reconciliation.RunItem) reconciliation.RunPlace {
	if item.PairedIn != nil && match.Paired(item.Outcome) {
		return *item.PairedIn
	}
	return reconciliation.RunPlace{Run: run, Item: item.Number}
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
	if !visible.In(why.Reason) || utf8.RuneCountInString(why.Reason) > mostReason {
		return item, problem.New(problem.Invalid, "A decision has a reason.").At("/reason",
			fmt.Sprintf("must have 1 to %d characters", mostReason))
	}
	at := decidedAt(id, item)
	err = docstore.Again(func() error {
		var was decision
		h, err := r.find(ctx, decisionKey(at), &was)
		if err != nil {
			return err
		}
		next := decision{Item: at.Item, Is: is, By: request.CallerFrom(ctx).Key(), At: r.now(), Reason: why.Reason,
			Month: month(item), Open: match.Open(item.Outcome)}
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
		_, err = r.write(ctx, h, decisionKey(at), decisionsOf(at.Run), next)
		return err
	})
	if err != nil {
		return item, err
	}
	return r.Item(ctx, id, number)
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
