package client

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"

	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/sheet"
)

// delimiters are the characters that may be between the cells of a CSV file, by the names that --delimiter takes.
var delimiters = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', ",": ',', ";": ';', "\t": '\t'}

// csvWriter writes a CSV file. Its cells are strings, of which no spreadsheet takes one for a formula.
type csvWriter struct {
	*csv.Writer
	columns table.Columns
}

func newCSVWriter(to io.Writer, l layout, columns table.Columns) (*csvWriter, error) {
	if l.encoding != nil {
		to = encoding.ReplaceUnsupported(l.encoding.NewEncoder()).Writer(to)
	}
	if l.mark {
		if _, err := io.WriteString(to, "\ufeff"); err != nil {
			return nil, err
		}
	}
	if _, err := io.WriteString(to, strings.Repeat("\n", l.above)); err != nil {
		return nil, err
	}
	w := &csvWriter{csv.NewWriter(to), columns}
	w.Comma, w.UseCRLF = l.delimiter, l.crlf
	if len(l.header) == 0 {
		return w, nil
	}
	return w, w.write(anyOf(l.header))
}

func (w *csvWriter) value(cell table.Cell) (any, error) { return w.columns.Text(cell), nil }

func (w *csvWriter) copied(cell sheet.Cell, _ bool) any { return sheet.Original(cell.Text) }

func (w *csvWriter) write(cells []any) error {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		text, _ := cell.(string) // nil is empty
		texts[i] = sheet.Neutral(text)
	}
	return w.Write(texts)
}

func (w *csvWriter) end(err error) error {
	w.Flush()
	return errors.Join(err, w.Error())
}
