package client

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rivo/uniseg"

	"insurance.example/exchange/deploy/exchange/client/table"
)

// spool keeps records in a temporary file until all columns are known. They are needed for the first row of a table.
type spool struct {
	columns   table.Columns
	occurring map[string]bool
	widths    map[string]int // of the widest value, in characters
	count     int
	file      *os.File
	w         *bufio.Writer
}

// spooled spools the records with which each calls take, and then calls write.
func spooled(
	columns table.Columns, each func(take func(jsontext.Value) error) error, write func(*spool) error,
) (err error) {
	file, err := os.CreateTemp("", "exchange-export-*.ndjson")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	s := &spool{
		columns: columns, occurring: map[string]bool{}, widths: map[string]int{}, file: file, w: bufio.NewWriter(file),
	}
	if err := each(s.add); err != nil {
		return err
	}
	if err := s.w.Flush(); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return write(s)
}

func (s *spool) add(record jsontext.Value) error {
	cells, err := s.columns.Flatten(record)
	if err != nil {
		return err
	}
	for _, cell := range cells {
		s.occurring[cell.Column] = true
		s.widths[cell.Column] = max(s.widths[cell.Column], uniseg.StringWidth(table.Plain(cell.Value)))
	}
	s.count++
	return printRecord(s.w, asJSON, record)
}

// rows yields the cells of each record by their column.
func (s *spool) rows() iter.Seq2[map[string]table.Cell, error] {
	return func(yield func(map[string]table.Cell, error) bool) {
		records := jsontext.NewDecoder(bufio.NewReader(s.file))
		for {
			record, err := records.ReadValue()
			if errors.Is(err, io.EOF) {
				return
			}
			var cells []table.Cell
			if err == nil {
				cells, err = s.columns.Flatten(record)
			}
			row := map[string]table.Cell{}
			for _, cell := range cells {
				row[cell.Column] = cell
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func (s *spool) writeCSV(w io.Writer, delimiter rune) error {
	out := csv.NewWriter(w)
	out.Comma = delimiter
	header := s.columns.Header(s.occurring)
	texts := make([]string, len(header))
	for i, column := range header {
		texts[i] = table.Neutral(s.columns.Head(column))
	}
	if err := out.Write(texts); err != nil {
		return err
	}
	for row, err := range s.rows() {
		if err != nil {
			return err
		}
		for i, column := range header {
			texts[i] = ""
			if cell, has := row[column]; has {
				texts[i] = s.columns.Text(cell)
				if cell.Value.Kind() != jsontext.KindNumber {
					texts[i] = table.Neutral(texts[i])
				}
			}
		}
		if err := out.Write(texts); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (s *spool) writeXLSX(w io.Writer, sheet string) error {
	if s.count > mostRows {
		return fmt.Errorf("a sheet holds %d records, and there are %d; filter them, or export as csv or ndjson",
			mostRows, s.count)
	}
	header := s.columns.Header(s.occurring)
	widths, heads := make([]int, len(header)), make([]string, len(header))
	for i, column := range header {
		widths[i], heads[i] = s.widths[column]+1, s.columns.Head(column)
	}
	out, err := newSheetWriter(sheet, heads, widths, s.count)
	if err != nil {
		return err
	}
	number := 0
	for row, err := range s.rows() {
		if err != nil {
			return errors.Join(err, out.book.Close())
		}
		number++
		cells := make([]any, len(header))
		for i, column := range header {
			value, has := row[column]
			if !has {
				continue
			}
			if cells[i], err = out.cell(s.columns, value); err != nil {
				return errors.Join(fmt.Errorf("record %d: %w", number, err), out.book.Close())
			}
		}
		if err := out.write(cells); err != nil {
			return errors.Join(err, out.book.Close())
		}
	}
	return out.end(w)
}
