package profile

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/near"
	"insurance.example/exchange/pkg/sheet"
)

// mostSought is how many rows are looked at for a header that has no number.
const mostSought = 50

// part is one of the columns that an amount is the sum of.
type part struct {
	column int // from 1
	less   bool
}

// begin reads a row before the first that may be an item: the header, or one above it.
func (r *reader) begin(row sheet.Row) error {
	header, above := row, r.above
	if r.p.HeaderRows == 2 {
		header = joined(above, row)
		r.above = sheet.Row{Number: row.Number, Cells: slices.Clone(row.Cells)}
	}
	last := r.p.HeaderRow + max(1, r.p.HeaderRows) - 1
	switch {
	case r.p.FindHeader && row.Number > mostSought:
		return r.noHeader()
	case !r.p.FindHeader && row.Number < last:
		return nil
	case !r.p.FindHeader && row.Number > last:
		return sheet.NewWrong(fmt.Sprintf("Row %d, where the profile says that the header is, is empty.", last))
	}
	lacks := r.lay(header)
	switch {
	case len(lacks) == 0:
		r.noteColumns(header)
		r.repeats = append(r.repeats, namesOf(row))
		if r.p.HeaderRows == 2 {
			r.repeats = append(r.repeats, namesOf(above))
		}
		r.before = row.Number
		return nil
	case !r.p.FindHeader:
		return sheet.NewWrong(fmt.Sprintf("Row %d has not one column %s. %s", row.Number, strings.Join(lacks, ", "),
			r.ask("Is it the header?")))
	case r.nearest == nil || len(lacks) < len(r.nearest):
		r.nearest, r.nearestRow = lacks, row.Number
	}
	return nil
}

// noHeader returns what is wrong with a file whose header was not found.
func (r *reader) noHeader() error {
	if r.nearest == nil {
		return sheet.NewWrong(fmt.Sprintf("None of the first %d rows is the header.", mostSought))
	}
	return sheet.NewWrong(fmt.Sprintf("None of the first %d rows names all columns. Row %d, which names most of them, "+
		"has not one column %s. %s", mostSought, r.nearestRow, strings.Join(r.nearest, ", "),
		r.ask("Is one the header?")))
}

// ask returns a question about the header and, for CSV, about what separates its cells.
func (r *reader) ask(question string) string {
	if r.p.Format == reconciliation.CSV {
		return fmt.Sprintf("%s, and is the delimiter %q?", strings.TrimSuffix(question, "?"), r.p.Delimiter)
	}
	return question
}

// otherEncoding says in which of the other encodings the header of a CSV file is found; it is empty without one.
func (r *reader) otherEncoding(from io.ReaderAt, size int64) string {
	for _, encoding := range encodings {
		other := *r.p
		other.Encoding = encoding
		in := &reader{p: &other, head: r.head, item: func(sheet.Row) error { return io.EOF }} // the header is enough
		if encoding != r.p.Encoding && r.p.Format == reconciliation.CSV {
			_ = in.whole(from, size) // the file is wrong as it is declared, whatever is wrong with it otherwise
		}
		if in.columns != nil {
			return fmt.Sprintf(" In the encoding %s it has these columns.", encoding)
		}
	}
	return ""
}

// joined returns a header of two rows: the names of both, joined by a space.
func joined(above, row sheet.Row) sheet.Row {
	if above.Number != row.Number-1 {
		above.Cells = nil
	}
	header := sheet.Row{Number: row.Number, Line: row.Line, HiddenColumns: row.HiddenColumns}
	for i := range max(len(above.Cells), len(row.Cells)) {
		var names []string
		for _, cells := range [][]sheet.Cell{above.Cells, row.Cells} {
			if i < len(cells) {
				names = append(names, cells[i].Text)
			}
		}
		header.Cells = append(header.Cells, sheet.Cell{Text: strings.TrimSpace(strings.Join(names, " "))})
	}
	return header
}

// namesOf returns the names of a row that is a header, or the last row of one.
func namesOf(row sheet.Row) (names []string) {
	for _, cell := range row.Cells {
		names = append(names, plainName(cell.Text))
	}
	return names
}

// repeated reports whether a row is the header, or a row of it, once more.
func (r *reader) repeated(row sheet.Row) bool {
	return slices.ContainsFunc(r.repeats, func(names []string) bool {
		same := 0
		for _, of := range r.columns {
			name := ""
			if of > 0 && of <= len(names) {
				name = names[of-1]
			}
			if plainName(r.cell(row, of).Text) != name {
				return false
			}
			same += min(1, len(name))
		}
		return same > 0
	})
}

// headed returns the column that a cell of the header names.
func (r *reader) headed(text string) string {
	if r.head == nil {
		return text
	}
	return r.head(text)
}

// namesIn returns a header with the columns that its cells name.
func (r *reader) namesIn(header sheet.Row) sheet.Row {
	header.Cells = slices.Clone(header.Cells)
	for i, cell := range header.Cells {
		header.Cells[i].Text = r.headed(cell.Text)
	}
	return header
}

// lay finds the columns in a header, and returns those that it lacks. The empty row stands for a file without one.
func (r *reader) lay(row sheet.Row) []string {
	find, lacks := finder(r.namesIn(row))
	if r.p.HeaderRow == 0 && !r.p.FindHeader {
		find = numbered
	}
	columns, sums, needed := map[string]int{}, map[string][]part{}, 0
	for _, of := range r.p.Columns {
		means := of.Means
		if means == reconciliation.Amount {
			means = r.p.AmountBasis
		}
		column := find(of.Optional, of.Column, of.Synonyms...)
		if !of.Optional {
			needed = max(needed, column)
		}
		if columns[means] == 0 {
			columns[means] = column
		}
		sums[means] = append(sums[means], part{column, of.Less})
		if of.FillMerged {
			r.fills = append(r.fills, column)
		}
	}
	marked := 0
	if r.p.Totals.Rule == reconciliation.MarkedTotals {
		marked = find(false, r.p.Totals.Column, r.synonyms(r.p.Totals.Column)...)
	}
	if len(*lacks) == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(columns)), func(of int) bool {
		return of > 0
	}) && !slices.ContainsFunc(row.Cells, func(cell sheet.Cell) bool { return r.extending(r.headed(cell.Text)) }) {
		*lacks = append(*lacks, "that the profile has")
	}
	if len(*lacks) == 0 {
		r.columns, r.parts, r.needed, r.marked, r.width = columns, sums, needed, marked, named(row)
	}
	return *lacks
}

// synonyms returns the other names of a column that means something.
func (r *reader) synonyms(column string) []string {
	for _, of := range r.p.Columns {
		if plainName(of.Column) == plainName(column) {
			return of.Synonyms
		}
	}
	return nil
}

// finder returns a function that finds a column in a header by its name, or else by one of its synonyms, and what it
// could not find and must be there. It returns 0 for what is not there.
func finder(row sheet.Row) (find func(optional bool, name string, synonyms ...string) int, lacks *[]string) {
	columns, names := map[string][]int{}, []string{}
	for i, cell := range row.Cells {
		if name := plainName(cell.Text); name != "" {
			columns[name] = append(columns[name], i+1)
			names = append(names, strings.Join(strings.Fields(cell.Text), " "))
		}
	}
	lacks = new([]string)
	return func(optional bool, name string, synonyms ...string) int {
		of := columns[plainName(name)]
		for _, synonym := range synonyms {
			if len(columns[plainName(name)]) == 0 {
				of = append(of, columns[plainName(synonym)]...)
			}
		}
		switch {
		case len(of) == 1:
			return of[0]
		case len(of) == 0 && optional:
			return 0
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
func numbered(_ bool, column string, _ ...string) int {
	number, _ := strconv.Atoi(column)
	return number
}
