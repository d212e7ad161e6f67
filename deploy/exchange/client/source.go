package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"insurance.example/exchange/contracts/intake"
)

// The formats of files.
const (
	ndjson = "ndjson" // a record on each line
	asCSV  = "csv"
	asXLSX = "xlsx"
)

var formats = []string{ndjson, asCSV, asXLSX}

// formatOf returns the format that the name of a file ends in, or "" if it ends in none.
func formatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".ndjson", ".jsonl":
		return ndjson
	case ".csv", ".tsv":
		return asCSV
	case ".xlsx":
		return asXLSX
	}
	return ""
}

// likeXLSX are the endings of names of workbooks of other formats. They are read as XLSX, so that the reader says what
// they are and what to do.
var likeXLSX = []string{".xls", ".xlsm", ".xlsb", ".ods", ".numbers"}

// reasonName is the column, or the member, that says in a file of rejected records why a record was. An import leaves
// it out.
const reasonName = intake.ReasonColumn

// rejectedRecord is a line of a file of rejected records that is no table.
type rejectedRecord struct {
	Reason *string `json:"rejectedBecause"`
	// Line is a line which is no JSON object.
	Line   string         `json:"rejectedLine,omitzero"`
	Record jsontext.Value `json:",embed"`
}

// row is a line of a file to be imported.
type row struct {
	line int
	// record is the record as JSON. If a line is no JSON, it is the line.
	record []byte
	// unreadable says why there is no record to send.
	unreadable string
	// read is the number of bytes of the file that were read so far.
	read int64
}

// delimiters are the characters that may be between the cells of a CSV file, by the names that --delimiter takes.
var delimiters = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', ",": ',', ";": ';', "\t": '\t'}

// longestLine is the greatest size of a line in bytes. It is far more than the exchange accepts.
const longestLine = 16 << 20

// readNDJSON yields the records of a file with a record on each line. An error is the last that it yields.
func readNDJSON(r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		// Some programs begin a file with a byte order mark.
		lines := bufio.NewScanner(transform.NewReader(r, unicode.BOMOverride(transform.Nop)))
		lines.Buffer(nil, longestLine)
		read := int64(0)
		line := 1
		for ; lines.Scan(); line++ {
			read += int64(len(lines.Bytes())) + 1
			text := bytes.TrimSpace(lines.Bytes())
			if len(text) == 0 {
				continue
			}
			next := row{line: line, record: withoutReason(bytes.Clone(text)), read: read}
			if kind := jsontext.Value(next.record).Kind(); kind != jsontext.KindBeginObject ||
				!jsontext.Value(next.record).IsValid() {
				next.unreadable = "the line is no JSON object"
			}
			if !yield(next, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("longer than %d MiB: is it NDJSON, with a record on each line?", longestLine>>20)
			}
			yield(row{}, fmt.Errorf("line %d: %w", line, err))
		}
	}
}

// withoutReason returns a line of a file of rejected records as it was in the input. It returns other lines unchanged.
func withoutReason(text []byte) []byte {
	if !bytes.Contains(text, []byte(reasonName)) {
		return text
	}
	var rejected rejectedRecord
	if err := json.Unmarshal(text, &rejected); err != nil || rejected.Reason == nil {
		return text
	}
	if rejected.Line != "" {
		return []byte(strings.TrimSpace(rejected.Line))
	}
	if rejected.Record == nil {
		return []byte("{}")
	}
	return rejected.Record
}
