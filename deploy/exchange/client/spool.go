package client

import (
	"bufio"
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

// write writes the records as a table in one of the formats.
func (s *spool) write(format string, to io.Writer, l layout) error {
	header := s.columns.Header(s.occurring)
	l.records, l.widths = s.count, map[string]int{}
	for _, column := range header {
		head := s.columns.Head(column)
		l.header, l.widths[head] = append(l.header, head), s.widths[column]+1
	}
	out, err := newTableWriter(format, to, l, s.columns)
	if err != nil {
		return err
	}
	return out.end(s.writeRows(header, out))
}

func (s *spool) writeRows(header []string, out tableWriter) error {
	number := 0
	for row, err := range s.rows() {
		if err != nil {
			return err
		}
		number++
		cells := make([]any, len(header))
		for i, column := range header {
			if cell, has := row[column]; has {
				if cells[i], err = out.value(cell); err != nil {
					return fmt.Errorf("record %d: %w", number, err)
				}
			}
		}
		if err := out.write(cells); err != nil {
			return err
		}
	}
	return nil
}
