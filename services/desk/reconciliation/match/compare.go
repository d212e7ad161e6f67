package match

import (
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/services/desk/money"
)

// compare returns the cells of a row that differ from a record, and the outcome.
func (r *run) compare(e Entry, of Record) (cells []reconciliation.RunCell, outcome string, err error) {
	differ := func(means, theirs, ours string) {
		cells = append(cells, reconciliation.RunCell{
			Cell: r.Cell(means, e.Row), Means: means, Theirs: theirs, Ours: ours,
		})
	}
	index := 0
	if r.Settles {
		index = settled
	}
	for _, text := range []struct{ means, theirs, ours string }{
		{reconciliation.PolicyNumber, e.PolicyNumber, of.PolicyNumber},
		{reconciliation.ClaimNumberColumn, e.ClaimNumber, of.ClaimNumber}, {reconciliation.Type, e.Type, of.Type},
		{reconciliation.Currency, e.Currency, r.currency(of, index)},
	} {
		if text.theirs != "" && text.theirs != text.ours {
			differ(text.means, text.theirs, text.ours)
		}
	}
	if apart(e.Date, of.Date) > r.Window {
		differ(reconciliation.Date, string(e.Date), string(of.Date))
	}
	outcome = reconciliation.Matched
	if len(cells) > 0 {
		outcome = reconciliation.Mismatch
	}
	for i, means := range Names {
		theirs, ours := e.Amounts.At(i), of.Amounts.At(i)
		if theirs == "" {
			continue
		}
		equal, within, err := r.near(theirs, ours)
		switch {
		case err != nil:
			return nil, "", err
		case equal:
			continue
		case !within:
			outcome = reconciliation.Mismatch
		case outcome == reconciliation.Matched:
			outcome = reconciliation.Within
		}
		differ(means, theirs, ours)
	}
	return cells, outcome, nil
}

// near reports whether two amounts are equal, and whether they differ by the tolerance at most.
func (r *run) near(theirs, ours string) (equal, within bool, err error) {
	if theirs == ours {
		return true, true, nil
	}
	a, err := money.Parse(theirs)
	if err != nil {
		return false, false, err
	}
	b, err := money.Parse(ours)
	if err != nil {
		return false, false, err
	}
	by, err := a.Minus(b)
	if err != nil {
		return false, false, err
	}
	if by.Sign() < 0 {
		by = by.Negated()
	}
	return by.Sign() == 0, by.Cmp(r.Tolerance) <= 0, nil
}
