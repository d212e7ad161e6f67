package export

import (
	"bufio"
	"io"

	"github.com/xuri/excelize/v2"
)

// Column is a column of a table.
type Column struct {
	// Name is the header.
	Name string
	// Amount and Day say that the values are numbers or dates; otherwise they are texts.
	Amount, Day bool
}

func (c Column) column() column {
	switch {
	case c.Amount:
		return column{Name: c.Name, Kind: numberKind}
	case c.Day:
		return column{Name: c.Name, Kind: dateKind}
	}
	return column{Name: c.Name, Kind: textKind}
}

// Table writes a table in a format. each calls a function with the cells of each row. Errors: those of both functions.
func (f Format) Table(w io.Writer, columns []Column, each func(row func(cells []string) error) error) error {
	if f.Name == CSV.Name {
		return tableCSV(w, columns, each)
	}
	return tableXLSX(w, columns, each)
}

func tableCSV(w io.Writer, columns []Column, each func(row func(cells []string) error) error) error {
	buffered := bufio.NewWriter(w)
	out, names := newRecords(buffered), make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	if err := out.write(names); err != nil {
		return err
	}
	if err := each(func(cells []string) error {
		safe := make([]string, len(cells))
		for i, c := range columns {
			if safe[i] = cells[i]; !c.Amount || !isNumber(cells[i]) {
				safe[i] = neutral(cells[i])
			}
		}
		return out.write(safe)
	}); err != nil {
		return err
	}
	return buffered.Flush()
}

func tableXLSX(w io.Writer, columns []Column, each func(row func(cells []string) error) error) (err error) {
	b := &workbook{file: excelize.NewFile()}
	defer func() { _ = b.file.Close() }() // it only removes the temporary file
	if err := b.styles(Newest); err != nil {
		return err
	}
	names := []any{}
	for _, c := range columns {
		names = append(names, c.Name)
	}
	out := &lineSheets{workbook: b, most: excelize.TotalRows, headers: [][]any{names}}
	if err := out.next(); err != nil {
		return err
	}
	if err := each(func(texts []string) error {
		cells := make([]any, len(texts))
		for i, c := range columns {
			cells[i] = b.cell(c.column(), texts[i])
		}
		return out.write(cells)
	}); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return Pack(w, b.file)
}
