package table

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"

	"insurance.example/exchange/pkg/sheet"
)

// csvWriter writes a CSV file. Its cells are strings, of which no spreadsheet takes one for a formula.
type csvWriter struct {
	*csv.Writer
	columns Columns
}

func newCSVWriter(to io.Writer, l Layout, columns Columns) (*csvWriter, error) {
	if l.Encoding != nil {
		to = encoding.ReplaceUnsupported(l.Encoding.NewEncoder()).Writer(to)
	}
	if l.Mark {
		if _, err := io.WriteString(to, "\ufeff"); err != nil {
			return nil, err
		}
	}
	if _, err := io.WriteString(to, strings.Repeat("\n", l.Above)); err != nil {
		return nil, err
	}
	w := &csvWriter{csv.NewWriter(to), columns}
	w.Comma, w.UseCRLF = l.Delimiter, l.CRLF
	if len(l.Header) == 0 {
		return w, nil
	}
	return w, w.Write(anyOf(l.Header))
}

func (w *csvWriter) Value(cell Cell) (any, error) { return w.columns.Text(cell), nil }

func (w *csvWriter) Copied(cell sheet.Cell) any { return sheet.Original(cell.Text) }

func (w *csvWriter) Write(cells []any) error {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		text, _ := cell.(string) // nil is empty
		texts[i] = sheet.Neutral(text)
	}
	return w.Writer.Write(texts)
}

func (w *csvWriter) End(err error) error {
	w.Flush()
	return errors.Join(err, w.Error())
}
