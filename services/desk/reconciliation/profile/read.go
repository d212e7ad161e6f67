package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/money"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

const (
	// mostRows is how many rows that are items a file may have.
	mostRows = 250_000
	// mostDigits is how many digits the smallest unit of any currency has behind the point.
	mostDigits = 4
)

// Read is what was read of a file.
type Read struct {
	Rows, Quarantined int
	Totals            []reconciliation.StatementTotal
	// Formulas is how many cells were read that are formulas.
	Formulas int
	// Columns are the numbers of the columns by their meanings.
	Columns map[string]int
}

// reader reads the rows of a file.
type reader struct {
	p       *reconciliation.FileProfileTerms
	add     func(match.Entry) error
	columns map[string]int // by meaning, from 1
	marked  int            // the column with the word of totals
	width   width
	item    func(sheet.Row) error // what is done with a row that is an item
	// last is the row that was read last, if the last row holds totals. It is no entry until another one comes.
	last  *sheet.Row
	sums  map[string]money.Amount // by meaning
	found Read
	// currency is the currency of the rows; mixed says that they have several, which are never added.
	currency string
	mixed    bool
}

// Entries calls a function with each row of a file that is an item. Errors: *sheet.WrongError, those of the file and of
// the function.
func Entries(
	p *reconciliation.FileProfileTerms, from io.ReaderAt, size int64, add func(match.Entry) error,
) (Read, error) {
	r := &reader{p: p, add: add, sums: map[string]money.Amount{}}
	r.item = r.entry
	r.found.Totals = []reconciliation.StatementTotal{}
	var err error
	if p.HeaderRow == 0 {
		err = r.header(sheet.Row{})
		if err == nil && p.Format == reconciliation.CSV {
			r.width, err = measured(p, from, size, r.columns)
		}
	}
	if err == nil {
		err = r.read(from, size)
	}
	if err == nil && r.columns == nil {
		err = sheet.NewWrong(fmt.Sprintf("The file has no row %d, where the profile says that the header is.",
			p.HeaderRow))
	}
	r.found.Columns = r.columns
	return r.found, err
}

// read reads the rows of a file.
func (r *reader) read(from io.ReaderAt, size int64) (err error) {
	whole := io.NewSectionReader(from, 0, size)
	if r.p.Format == reconciliation.XLSX {
		err = sheet.XLSX(whole, size, r.p.Sheet, r.row)
	} else {
		err = sheet.CSV(whole, r.p.Delimiter, r.p.Encoding, r.row)
	}
	if err == nil && r.last != nil {
		err = r.totals(*r.last)
	}
	return err
}

// row reads a row.
func (r *reader) row(row sheet.Row) error {
	switch {
	case row.Number < r.p.HeaderRow || blank(row):
		return nil
	case row.Number == r.p.HeaderRow:
		return r.header(row)
	case r.columns == nil:
		return sheet.NewWrong(fmt.Sprintf("Row %d, where the profile says that the header is, is empty.",
			r.p.HeaderRow))
	case r.marked > 0 && strings.EqualFold(strings.TrimSpace(r.cell(row, r.marked).Text),
		strings.TrimSpace(r.p.Totals.Word)):
		return r.totals(row)
	case r.p.Totals.Rule != reconciliation.LastTotals:
		return r.item(row)
	}
	if r.last != nil {
		if err := r.item(*r.last); err != nil {
			return err
		}
	}
	r.last = &sheet.Row{Number: row.Number, Line: row.Line, Cells: append([]sheet.Cell(nil), row.Cells...)}
	return nil
}

func blank(row sheet.Row) bool {
	for _, cell := range row.Cells {
		if cell.Filled() {
			return false
		}
	}
	return true
}

func (r *reader) cell(row sheet.Row, column int) sheet.Cell {
	if column == 0 || column > len(row.Cells) {
		return sheet.Cell{}
	}
	return row.Cells[column-1]
}

// entry reads a row that is an item.
func (r *reader) entry(row sheet.Row) error {
	e := match.Entry{Row: row.Number, Same: same(row)}
	if column := r.width.beyond(row); column > 0 {
		r.noteAt(&e, row, column, "", "is in a column without a name, so that a cell before it may be parted: an "+
			"amount such as 1,234.50 without quotes is two cells")
	}
	r.names(&e, row)
	r.amounts(&e, row)
	if len(e.Wrong) == 0 {
		if err := r.sum(e); err != nil {
			return err
		}
	} else {
		r.found.Quarantined++
	}
	if r.found.Rows++; r.found.Rows > mostRows {
		return sheet.NewWrong(fmt.Sprintf("The file has more than %d rows. Divide it.", mostRows))
	}
	if err := r.add(e); err != nil {
		return err
	}
	r.formulas(row)
	return nil
}

// formulas counts the cells of a row that are read and are formulas.
func (r *reader) formulas(row sheet.Row) {
	for _, column := range r.columns {
		if cell := r.cell(row, column); cell.Formula && cell.Wrong == "" && cell.Filled() {
			r.found.Formulas++
		}
	}
}

// note notes a cell that cannot be read.
func (r *reader) note(e *match.Entry, row sheet.Row, means, reason string) {
	r.noteAt(e, row, max(r.columns[means], 1), means, reason)
}

// noteAt notes what is wrong with a cell of a column, which may have no meaning. The line of the file is named where it
// has another number than the row has in a spreadsheet.
func (r *reader) noteAt(e *match.Entry, row sheet.Row, column int, means, reason string) {
	if row.Line > 0 && row.Line != row.Number {
		reason += fmt.Sprintf(" (line %d)", row.Line)
	}
	value := []rune(strings.ToValidUTF8(r.cell(row, column).Text, "\uFFFD"))
	e.Wrong = append(e.Wrong, reconciliation.RunCell{
		Cell: sheet.Place(column, row.Number), Means: means, Theirs: string(value[:min(len(value), mostKey)]),
		Reason: reason,
	})
}

// names reads the cells of a row that say which record the row is about.
func (r *reader) names(e *match.Entry, row sheet.Row) {
	for _, of := range []struct {
		means string
		to    *string
	}{
		{reconciliation.LineID, &e.LineID}, {reconciliation.PolicyNumber, &e.PolicyNumber},
		{reconciliation.ClaimNumberColumn, &e.ClaimNumber}, {reconciliation.Type, &e.Type},
		{reconciliation.Currency, &e.Currency},
	} {
		value, reason := text(r.cell(row, r.columns[of.means]))
		if reason == "" && identifies(of.means) {
			reason = alike(value)
		}
		if reason != "" {
			r.note(e, row, of.means, reason)
			continue
		}
		*of.to = value
	}
	number, means := e.PolicyNumber, reconciliation.PolicyNumber
	if OfClaims(r.columns) {
		number, means = e.ClaimNumber, reconciliation.ClaimNumberColumn
	}
	if e.LineID == "" && number == "" && len(e.Wrong) == 0 {
		if r.columns[means] == 0 {
			means = reconciliation.LineID
		}
		r.note(e, row, means, "is empty, so that the row names nothing")
	}
	if e.Type != "" {
		is, known := r.p.Types[e.Type]
		if !known {
			r.note(e, row, reconciliation.Type, "is no type that the profile has")
		}
		e.Type = is
	}
	if r.p.Currency != "" {
		e.Currency = r.p.Currency
	} else if !slices.ContainsFunc(e.Wrong, func(of reconciliation.RunCell) bool {
		return of.Means == reconciliation.Currency
	}) && !valuesets.IsCurrency(e.Currency) {
		r.note(e, row, reconciliation.Currency, "is no currency of ISO 4217")
	}
	if cell := r.cell(row, r.columns[reconciliation.Date]); cell.Filled() {
		on, reason := day(r.p, cell)
		if reason != "" {
			r.note(e, row, reconciliation.Date, reason)
		} else {
			e.Date = scalar.Date(on.Format(time.DateOnly))
		}
	}
}

// amounts reads the amounts of a row.
func (r *reader) amounts(e *match.Entry, row sheet.Row) {
	some := false
	e.Amounts = make(match.Amounts, match.OfPremium)
	if OfClaims(r.columns) {
		e.Amounts = make(match.Amounts, len(match.Names))
	}
	for i, means := range match.Names {
		cell := r.cell(row, r.columns[means])
		if !cell.Filled() {
			continue
		}
		some = true
		a, reason := amount(r.p, cell, r.digits(means, e.Currency))
		if reason != "" {
			r.note(e, row, means, reason)
			continue
		}
		e.Amounts[i] = string(a.Decimal())
	}
	for _, means := range match.Names {
		if !some && r.columns[means] > 0 {
			r.note(e, row, means, "is empty, so that the row has no amount")
			return
		}
	}
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

// sum adds the amounts of a row to those of the file.
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
		if r.sums[means], err = r.sums[means].Plus(a); err != nil {
			return err
		}
	}
	return nil
}

// totals compares a row of totals with the sums of the rows before it, if these have one currency.
func (r *reader) totals(row sheet.Row) error {
	if r.mixed {
		return nil
	}
	r.formulas(row)
	for _, means := range match.Names {
		cell := r.cell(row, r.columns[means])
		if !cell.Filled() || len(r.found.Totals) == mostTotals {
			continue
		}
		total := reconciliation.StatementTotal{Cell: sheet.Place(r.columns[means], row.Number), Means: means,
			Sum: r.sums[means].Decimal()}
		if stated, reason := amount(r.p, cell, mostDigits); reason == "" && r.width.beyond(row) == 0 {
			total.Stated, total.Agrees = stated.Decimal(), stated.Cmp(r.sums[means]) == 0
		}
		r.found.Totals = append(r.found.Totals, total)
	}
	return nil
}

// mostTotals is how many totals of a file are kept.
const mostTotals = 1000

// same returns what rows share that have the same cells.
func same(row sheet.Row) string {
	sum := sha256.New()
	for _, cell := range row.Cells {
		fmt.Fprintf(sum, "%d %d %s", cell.Kind, len(cell.Text), cell.Text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
