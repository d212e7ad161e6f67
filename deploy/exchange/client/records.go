package client

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/client/resource"
	"insurance.example/exchange/deploy/exchange/client/table"
)

// line is a line of a table: its cells, its number, and how many bytes of the file were read by then, 0 if that is not
// known.
type line struct {
	cells  []string
	number int
	read   int64
}

// tableReader reads the records of a table, which has a header and then a record in each line.
type tableReader struct {
	importing
	columns table.Columns
	// layout is filled before the first record.
	layout *layout
	// value returns a cell of the file as the value of a column of a kind. It is for the header too.
	value func(kind resource.Kind, cell string) string

	reason  int           // index of the column of reasons, -1 for none
	records *table.Reader // nil before the header
}

// rows yields the records of the lines of a table. Lines without any value are skipped. An error is the last that it
// yields.
func (t *tableReader) rows(lines iter.Seq2[line, error]) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for l, err := range lines {
			if err == nil && strings.Join(l.cells, "") == "" {
				continue
			}
			if err == nil && t.records == nil {
				if err = t.begin(l.cells); err == nil {
					continue
				}
				err = fmt.Errorf("line %d: %w", l.number, err)
			}
			if err != nil {
				yield(row{}, err)
				return
			}
			if !yield(t.row(l), nil) {
				return
			}
		}
		if t.records == nil {
			yield(row{}, errors.New("there is no header"))
		}
	}
}

// begin reads the header. It returns an error for a column without a name, for two columns with one name, and, unless
// there may be extensions, for a column that the interface does not name.
func (t *tableReader) begin(heads []string) (err error) {
	var header []string
	for _, head := range heads {
		header = append(header, t.columns.Headed(t.value(resource.Text, strings.TrimSpace(head))))
	}
	t.reason = slices.Index(header, reasonName)
	t.layout.header = t.without(header)
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
	case len(unknown) == len(t.layout.header) && !meant:
		return usage("no column is a member of the resource: is there a header, and is --delimiter right? The "+
			"first line is %q", header)
	}
	return usage("the interface does not name %s; mend the header, or keep such columns as members of your "+
		"own with --extensions", strings.Join(unknown, ", "))
}

// without returns a line without the cell of the reason.
func (t *tableReader) without(cells []string) []string {
	if t.reason < 0 || t.reason >= len(cells) {
		return cells
	}
	return slices.Delete(slices.Clone(cells), t.reason, t.reason+1)
}

// row returns the record of a line.
func (t *tableReader) row(l line) row {
	next := row{line: l.number, read: l.read, cells: t.without(l.cells)}
	for i, cell := range next.cells {
		next.cells[i] = t.value(t.kind(i), cell)
	}
	var err error
	if next.record, err = t.record(next.cells); err != nil {
		next.unreadable, next.record = err.Error(), []byte(strings.Join(next.cells, ","))
	}
	return next
}

// kind returns the kind of a column. A line may have more cells than there are columns.
func (t *tableReader) kind(column int) resource.Kind {
	if column >= len(t.layout.header) {
		return resource.Text
	}
	return t.columns.Kind(t.layout.header[column])
}

// record returns the record of cells that may be written in another notation.
func (t *tableReader) record(cells []string) (jsontext.Value, error) {
	plain := slices.Clone(cells)
	for i := range min(len(cells), len(t.layout.header)) {
		var err error
		plain[i], err = t.written.notation.Cell(t.kind(i), cells[i], t.written.understood)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.layout.header[i], err)
		}
		if !utf8.ValidString(plain[i]) {
			return nil, fmt.Errorf("%s: the cell is not UTF-8; --encoding says in which encoding the file is",
				t.layout.header[i])
		}
	}
	return t.records.Record(plain)
}

// tableWriter writes a table, row by row.
type tableWriter interface {
	// value returns a value of a record as a cell.
	value(cell table.Cell) (any, error)
	// text returns as a cell a text that was read from one of a column; the column is empty for one without a head.
	text(column, text string) (any, error)
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
