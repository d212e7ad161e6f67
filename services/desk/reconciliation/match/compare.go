package match

import (
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
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

// rowAlone returns the cells of a row that no record is paired with.
func (r *run) rowAlone(e Entry) (cells []reconciliation.RunCell) {
	add := func(means, theirs string) {
		if theirs != "" {
			cells = append(cells, reconciliation.RunCell{Cell: r.Cell(means, e.Row), Means: means, Theirs: theirs})
		}
	}
	add(reconciliation.Type, e.Type)
	add(reconciliation.Date, string(e.Date))
	for i, means := range Names {
		add(means, e.Amounts.At(i))
	}
	return cells
}

// recordAlone returns what a record that no row is paired with has of what rows of the file have.
func (r *run) recordAlone(of Record) (cells []reconciliation.RunCell) {
	if r.has == nil {
		r.has = map[string]bool{}
		for _, e := range r.entries {
			for _, cell := range r.rowAlone(e) {
				r.has[cell.Means] = true
			}
		}
	}
	add := func(means, ours string) {
		if ours != "" && r.has[means] {
			cells = append(cells, reconciliation.RunCell{Means: means, Ours: ours})
		}
	}
	add(reconciliation.Type, of.Type)
	add(reconciliation.Date, string(of.Date))
	for i, means := range Names {
		add(means, of.Amounts.At(i))
	}
	return cells
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
