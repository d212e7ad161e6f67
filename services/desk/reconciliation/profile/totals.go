package profile

import (
	"cmp"
	"strings"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

const (
	// mostTotals is how many totals of a file are kept.
	mostTotals = 1000
	// mostTexts is how many rows below one that may be the last are kept until it is known whether they are text.
	mostTexts = 50
)

// sums are the amounts of rows by their meanings.
type sums map[string]money.Amount

// sum adds the amounts of a row to those of the file and of its section.
func (r *reader) sum(e match.Entry) error {
	r.mixed = r.mixed || r.currency != "" && r.currency != e.Currency
	r.currency = e.Currency
	for i, of := range e.Amounts {
		if of == "" {
			continue
		}
		a, err := money.Parse(of)
		if err != nil {
			return err
		}
		means := match.Names[i]
		for _, to := range []sums{r.all, r.section} {
			if to[means], err = to[means].Plus(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// totalOf returns the sums that a row states by its word, nil for a row that is none of totals.
func (r *reader) totalOf(row sheet.Row) sums {
	word := strings.TrimSpace(r.cell(row, r.marked).Text)
	for of, said := range map[*sums]string{&r.all: r.p.Totals.Word, &r.section: r.p.Totals.SectionWord} {
		if said != "" && strings.EqualFold(word, strings.TrimSpace(said)) {
			return *of
		}
	}
	return nil
}

// totals compares a row of totals with sums of rows before it, if these have one currency.
func (r *reader) totals(row sheet.Row, of sums) error {
	defer clear(r.section)
	r.afterTotals = true
	if r.mixed {
		return nil
	}
	r.formulas(row)
	for _, means := range match.Names {
		if !r.filled(row, means) || len(r.read.Totals) == mostTotals {
			continue
		}
		total := reconciliation.StatementTotal{Cell: sheet.Place(r.columns[means], row.Number), Means: means,
			Sum: of[means].Decimal()}
		var wrong []reconciliation.RunCell
		stated := r.amount(row, means, cmp.Or(r.currency, r.p.Currency), mostDigits, &wrong)
		if len(wrong) == 0 && r.width.beyond(row) == 0 {
			total.Stated, total.Agrees = stated.Decimal(), stated.Cmp(of[means]) == 0
		}
		r.read.Totals = append(r.read.Totals, total)
	}
	return nil
}

// text reports whether a row says something about the rows above it and is no item: none of its cells is an amount, and
// of those that mean something one at most is filled.
func (r *reader) text(row sheet.Row) bool {
	some := 0
	for _, column := range r.columns {
		if r.cell(row, column).Filled() {
			some++
		}
	}
	for _, means := range match.Names {
		if r.filled(row, means) {
			return false
		}
	}
	return some <= 1
}

// held reads a row of a file whose last row holds totals. It is no item until another one comes; text may follow it.
func (r *reader) held(row sheet.Row) error {
	row.Cells = append([]sheet.Cell(nil), row.Cells...)
	if r.last != nil && r.text(row) && len(r.texts) < mostTexts {
		r.texts = append(r.texts, row)
		return nil
	}
	if r.last != nil {
		for _, item := range append([]sheet.Row{*r.last}, r.texts...) {
			if err := r.item(item); err != nil {
				return err
			}
		}
	}
	r.last, r.texts = &row, nil
	return nil
}

// end reads what was held until the end of the file.
func (r *reader) end() error {
	if r.last != nil {
		if err := r.totals(*r.last, r.all); err != nil {
			return err
		}
		for _, row := range r.texts {
			r.noteRow(reconciliation.TextBelowTotals, row.Number)
		}
	}
	if r.p.Totals.Rule != reconciliation.NoTotals && len(r.read.Totals) == 0 {
		r.noteWhole(reconciliation.NoTotalsCompared)
	}
	return nil
}
