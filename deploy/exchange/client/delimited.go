package client

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/client/table"
)

// delimiters are the characters that may be between the cells of a CSV file, by the names that --delimiter takes.
var delimiters = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', ",": ',', ";": ';', "\t": '\t'}

// mostHeader is the greatest length of a header, in bytes.
const mostHeader = 1 << 20

// source is a table that is read.
type source struct {
	// sheet is the name of the sheet of a workbook; it is the first if there is none of this name.
	sheet   string
	columns table.Columns
	// delimiter is the character between cells. If it is 0, it is found from the header.
	delimiter rune
	// extensions is true if columns are accepted that the interface does not name.
	extensions bool
	written    written
	layout     *layout
}

// csv yields the records of a file with a header and a record in each row. Rows without any value are skipped. An
// error is the last that csv yields.
func (s source) csv(r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		input := bufio.NewReaderSize(s.written.decoded(r), 4096)
		first, _ := input.Peek(3)
		s.layout.mark = bytes.HasPrefix(first, []byte("\ufeff"))
		text := bufio.NewReaderSize(withoutMark(input), mostHeader)
		beginning, _ := text.Peek(mostHeader)
		line, _, _ := bytes.Cut(beginning, []byte("\n"))
		s.layout.crlf = bytes.HasSuffix(line, []byte("\r"))
		s.layout.delimiter = s.delimiter
		if s.delimiter == 0 {
			s.layout.delimiter = findDelimiter(beginning, s.columns)
		}
		cells := csv.NewReader(text)
		// a row of another length is rejected, and the rows after it are read
		cells.Comma, cells.FieldsPerRecord = s.layout.delimiter, -1
		header, err := cells.Read()
		if errors.Is(err, io.EOF) {
			err = errors.New("the file has no header")
		}
		if err != nil {
			yield(row{}, err)
			return
		}
		for i := range header {
			header[i] = table.Original(strings.TrimSpace(header[i]))
		}
		reader, err := s.newRowReader(header)
		if err != nil {
			yield(row{}, fmt.Errorf("line 1: %w", err))
			return
		}
		s.layout.header = reader.header
		for {
			texts, err := cells.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(row{}, err)
				return
			}
			if strings.Join(texts, "") == "" {
				continue
			}
			for i := range texts {
				texts[i] = table.Original(texts[i])
			}
			next := reader.row(reader.without(texts))
			next.line, _ = cells.FieldPos(0)
			next.read = cells.InputOffset()
			if !yield(next, nil) {
				return
			}
		}
	}
}

// findDelimiter returns the character that divides the header of a CSV file into the most columns that the interface
// names. If there are none of these, it returns the character that divides the header into the most columns.
func findDelimiter(beginning []byte, columns table.Columns) rune {
	best, most := ',', -1
	for _, delimiter := range []rune{',', ';', '\t'} {
		cells := csv.NewReader(bytes.NewReader(beginning))
		cells.Comma, cells.LazyQuotes = delimiter, true
		header, err := cells.Read()
		if err != nil {
			continue
		}
		score := len(header)
		for _, name := range header {
			if columns.Known(columns.Headed(table.Original(strings.TrimSpace(name)))) {
				score += 1000
			}
		}
		if score > most {
			best, most = delimiter, score
		}
	}
	return best
}

// rowReader turns the rows of a table into records.
type rowReader struct {
	header []string // without the column of reasons
	reason int      // index of the column of reasons, -1 for none
	table  *table.Reader

	columns table.Columns
	written written
}

// newRowReader returns a reader for the rows under a header. It returns an error for a column without a name, for two
// columns with one name, and, unless extensions is true, for a column that the interface does not name.
func (s source) newRowReader(header []string) (*rowReader, error) {
	columns := s.columns
	header = slices.Clone(header)
	for i, head := range header {
		header[i] = columns.Headed(head)
	}
	r := &rowReader{reason: slices.Index(header, reasonName), columns: columns, written: s.written}
	r.header = r.without(header)
	var err error
	if r.table, err = columns.NewReader(r.header); err != nil {
		return nil, err
	}
	if s.extensions {
		return r, nil
	}
	var unknown []string
	meant := false
	for i, name := range r.header {
		if !columns.Known(name) {
			like := didYouMean(name, columns.Names())
			meant = meant || like != ""
			unknown = append(unknown, fmt.Sprintf("column %d, %q%s", i+1, name, like))
		}
	}
	switch {
	case len(unknown) == 0:
		return r, nil
	case len(unknown) == len(r.header) && !meant:
		return nil, usage("no column is a member of the resource: is there a header, and is --delimiter right? The "+
			"first line is %q", header)
	}
	return nil, usage("the interface does not name %s; mend the header, or keep such columns as members of your "+
		"own with --extensions", strings.Join(unknown, ", "))
}

// without returns a row without the cell of the reason.
func (r *rowReader) without(cells []string) []string {
	if r.reason < 0 || r.reason >= len(cells) {
		return cells
	}
	return slices.Delete(slices.Clone(cells), r.reason, r.reason+1)
}

// row returns the record of a row, which must not have the cell of the reason. It does not set the place in the file.
func (r *rowReader) row(cells []string) row {
	next := row{cells: slices.Clone(cells)}
	record, err := r.record(cells)
	if err != nil {
		next.unreadable, next.record = err.Error(), []byte(strings.Join(next.cells, ","))
		return next
	}
	next.record = record
	return next
}

// record returns the record of cells that may be written in another notation.
func (r *rowReader) record(cells []string) (jsontext.Value, error) {
	plain := slices.Clone(cells)
	for i := range min(len(cells), len(r.header)) {
		var err error
		plain[i], err = r.written.notation.Cell(r.columns.Kind(r.header[i]), cells[i], r.written.understood)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.header[i], err)
		}
		if !utf8.ValidString(plain[i]) {
			return nil, fmt.Errorf("%s: the cell is not UTF-8; --encoding says in which encoding the file is",
				r.header[i])
		}
	}
	return r.table.Record(plain)
}
