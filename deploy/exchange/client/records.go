package client

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/sheet"
)

// tableReader reads the records of a table, which has a header and then a record in each row.
type tableReader struct {
	importing
	columns table.Columns
	// layout is filled before the first record.
	layout *layout
	notes  *notes

	sheets  []sheet.Sheet // of a workbook
	input   *counter      // of CSV
	header  []string      // as it is in the file, with the column of reasons
	reason  int           // index of the column of reasons, -1 for none
	records *table.Reader // nil before the header
}

// notes are what is said of a table that was read.
type notes struct {
	formulas        int
	headers, hidden places // that were left out, and that are not shown
}

// words returns a sentence for each thing that there is to say.
func (n *notes) words(hiddenRows string) (all []string) {
	if n.formulas > 0 {
		all = append(all, fmt.Sprintf("Cells that are formulas, taken by their stored values: %d.", n.formulas))
	}
	if n.headers.count > 0 {
		all = append(all, fmt.Sprintf("Left out, because the header is repeated there: %s.", n.headers))
	}
	if n.hidden.count > 0 {
		done := map[string]string{readHidden: "Read, although hidden", skipHidden: "Left out, because hidden"}
		all = append(all, fmt.Sprintf("%s: %s.", done[hiddenRows], n.hidden))
	}
	return all
}

// errEnough ends the reading of a file of which enough was read.
var errEnough = errors.New("enough was read")

// rows yields the records of a table. Rows without any value are skipped. An error is the last that it yields.
func (t *tableReader) rows(r io.Reader) iter.Seq2[row, error] {
	read := t.csv
	if t.format == asXLSX {
		read = t.xlsx
	}
	return func(yield func(row, error) bool) {
		err := read(r, func(of sheet.Row) error {
			switch {
			case t.records == nil:
				return t.beforeRecords(of)
			case t.leftOut(of) || yield(t.row(of), nil):
				return nil
			}
			return errEnough
		})
		if err == nil && t.records == nil {
			err = errors.New("there is no header")
			if t.headerRow > 0 {
				err = usage("there is no row %d, where --header-row says that the header is", t.headerRow)
			}
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(row{}, err)
		}
	}
}

// heads reports whether a row is the header: the one that was named, or else the first with a value.
func (t *tableReader) heads(row sheet.Row) bool {
	if t.headerRow > 0 {
		return row.Number == t.headerRow
	}
	return len(toLastFilled(row.Cells)) > 0
}

// beforeRecords reads a row that is the header or stands before it.
func (t *tableReader) beforeRecords(row sheet.Row) error {
	if !t.heads(row) {
		if t.headerRow > 0 && row.Number > t.headerRow {
			return usage("row %d, where --header-row says that the header is, is empty", t.headerRow)
		}
		return nil
	}
	if err := t.begin(row); err != nil {
		return fmt.Errorf("%s: %w", t.place(number(row)), err)
	}
	return nil
}

// number returns the line of a row of CSV, or the number of a row of a workbook.
func number(of sheet.Row) int { return cmp.Or(of.Line, of.Number) }

// head returns the column that a cell of the header names.
func (t *tableReader) head(text string) string {
	return t.columns.Headed(t.original(strings.TrimSpace(text)))
}

// original returns a text without what keeps spreadsheets from taking it for a formula.
func (t *tableReader) original(text string) string {
	if t.format == asXLSX {
		return text
	}
	return table.Original(text)
}

// begin reads the header. It returns an error for a column without a name, for two columns with one name, and, unless
// there may be extensions, for a column that the interface does not name. Empty cells at its end are none.
func (t *tableReader) begin(row sheet.Row) (err error) {
	var header []string
	for i, cell := range toLastFilled(row.Cells) {
		if cell.Wrong != "" {
			return usage("%s of the header %s", sheet.Place(i+1, row.Number), cell.Wrong)
		}
		t.header = append(t.header, strings.TrimSpace(cell.Text))
		header = append(header, t.head(cell.Text))
	}
	t.reason = slices.Index(header, reasonName)
	if t.layout.header = header; t.reason >= 0 {
		t.layout.header = slices.Delete(slices.Clone(header), t.reason, t.reason+1)
	}
	if t.records, err = t.columns.NewReader(t.layout.header); err != nil || t.extensions {
		return err
	}
	var unknown []string
	meant := false
	for i, name := range t.layout.header {
		if !t.columns.Known(name) {
			like := didYouMean(name, t.columns.Names())
			meant = meant || like != ""
			unknown = append(unknown, fmt.Sprintf("column %d, %q%s", i+1, name, like))
		}
	}
	switch {
	case len(unknown) == 0:
		return nil
	case len(unknown) < len(t.layout.header) || meant:
		return usage("the interface does not name %s; mend the header, or keep such columns as members of your "+
			"own with --extensions", strings.Join(unknown, ", "))
	case t.format == asXLSX:
		var sheets []string
		for _, of := range t.sheets {
			sheets = append(sheets, of.String())
		}
		return usage("no column of the sheet %q is a member of the resource: is there a header? If it is another row, "+
			"say --header-row; if it is on another sheet, --sheet. It begins with %q, and the sheets are %s",
			t.layout.sheet, header, strings.Join(sheets, ", "))
	}
	ask := "If the header is another row, say --header-row"
	if strings.HasPrefix(header[0], "sep=") {
		ask = "The row says to a spreadsheet what the delimiter is: say --header-row 2"
	}
	return usage("no column is a member of the resource: is there a header, and is --delimiter right? %s. The row "+
		"is %q", ask, header)
}

// toLastFilled returns cells without the empty ones at the end.
func toLastFilled(cells []sheet.Cell) []sheet.Cell {
	for len(cells) > 0 && !cells[len(cells)-1].Filled() {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// leftOut reports whether a row is no record: without any value, hidden, or the header once more.
func (t *tableReader) leftOut(row sheet.Row) bool {
	cells := toLastFilled(row.Cells)
	if len(cells) == 0 {
		return true
	}
	if row.Hidden {
		t.notes.hidden.add(row.Number)
		if t.hiddenRows == skipHidden {
			return true
		}
	}
	repeated := slices.EqualFunc(cells, t.header, func(cell sheet.Cell, name string) bool {
		return strings.TrimSpace(cell.Text) == name
	})
	if repeated {
		t.notes.headers.add(number(row))
	}
	return repeated
}

// row returns the record of a row.
func (t *tableReader) row(of sheet.Row) row {
	next := row{line: number(of)}
	if t.input != nil {
		next.read = t.input.count
	}
	var texts, wrong []string
	for i, cell := range of.Cells {
		if i == t.reason || i >= len(t.header) && !cell.Filled() {
			continue
		}
		text, reason := t.text(i, &cell)
		if reason != "" {
			wrong = append(wrong, t.nameOf(i, of.Number)+": "+reason)
		}
		texts, next.cells = append(texts, text), append(next.cells, cell)
	}
	for t.format == asXLSX && len(texts) < len(t.layout.header) {
		texts = append(texts, "") // empty cells at the end of a row are not in the file
	}
	var err error
	if len(wrong) > 0 {
		err = errors.New(strings.Join(wrong, "; "))
	} else {
		next.record, err = t.records.Record(texts)
	}
	if err != nil {
		next.unreadable, next.record = err.Error(), []byte(strings.Join(texts, ","))
	}
	return next
}

// nameOf names a cell by its column and its place.
func (t *tableReader) nameOf(index, number int) string {
	place := sheet.Place(index+1, number)
	if index >= len(t.header) {
		return place
	}
	return t.header[index] + ", " + place
}

// text returns what a cell of a column holds, as the interface writes it, and why it cannot be taken. The cell becomes
// one for the file of rejected records: it has the text that it has in CSV, or else why that cannot be taken.
func (t *tableReader) text(index int, cell *sheet.Cell) (text, reason string) {
	if index >= len(t.header) {
		cell.Text = t.original(cell.Text)
		return cell.Text, "the column has no name, so that a cell before it may be parted: an amount such as " +
			"1,234.50 without quotes is two cells"
	}
	name := t.head(t.header[index])
	kind, isText := t.columns.Kind(name), cell.Kind == sheet.Text
	if text = t.original(cell.Text); t.format == asXLSX {
		if text, reason = fromSheet(kind, *cell); reason != "" {
			if isText {
				cell.Text = "" // that of an error is no text
			}
			cell.Wrong = reason
			return cell.Text, reason
		}
		if cell.Formula && cell.Filled() {
			t.notes.formulas++
		}
	}
	*cell = sheet.Cell{Text: text}
	plain, err := t.written.notation.Cell(kind, text, t.written.understood)
	switch {
	case err != nil:
		return text, err.Error()
	case !utf8.ValidString(plain):
		return text, "the cell is not UTF-8; --encoding says in which encoding the file is"
	case isText && t.decimal == "" && t.columns.Whole(name) && ambiguous.MatchString(text):
		whole, _, _ := strings.Cut(text, ".")
		ask := "--decimal comma or --decimal point says which"
		if t.format == asXLSX {
			ask = "make the cell a number"
		}
		cell.Wrong = fmt.Sprintf("%q can be %s, or %s with digits behind the point; %s", text,
			strings.Replace(text, ".", "", 1), whole, ask)
		return text, cell.Wrong
	}
	return plain, ""
}

// ambiguous is a number in which a point stands before a fraction, or between groups of digits.
var ambiguous = regexp.MustCompile(`^\s*[-+]?\d{1,3}\.\d{3}\s*$`)

// tableWriter writes a table, row by row.
type tableWriter interface {
	// value returns a value of a record as a cell.
	value(cell table.Cell) (any, error)
	// text returns a cell that was read from a column as one to write; the column is empty for one without a head.
	text(column string, cell sheet.Cell) (any, error)
	// write writes a row of such cells. A nil cell is empty.
	write(cells []any) error
	// end writes what is left unless there is an error, which it returns.
	end(err error) error
}

// newTableWriter begins a table in one of the formats, and writes its header.
func newTableWriter(format string, to io.Writer, l layout, columns table.Columns) (tableWriter, error) {
	if format == asXLSX {
		return newSheetWriter(to, l, columns)
	}
	return newCSVWriter(to, l, columns)
}

func anyOf(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}
