package client

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"strings"

	"golang.org/x/text/encoding"

	"insurance.example/exchange/deploy/exchange/client/resource"
	"insurance.example/exchange/deploy/exchange/client/table"
)

// delimiters are the characters that may be between the cells of a CSV file, by the names that --delimiter takes.
var delimiters = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', ",": ',', ";": ';', "\t": '\t'}

// mostHeader is the greatest length of a header, in bytes.
const mostHeader = 1 << 20

// csv yields the lines of a CSV file. An error is the last that it yields.
func (t *tableReader) csv(r io.Reader) iter.Seq2[line, error] {
	t.value = func(_ resource.Kind, cell string) string { return table.Original(cell) }
	return func(yield func(line, error) bool) {
		input := bufio.NewReaderSize(t.written.decoded(r), 4096)
		first, _ := input.Peek(3)
		t.layout.mark = bytes.HasPrefix(first, []byte("\ufeff"))
		text := bufio.NewReaderSize(withoutMark(input), mostHeader)
		beginning, _ := text.Peek(mostHeader)
		header, _, _ := bytes.Cut(beginning, []byte("\n"))
		t.layout.crlf = bytes.HasSuffix(header, []byte("\r"))
		if t.layout.delimiter = delimiters[t.delimiter]; t.layout.delimiter == 0 {
			t.layout.delimiter = findDelimiter(beginning, t.columns)
		}
		cells := csv.NewReader(text)
		// a row of another length is rejected, and the rows after it are read
		cells.Comma, cells.FieldsPerRecord = t.layout.delimiter, -1
		for {
			texts, err := cells.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(line{}, err)
				return
			}
			number, _ := cells.FieldPos(0)
			if !yield(line{texts, number, cells.InputOffset()}, nil) {
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
	w := &csvWriter{csv.NewWriter(to), columns}
	w.Comma, w.UseCRLF = l.delimiter, l.crlf
	return w, w.write(anyOf(l.header))
}

func (w *csvWriter) value(cell table.Cell) (any, error) { return w.columns.Text(cell), nil }

func (w *csvWriter) text(_, text string) (any, error) { return text, nil }

func (w *csvWriter) write(cells []any) error {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		text, _ := cell.(string) // nil is empty
		texts[i] = table.Neutral(text)
	}
	return w.Write(texts)
}

func (w *csvWriter) end(err error) error {
	w.Flush()
	return errors.Join(err, w.Error())
}
