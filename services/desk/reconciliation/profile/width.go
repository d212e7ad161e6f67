package profile

import (
	"io"

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

// beyond returns the number, from 1, of the first column in which a row has a filled cell and may not; 0 without one.
func (w width) beyond(row sheet.Row) int {
	for i, cell := range row.Cells {
		if len(w) > 0 && (i >= len(w) || !w[i]) && cell.Filled() && !cell.Merged {
			return i + 1
		}
	}
	return 0
}
