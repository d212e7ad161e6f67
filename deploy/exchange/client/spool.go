package client

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/client/table"
)

// spool keeps records in a temporary file until their columns, which are the first row of a table, are all known.
type spool struct {
	columns   table.Columns
	occurring map[string]bool
	file      *os.File
	w         *bufio.Writer
}

// spooled spools the records that each hands over, and then writes them.
func spooled(columns table.Columns, each func(take func(jsontext.Value) error) error, write func(*spool) error) (err error) {
	file, err := os.CreateTemp("", "exchange-export-*.ndjson")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	s := &spool{columns: columns, occurring: map[string]bool{}, file: file, w: bufio.NewWriter(file)}
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
	}
	return printRecord(s.w, asJSON, record)
}

// rows answers the cells of each record by their column.
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

func (s *spool) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := s.columns.Header(s.occurring)
	if err := out.Write(header); err != nil {
		return err
	}
	texts := make([]string, len(header))
	for row, err := range s.rows() {
		if err != nil {
			return err
		}
		for i, column := range header {
			texts[i] = ""
			if cell, has := row[column]; has {
				texts[i] = s.columns.Text(cell)
			}
		}
		if err := out.Write(texts); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
