package reconciliation

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// mostDecided is how many items a request decides on.
const mostDecided = 10_000

var months = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`)

// DecideAll notes a decision about each item that a request selects, one after the other: a request that ends before
// has decided on some, and goes on when it is sent again. Errors: problem.NotFound, problem.Invalid,
// problem.Transition, those of the store.
func (r *Reconciler) DecideAll(
	ctx context.Context, id, is string, order reconciliation.RunDecision,
) (decided reconciliation.RunDecided, err error) {
	of, s, err := r.run(ctx, id)
	if err == nil {
		err = selectionWrong(order, is)
	}
	if err == nil {
		err = stands(s, id)
	}
	if err != nil {
		return decided, err
	}
	where := order.Where
	where.PolicyNumber = match.Issued(match.Entry{PolicyNumber: where.PolicyNumber}).PolicyNumber
	reader, items := r.reader(of, s), []reconciliation.RunItem{}
	for number := range of.numbers(where.Outcome, s.hands(id)) {
		whole, err := reader.stored(ctx, number)
		if err != nil {
			return decided, err
		}
		item := whole.RunItem
		if !selects(where, is, item) {
			continue
		}
		if err := r.complete(ctx, s, id, &item); err != nil {
			return decided, err
		}
		if item.Decision != where.Decision {
			continue
		}
		if decided.More = len(items) == mostDecided; decided.More {
			break
		}
		var refusal *problem.Error
		if err := r.note(ctx, s, id, item, is, order.Reason); err == nil {
			items = append(items, item)
		} else if !errors.As(err, &refusal) || refusal.Kind != problem.Transition {
			return decided, err
		}
	}
	if of, s, err = r.run(ctx, id); err != nil {
		return decided, err
	}
	for _, item := range items {
		if decidable(s, of, item, is) == nil { // or it has become another one meanwhile
			decided.Decided++
		}
	}
	return decided, nil
}

// selectionWrong returns what is wrong with a selection of items.
func selectionWrong(order reconciliation.RunDecision, is string) error {
	wrong := problem.New(problem.Invalid, "The items cannot be selected as it is asked for.")
	reasoned(wrong, order.Reason)
	where := order.Where
	if where == (reconciliation.RunWhere{}) {
		wrong.At("/where", "must say at least one thing about the items")
	}
	if where.Outcome != "" && !slices.Contains(reconciliation.Outcomes, where.Outcome) {
		wrong.At("/where/outcome", "must be one of "+strings.Join(reconciliation.Outcomes, ", "))
	} else if where.Outcome != "" && is == reconciliation.Accepted && !match.Open(where.Outcome) {
		wrong.At("/where/outcome", "is one of pairs without a difference, which are not accepted")
	}
	if where.Month != "" && !months.MatchString(where.Month) {
		wrong.At("/where/month", "must be a month, such as 2026-01")
	}
	other := map[string]string{
		reconciliation.Accepted: reconciliation.Disputed, reconciliation.Disputed: reconciliation.Accepted,
	}[is]
	if where.Decision != "" && where.Decision != other {
		wrong.At("/where/decision", "must be "+other)
	}
	if len(wrong.Violations) > 0 {
		return wrong
	}
	return nil
}

// selects reports whether an item, whatever was decided about it, is as a selection says and may be decided so.
func selects(where reconciliation.RunWhere, is string, item reconciliation.RunItem) bool {
	return (where.PolicyNumber == "" || where.PolicyNumber == item.PolicyNumber) &&
		(where.Month == "" || where.Month == month(item)) &&
		(is != reconciliation.Accepted || match.Open(item.Outcome))
}
