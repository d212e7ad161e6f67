package reconciliation

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// DifferenceColumns are the columns of Differences.
var DifferenceColumns = []table.Column{
	{Name: "Row", Kind: table.Amount}, {Name: "Policy"}, {Name: "Line Id"}, {Name: "Date", Kind: table.Day},
	{Name: "Cell"}, {Name: "Column"}, {Name: "File", Kind: table.Amount}, {Name: "Record", Kind: table.Amount},
	{Name: "Difference", Kind: table.Amount}, {Name: "Outcome"}, {Name: "Reason"}, {Name: "Decision"},
}

// Differences calls a function with the cells of each difference of a run, in the order of its items: one for each cell
// that differs or could not be read or that one side has alone, or a single one where an item has no cells. Items that
// are matched have none; outcome and decision leave out those of others, unless they are empty. Errors:
// problem.NotFound, those of the store and of the function.
func (r *Reconciler) Differences(
	ctx context.Context, id, outcome, decision string, row func(cells []string) error,
) error {
	of, s, err := r.run(ctx, id)
	if err != nil {
		return err
	}
	leave, err := r.Room(ctx, of.Head.Items*rowMemory)
	if err != nil {
		return err
	}
	defer leave()
	reader := r.reader(of, s)
	for number := range of.numbers(outcome, s.hands(id)) {
		item, err := reader.item(ctx, number)
		if err != nil {
			return err
		}
		if item.Outcome == reconciliation.Matched || decision != "" && item.Decision != decision {
			continue
		}
		cells := item.Cells
		if len(cells) == 0 {
			cells = []reconciliation.RunCell{{}}
		}
		for _, cell := range cells {
			if err := row(difference(item, cell)); err != nil {
				return err
			}
		}
	}
	return nil
}

// difference returns the cells of a difference.
func difference(item reconciliation.RunItem, cell reconciliation.RunCell) []string {
	number, by := "", ""
	if item.Row > 0 {
		number = strconv.Itoa(item.Row)
	}
	if slices.Contains(match.Names, cell.Means) && cell.Reason == "" {
		by = less(cell.Theirs, cell.Ours)
	}
	return []string{
		number, item.PolicyNumber, item.LineID, string(item.Since), cell.Cell, cell.Means, cell.Theirs, cell.Ours, by,
		item.Outcome, cmp.Or(cell.Reason, item.Reason), item.Decision,
	}
}

// less returns what the amount of a file is above that of a record; one of both may be absent.
func less(theirs, ours string) string {
	a, wrong := money.Parse(cmp.Or(theirs, "0"))
	b, also := money.Parse(cmp.Or(ours, "0"))
	by, beyond := a.Minus(b)
	if wrong != nil || also != nil || beyond != nil {
		return ""
	}
	return string(by.Decimal())
}
