package profile

import (
	"slices"
	"strconv"
	"strings"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/sheet"
)

// mostPlaces is how many rows or columns a note names.
const mostPlaces = 20

// noteAbout returns the note of a kind.
func (r *reader) noteAbout(kind string) *reconciliation.FileNote {
	for i := range r.read.Notes {
		if r.read.Notes[i].Kind == kind {
			return &r.read.Notes[i]
		}
	}
	r.read.Notes = append(r.read.Notes, reconciliation.FileNote{Kind: kind})
	return &r.read.Notes[len(r.read.Notes)-1]
}

// noteWhole notes something about the whole file.
func (r *reader) noteWhole(kind string) { r.noteAbout(kind) }

// noteRow notes something about a row.
func (r *reader) noteRow(kind string, row int) { r.noteRows(kind, row, row) }

// noteRows notes something about rows that follow one another.
func (r *reader) noteRows(kind string, first, last int) {
	note := r.noteAbout(kind)
	note.Count += last - first + 1
	for row := first; row <= last && len(note.Places) < mostPlaces; row++ {
		note.Places = append(note.Places, strconv.Itoa(row))
	}
}

// noteColumns notes which columns with a name a spreadsheet does not show, and of a file that is imported those that
// the profile does not have.
func (r *reader) noteColumns(header sheet.Row) {
	r.extends(header)
	for i, cell := range header.Cells {
		r.read.Header = append(r.read.Header, strings.ToValidUTF8(cell.Text, "\uFFFD"))
		if cell.Filled() && slices.Contains(header.HiddenColumns, i+1) {
			r.noteColumn(reconciliation.HiddenColumns, i+1)
		}
		if cell.Filled() && len(r.p.Records) > 0 && !r.reads(i+1) {
			r.noteColumn(reconciliation.ColumnsNotRead, i+1)
		}
	}
}

// noteColumn notes something about a column.
func (r *reader) noteColumn(kind string, column int) {
	note := r.noteAbout(kind)
	if note.Count++; len(note.Places) < mostPlaces {
		note.Places = append(note.Places, sheet.Column(column))
	}
}

// hidden reports whether a row is left out because a spreadsheet does not show it, and notes it. Without a declaration
// the file is refused once all are counted, and so that nothing of it is used, no row is an item from then on.
func (r *reader) hidden(row sheet.Row) (out bool) {
	kind := reconciliation.HiddenRowsSkipped
	if r.p.HiddenRows == reconciliation.ReadHidden {
		kind = reconciliation.HiddenRowsRead
	}
	if row.Hidden {
		r.noteRow(kind, row.Number)
	}
	undeclared := r.p.HiddenRows == "" || r.p.HiddenRows == reconciliation.RefuseHidden
	return row.Hidden && kind == reconciliation.HiddenRowsSkipped || undeclared && r.hiddenRows() > 0
}

// hiddenRows returns how many hidden rows were left out.
func (r *reader) hiddenRows() int {
	for _, note := range r.read.Notes {
		if note.Kind == reconciliation.HiddenRowsSkipped {
			return note.Count
		}
	}
	return 0
}
