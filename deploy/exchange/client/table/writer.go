package table

import (
	"io"
	"time"

	"golang.org/x/text/encoding"

	"insurance.example/exchange/pkg/sheet"
)

// Layout is the form of a table in a file.
type Layout struct {
	// Above is how many empty rows there are above the first, which is Header.
	Above     int
	Header    []string
	Delimiter rune
	Mark      bool // the file begins with a byte order mark
	CRLF      bool // the lines end with carriage return and line feed
	Sheet     string
	// Before are the names of empty sheets before that of a workbook.
	Before   []string
	Zone     *time.Location    // of a workbook: that of its days and times; nil: UTC
	Encoding encoding.Encoding // nil: UTF-8
	// Widths are those of the columns of a workbook, by their heads, in characters. Records is how many records it will
	// have, or 0 if that is not known.
	Widths  map[string]int
	Records int
}

// Widest is the greatest width of a column, in characters.
const Widest = 60

// Writer writes a table, row by row.
type Writer interface {
	// Value returns a value of a record as a cell.
	Value(cell Cell) (any, error)
	// Copied returns a cell of a file as one to write. What cannot be read of it can be read of that neither.
	Copied(cell sheet.Cell) any
	// Write writes a row of such cells. A nil cell is empty.
	Write(cells []any) error
	// End writes what is left unless there is an error, which it returns.
	End(err error) error
}

// NewWriter begins a workbook or CSV, and writes its header if there is one.
func NewWriter(workbook bool, to io.Writer, l Layout, columns Columns) (Writer, error) {
	if workbook {
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
