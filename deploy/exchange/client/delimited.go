package client

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/sheet"
)

// delimiters are the characters that may be between the cells of a CSV file, by the names that --delimiter takes.
var delimiters = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', ",": ',', ";": ';', "\t": '\t'}

// mostHeader is the greatest length of a header, in bytes.
const mostHeader = 1 << 20

// csv calls a function with the rows of a CSV file, whose layout it finds in the beginning.
func (t *tableReader) csv(r io.Reader, do func(sheet.Row) error) error {
	input := bufio.NewReaderSize(r, mostHeader)
	beginning, _ := input.Peek(mostHeader) // a file may be shorter
	name := t.describe(beginning)
	if t.layout.delimiter = delimiters[t.delimiter]; t.layout.delimiter == 0 {
		t.layout.delimiter = t.findDelimiter(beginning, name)
	}
	t.input = &counter{from: input}
	return sheet.CSV(t.input, string(t.layout.delimiter), name, do)
}

// describe sets what the beginning of a CSV file says of its layout, and returns the name of its encoding.
func (t *tableReader) describe(beginning []byte) (name string) {
	name = "utf-8"
	if of := t.written.encoding; of != nil {
		name, _ = htmlindex.Name(of) // it was looked up by a name
	} else if bytes.HasPrefix(beginning, []byte("\xff\xfe")) || bytes.HasPrefix(beginning, []byte("\xfe\xff")) {
		name, t.layout.encoding = sheet.UTF16, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	if of := t.layout.encoding; of != nil {
		beginning, _ = of.NewDecoder().Bytes(beginning) // what cannot be decoded is refused where it is read
	}
	t.layout.mark = bytes.HasPrefix(beginning, []byte("\ufeff"))
	line, _, _ := bytes.Cut(beginning, []byte("\n"))
	t.layout.crlf = bytes.HasSuffix(line, []byte("\r"))
	return name
}

// findDelimiter returns the character that divides the header of a CSV file into the most columns that the interface
// names. If there are none of these, it returns the character that divides the header into the most columns.
func (t *tableReader) findDelimiter(beginning []byte, encoding string) rune {
	best, most := ',', -1
	for _, delimiter := range []rune{',', ';', '\t'} {
		score := -1
		_ = sheet.CSV(bytes.NewReader(beginning), string(delimiter), encoding, func(row sheet.Row) error {
			if !t.heads(row) {
				return nil
			}
			score = len(row.Cells)
			for _, cell := range row.Cells {
				if t.columns.Known(t.head(cell.Text)) {
					score += 1000
				}
			}
			return errEnough
		}) // what another character divides is perhaps no CSV
		if score > most {
			best, most = delimiter, score
		}
	}
	return best
}

// counter counts the bytes that were read.
type counter struct {
	from  io.Reader
	count int64
}

// Read implements io.Reader.
func (c *counter) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.count += int64(n)
	return n, err
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

func (w *csvWriter) text(_ string, cell sheet.Cell) (any, error) { return cell.Text, nil }

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
