package profile

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/near"
	"insurance.example/exchange/pkg/sheet"
)

// header finds the columns.
func (r *reader) header(row sheet.Row) error {
	find, lacks := finder(row)
	if r.p.HeaderRow == 0 {
		find = numbered
	}
	r.columns = map[string]int{}
	r.width = named(row)
	for _, of := range r.p.Columns {
		means := of.Means
		if means == reconciliation.Amount {
			means = r.p.AmountBasis
		}
		r.columns[means] = find(of.Column)
	}
	if r.p.Totals.Rule == reconciliation.MarkedTotals {
		r.marked = find(r.p.Totals.Column)
	}
	if len(*lacks) == 0 {
		return nil
	}
	ask := "Is it the header?"
	if r.p.Format == reconciliation.CSV {
		ask = fmt.Sprintf("Is it the header, and is the delimiter %q?", r.p.Delimiter)
	}
	return sheet.NewWrong(fmt.Sprintf("Row %d has not one column %s. %s", row.Number, strings.Join(*lacks, ", "), ask))
}

// finder returns a function that finds a column by its name in a header, and what it could not find.
func finder(row sheet.Row) (find func(name string) int, lacks *[]string) {
	columns, names := map[string][]int{}, []string{}
	for i, cell := range row.Cells {
		if name := plainName(cell.Text); name != "" {
			columns[name] = append(columns[name], i+1)
			names = append(names, strings.Join(strings.Fields(cell.Text), " "))
		}
	}
	lacks = new([]string)
	return func(name string) int {
		of := columns[plainName(name)]
		if len(of) == 1 {
			return of[0]
		}
		lack := strconv.Quote(name)
		if len(of) > 1 {
			lack += fmt.Sprintf(" (it has two: %s and %s)", sheet.Place(of[0], row.Number),
				sheet.Place(of[1], row.Number))
		} else if like := near.Names(name, names); len(like) > 0 {
			lack += fmt.Sprintf(" (near it: %s)", strings.Join(like, ", "))
		}
		*lacks = append(*lacks, lack)
		return 0
	}, lacks
}

// plainName returns what names have in common that are the same to whoever reads them: they may differ in case, in
// blanks and line breaks, and in how letters with accents are composed.
func plainName(name string) string {
	return norm.NFC.String(strings.Join(strings.Fields(cases.Fold().String(norm.NFC.String(name))), " "))
}

// numbered returns the number of a column of a profile that was checked; 0 if it has none.
func numbered(column string) int {
	number, _ := strconv.Atoi(column)
	return number
}
