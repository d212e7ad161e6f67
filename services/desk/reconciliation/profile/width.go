package profile

import (
	"fmt"
	"io"
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/sheet"
)

// width says of each column whether a filled cell may be in it; without any, all may. A row with a filled cell
// elsewhere may have a cell in two parts, so that what stands behind it is not in the column that it belongs to.
type width []bool

// named returns the columns that a header names, and those before them: no cell to the left of one that is in two parts
// moves.
func named(header sheet.Row) width {
	w, begun := width{}, false
	for _, cell := range header.Cells {
		begun = begun || cell.Filled()
		w = append(w, cell.Filled() || !begun)
	}
	return w
}

// measured returns the columns of a CSV file without a header: as many as the row with the fewest cells has, of the
// rows that are items and have all columns of the profile.
func measured(
	p *reconciliation.FileProfileTerms, from io.ReaderAt, size int64, columns map[string]int,
) (width, error) {
	last, fewest := 0, 0
	for _, column := range columns {
		last = max(last, column)
	}
	r := &reader{p: p, columns: columns, marked: numbered(false, p.Totals.Column)}
	r.item = func(row sheet.Row) error {
		if count := len(row.Cells); count >= last && (fewest == 0 || count < fewest) {
			fewest = count
		}
		return nil
	}
	err := r.whole(from, size)
	w := make(width, fewest)
	for i := range w {
		w[i] = true
	}
	return w, err
}

// count returns how many columns there are, up to the last in which a filled cell may be.
func (w width) count() int {
	for i := len(w); i > 0; i-- {
		if w[i-1] {
			return i
		}
	}
	return 0
}

// short returns what is wrong with a row of CSV that has fewer cells than there are columns. Some programs leave out
// what separates empty cells at the end of a row, so that cells of columns that a file need not have are read as empty,
// which is noted. Without a cell of another column a line may have been parted in two, and without a line end the file
// may have been cut off in the row: it is not guessed what would be there. A workbook keeps no empty cells.
func (r *reader) short(row sheet.Row) []reconciliation.RunCell {
	has, columns := len(row.Cells), max(r.width.count(), r.needed)
	if r.p.Format != reconciliation.CSV || has >= columns {
		return nil
	}
	reason := fmt.Sprintf("ends its row, which has %d of %d cells", has, columns)
	if row.Unended {
		reason += "; the file ends there without a line end, so that it may have been cut off"
	}
	if row.Unended || r.needed > has {
		return []reconciliation.RunCell{r.wrongAt(row, has, "", reason)}
	}
	for _, parts := range r.parts {
		if slices.ContainsFunc(parts, func(of part) bool { return of.column > has }) {
			r.noteRow(reconciliation.ShortRows, row.Number)
			break
		}
	}
	return nil
}

// beyond returns the number, from 1, of the first column in which a row has a filled cell and may not; 0 without one.
func (w width) beyond(row sheet.Row) int {
	for i, cell := range row.Cells {
		if len(w) > 0 && (i >= len(w) || !w[i]) && cell.Filled() && !cell.Merged {
			return i + 1
		}
	}
	return 0
}
