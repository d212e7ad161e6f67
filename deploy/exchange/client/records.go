package client

import (
	"io"

	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/sheet"
)

// tableWriter writes a table, row by row.
type tableWriter interface {
	// value returns a value of a record as a cell.
	value(cell table.Cell) (any, error)
	// copied returns a cell of a file as one to write; unread says that it was refused by itself, and is to be refused
	// again.
	copied(cell sheet.Cell, unread bool) any
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
