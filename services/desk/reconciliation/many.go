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
	ctx context.Context, id, is string, asked reconciliation.RunDecision,
) (decided reconciliation.RunDecided, err error) {
	of, s, err := r.run(ctx, id)
	if err == nil {
		err = selectionWrong(asked, is)
	}
	if err == nil {
		err = stands(s, id)
	}
	if err != nil {
		return decided, err
	}
	where := asked.Where
	where.PolicyNumber = match.Issued(match.Entry{PolicyNumber: where.PolicyNumber}).PolicyNumber
	read, noted := r.reader(of, s), []reconciliation.RunItem{}
	for number := range of.numbers(where.Outcome, s.hands(id)) {
		kept, err := read.stored(ctx, number)
		if err != nil {
			return decided, err
		}
		item := kept.RunItem
		if !selects(where, is, item) {
			continue
		}
		if err := r.complete(ctx, s, id, &item); err != nil {
			return decided, err
		}
		if item.Decision != where.Decision {
			continue
		}
		if decided.More = len(noted) == mostDecided; decided.More {
			break
		}
		var refused *problem.Error
		if err := r.note(ctx, s, id, item, is, asked.Reason); err == nil {
			noted = append(noted, item)
		} else if !errors.As(err, &refused) || refused.Kind != problem.Transition {
			return decided, err
		}
	}
	if of, s, err = r.run(ctx, id); err != nil {
		return decided, err
	}
	for _, item := range noted {
		if decidable(s, of, item, is) == nil { // or it has become another one meanwhile
			decided.Decided++
		}
	}
	return decided, nil
}

// selectionWrong returns what is wrong with a selection of items.
func selectionWrong(asked reconciliation.RunDecision, is string) error {
	wrong := problem.New(problem.Invalid, "The items cannot be selected as it is asked for.")
	reasoned(wrong, asked.Reason)
	where := asked.Where
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
