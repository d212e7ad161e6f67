package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/sheet"
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
	// Notes say what was read in a way of its own, or left out.
	Notes []reconciliation.FileNote
	// Header are the names of the columns, in their order; none in a file without a header.
	Header []string
	// Extensions are the columns that the profile does not have and that were read all the same.
	Extensions []reconciliation.FileColumn
	// Columns are the numbers of the columns by their meanings; of several that an amount is the sum of, the first one.
	Columns map[string]int
}

// reader reads the rows of a file.
type reader struct {
	p     *reconciliation.FileProfileTerms
	add   func(match.Entry) error
	forms []form
	pivot int
	item  func(sheet.Row) error // what is done with a row that is an item
	// extend is the record that other columns give members of too, and takes reports which do.
	extend string
	takes  func(column string) bool
	// head returns the column that a cell of the header names; nil for the text of the cell.
	head func(text string) string
	read Read

	// The header: its columns by meaning, from 1, those that an amount is the sum of, the one with the words of totals,
	// and those whose merged cells are filled.
	columns    map[string]int
	parts      map[string][]part
	marked     int
	needed     int // the last column that a file must have
	fills      []int
	width      width
	repeats    [][]string // the names of its last row
	above      sheet.Row  // the row above, if a header has two
	nearest    []string   // what the row nearestRow lacks, which may be meant
	nearestRow int

	before int // the number of the row that was read before
	// last is the row that was read last, if the last row holds totals, and texts are those behind it.
	last  *sheet.Row
	texts []sheet.Row

	// all are the sums of the rows, section those since the last total of a section.
	all, section sums
	afterTotals  bool
	// currency is the currency of the rows; mixed says that they have several, which are never added.
	currency string
	mixed    bool
}

// Entries calls a function with each row of a file that is an item. Errors: *sheet.WrongError, those of the file and of
// the function.
func Entries(
	p *reconciliation.FileProfileTerms, from io.ReaderAt, size int64, add func(match.Entry) error,
) (Read, error) {
	r := &reader{p: p, add: add, all: sums{}, section: sums{}}
	r.item = r.entry
	return r.file(from, size)
}

// file reads a file.
func (r *reader) file(from io.ReaderAt, size int64) (Read, error) {
	p := r.p
	r.read.Totals = []reconciliation.StatementTotal{}
	for _, written := range p.DateForms {
		f, err := formOf(written)
		if err != nil {
			return r.read, err
		}
		r.forms = append(r.forms, f)
	}
	if p.YearPivot != nil {
		r.pivot = *p.YearPivot
	}
	var err error
	if p.HeaderRow == 0 && !p.FindHeader {
		r.lay(sheet.Row{})
		if p.Format == reconciliation.CSV {
			r.width, err = measured(p, from, size, r.columns)
		}
	}
	if err == nil {
		err = r.whole(from, size)
	}
	if count := r.hiddenRows(); count > 0 && p.HiddenRows != reconciliation.SkipHidden {
		err = sheet.NewWrong(fmt.Sprintf("The file has %d rows that a spreadsheet hides (%s). Show them, or declare "+
			"in the profile whether hiddenRows are read or skipped.", count,
			strings.Join(r.noteAbout(reconciliation.HiddenRowsSkipped).Places, ", ")))
	}
	switch {
	case err == nil && r.columns == nil && p.FindHeader:
		err = r.noHeader()
	case err == nil && r.columns == nil:
		err = sheet.NewWrong(fmt.Sprintf("The file has no row %d, where the profile says that the header is.",
			p.HeaderRow+max(1, p.HeaderRows)-1))
	}
	r.read.Columns = r.columns
	if wrong := (*sheet.WrongError)(nil); errors.As(err, &wrong) && r.columns == nil && headed(*p) {
		err = sheet.NewWrong(wrong.Error() + r.otherEncoding(from, size))
	}
	return r.read, err
}

// whole reads the rows of a file.
func (r *reader) whole(from io.ReaderAt, size int64) (err error) {
	all := io.NewSectionReader(from, 0, size)
	if r.p.Format == reconciliation.XLSX {
		merged := r.p.HeaderRows == 2 || slices.ContainsFunc(r.p.Columns, func(of reconciliation.FileColumn) bool {
			return of.FillMerged
		})
		err = sheet.XLSX(all, size, sheet.Of{Name: r.p.Sheet, Number: r.p.SheetNumber, Merged: merged}, r.row)
	} else {
		err = sheet.CSV(all, r.p.Delimiter, r.p.Encoding, r.row)
	}
	if err == nil {
		err = r.end()
	}
	return err
}

// row reads a row.
func (r *reader) row(row sheet.Row) error {
	switch {
	case blank(row):
		return nil
	case r.columns == nil:
		return r.begin(row)
	}
	if r.before > 0 && row.Number > r.before+1 {
		r.noteRows(reconciliation.EmptyRows, r.before+1, row.Number-1)
	}
	r.before = row.Number
	switch of := r.totalOf(row); {
	case r.hidden(row):
		return nil
	case r.repeated(row):
		r.noteRow(reconciliation.RepeatedHeaders, row.Number)
		return nil
	case of != nil:
		return r.totals(row, of)
	case r.p.Totals.Rule == reconciliation.LastTotals:
		return r.held(row)
	case r.afterTotals && r.text(row):
		r.noteRow(reconciliation.TextBelowTotals, row.Number)
		return nil
	}
	return r.item(row)
}

// entry reads a row that is an item.
func (r *reader) entry(row sheet.Row) error {
	e := match.Entry{Row: row.Number, Same: same(row)}
	if column := r.width.beyond(row); column > 0 {
		e.Wrong = append(e.Wrong, r.wrongAt(row, column, "", "is in a column without a name, so that a cell before it "+
			"may be parted: an amount such as 1,234.50 without quotes is two cells"))
	}
	e.Wrong = append(e.Wrong, r.short(row)...)
	r.names(&e, row)
	r.amounts(&e, row)
	if len(e.Wrong) == 0 {
		if err := r.sum(e); err != nil {
			return err
		}
	} else {
		r.read.Quarantined++
	}
	if r.read.Rows++; r.read.Rows > mostRows {
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
			r.read.Formulas++
		}
	}
}

// note notes a cell that cannot be read.
func (r *reader) note(e *match.Entry, row sheet.Row, means, reason string) {
	e.Wrong = append(e.Wrong, r.wrongAt(row, max(r.columns[means], 1), means, reason))
}

// wrongAt returns what is wrong with a cell of a column, which may have no meaning. The line of the file is named where
// it has another number than the row has in a spreadsheet.
func (r *reader) wrongAt(row sheet.Row, column int, means, reason string) reconciliation.RunCell {
	if row.Line > 0 && row.Line != row.Number {
		reason += fmt.Sprintf(" (line %d)", row.Line)
	}
	value := []rune(strings.ToValidUTF8(r.cell(row, column).Text, "\uFFFD"))
	return reconciliation.RunCell{
		Cell: sheet.Place(column, row.Number), Means: means, Theirs: string(value[:min(len(value), mostKey)]),
		Reason: reason,
	}
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
		is, known := r.typeOf(e.Type)
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
		on, reason := r.day(cell)
		if reason != "" {
			r.note(e, row, reconciliation.Date, reason)
		} else {
			e.Date = scalar.Date(on.Format(time.DateOnly))
		}
	}
}

// typeOf returns what a word of types means, in any case of its letters unless the profile has it in several.
func (r *reader) typeOf(word string) (is string, known bool) {
	if is, known = r.p.Types[word]; known {
		return is, true
	}
	for like, means := range r.p.Types {
		if plainName(like) == plainName(word) {
			if known && means != is {
				return "", false
			}
			is, known = means, true
		}
	}
	return is, known
}

// same returns what rows share that have the same cells.
func same(row sheet.Row) string {
	sum := sha256.New()
	for _, cell := range row.Cells {
		fmt.Fprintf(sum, "%d %d %s", cell.Kind, len(cell.Text), cell.Text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
