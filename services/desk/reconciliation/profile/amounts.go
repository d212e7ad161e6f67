package profile

import (
	"slices"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// amounts reads the amounts of a row.
func (r *reader) amounts(e *match.Entry, row sheet.Row) {
	some := false
	e.Amounts = make(match.Amounts, match.OfPremium)
	if OfClaims(r.columns) {
		e.Amounts = make(match.Amounts, len(match.Names))
	}
	for i, means := range match.Names {
		if !r.filled(row, means) {
			continue
		}
		some = true
		wrong := len(e.Wrong)
		if a := r.amount(row, means, e.Currency, r.digits(means, e.Currency), &e.Wrong); len(e.Wrong) == wrong {
			e.Amounts[i] = string(a.Decimal())
		}
	}
	for _, means := range match.Names {
		if !some && r.columns[means] > 0 {
			r.note(e, row, means, "is empty, so that the row has no amount")
			return
		}
	}
}

// filled reports whether a row has a cell of those that an amount is the sum of.
func (r *reader) filled(row sheet.Row, means string) bool {
	return slices.ContainsFunc(r.parts[means], func(of part) bool { return r.cell(row, of.column).Filled() })
}

// amount returns an amount of a row, the sum of its cells, and adds those that cannot be read to the wrong ones.
func (r *reader) amount(
	row sheet.Row, means, currency string, most int, wrong *[]reconciliation.RunCell,
) (sum money.Amount) {
	for _, of := range r.parts[means] {
		cell := r.cell(row, of.column)
		if !cell.Filled() {
			continue
		}
		a, reason := amount(r.p, cell, currency, most)
		if of.less {
			a = a.Negated()
		}
		if reason == "" {
			var err error
			if sum, err = sum.Plus(a); err != nil {
				reason = "makes a sum that is too large"
			}
		}
		if reason != "" {
			*wrong = append(*wrong, r.wrongAt(row, of.column, means, reason))
		}
	}
	return sum
}

// digits returns how many digits an amount may have behind the point.
func (r *reader) digits(means, currency string) int {
	if !valuesets.IsCurrency(currency) || means == reconciliation.Settled && !Settles(r.columns) {
		return mostDigits
	}
	return valuesets.CurrencyDigits(currency)
}

// Settles reports whether the currency of rows with some columns is the one that is settled in.
func Settles(columns map[string]int) bool {
	for _, means := range match.Names[:match.OfPremium] {
		if means != reconciliation.Settled && columns[means] > 0 {
			return false
		}
	}
	return true
}

// OfClaims reports whether rows with some columns are about claims.
func OfClaims(columns map[string]int) bool {
	return slices.ContainsFunc(ofClaims, func(means string) bool { return columns[means] > 0 })
}

// ofClaims are the meanings that only columns of files about claims have.
var ofClaims = append([]string{reconciliation.ClaimNumberColumn}, match.Names[match.OfPremium:]...)
