package client

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"insurance.example/exchange/deploy/exchange/client/table"
)

// The formats of files.
const (
	ndjson = "ndjson" // a record on each line
	asCSV  = "csv"
	asXLSX = "xlsx"
)

// formatOf answers the format that a file's name tells, "" where it tells none.
func formatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".ndjson", ".jsonl":
		return ndjson
	case ".csv":
		return asCSV
	case ".xlsx":
		return asXLSX
	}
	return ""
}

// row is a record of a file to be imported.
type row struct {
	line   int
	record []byte
	// unreadable says why there is no record to send; record is then what the file holds, for the eye.
	unreadable string
	// read is how much of the file was read up to here, in bytes.
	read int64
}

// longestLine is the size in bytes beyond which a line is no record: far more than the exchange takes.
const longestLine = 16 << 20

// withoutMark skips the byte order mark that spreadsheets write.
func withoutMark(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}

// readNDJSON answers the records of a file with one on each line. An error ends them.
func readNDJSON(r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		lines := bufio.NewScanner(withoutMark(r))
		lines.Buffer(nil, longestLine)
		read := int64(0)
		line := 1
		for ; lines.Scan(); line++ {
			read += int64(len(lines.Bytes())) + 1
			text := bytes.TrimSpace(lines.Bytes())
			if len(text) > 0 && !yield(row{line: line, record: bytes.Clone(text), read: read}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(row{}, fmt.Errorf("line %d: %w", line, err))
		}
	}
}

// readCSV answers the records of a file with a header and a record in each row. Rows without any value are skipped. An
// error ends them.
func readCSV(r io.Reader, columns table.Columns) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		rows := csv.NewReader(withoutMark(r))
		rows.FieldsPerRecord = -1 // a row of another length is refused, and those after it read
		header, err := rows.Read()
		if errors.Is(err, io.EOF) {
			err = errors.New("the file has no header")
		}
		if err != nil {
			yield(row{}, err)
			return
		}
		reader, err := columns.NewReader(header)
		if err != nil {
			yield(row{}, fmt.Errorf("line 1: %w", err))
			return
		}
		for {
			cells, err := rows.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(row{}, err)
				return
			}
			if strings.Join(cells, "") == "" {
				continue
			}
			line, _ := rows.FieldPos(0)
			next := row{line: line, read: rows.InputOffset()}
			if next.record, err = reader.Record(cells); err != nil {
				next.unreadable, next.record = err.Error(), []byte(strings.Join(cells, ","))
			}
			if !yield(next, nil) {
				return
			}
		}
	}
}
