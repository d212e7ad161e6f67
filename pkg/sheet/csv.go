package sheet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// byteOrderMark is what a file may begin with, whatever its encoding.
const byteOrderMark = "\uFEFF"

// UTF16 is the encoding UTF-16 with a byte order mark, which says in which of both orders the bytes are. Other
// encodings have the names that the WHATWG gives them, such as utf-8, utf-16le and windows-1252.
const UTF16 = "utf-16"

// CSV calls a function with each row of a file as RFC 4180 has it. delimiter is one character. Errors: *WrongError,
// those of the reader and of the function, and that of an encoding that is not known.
func CSV(from io.Reader, delimiter, encoding string, do func(Row) error) error {
	do = bounded(do)
	whole := bufio.NewReader(from)
	begin, _ := whole.Peek(begins) // a file may be shorter
	if bytes.HasPrefix(begin, []byte(zipFile)) {
		return wrong("The file is a workbook (XLSX) or another archive. A workbook has the format xlsx.")
	}
	if words := foreign(begin); words != "" {
		return NewWrong(words)
	}
	text, err := decoded(whole, encoding)
	if err != nil {
		return err
	}
	ends := &lineEnds{from: bufio.NewReader(text)}
	read := csv.NewReader(ends)
	read.Comma = []rune(delimiter)[0]
	read.FieldsPerRecord, read.ReuseRecord = -1, true
	row, ended := Row{}, 0 // the line on which the row ended
	for {
		texts, err := read.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvWrong(err)
		}
		row.Line, _ = read.FieldPos(0)
		row.Number += row.Line - ended // the reader leaves out empty lines, which a spreadsheet shows as rows
		ended, _ = read.FieldPos(len(texts) - 1)
		ended += strings.Count(texts[len(texts)-1], "\n")
		row.Unended = read.InputOffset() == ends.count && ends.last != '\n'
		row.Cells = row.Cells[:0]
		for _, text := range texts {
			if strings.ContainsRune(text, 0) {
				return wrong("The file is not CSV in the encoding %s: line %d has a character 0. A workbook has "+
					"the format xlsx.", encoding, row.Line)
			}
			row.Cells = append(row.Cells, Cell{Text: text})
		}
		if err := do(row); err != nil {
			return err
		}
	}
}

// csvWrong returns what is wrong with a file, or the error of its reader.
func csvWrong(err error) error {
	var syntax *csv.ParseError
	switch {
	case errors.As(err, &syntax):
		return wrong("The file is not CSV: line %d, column %d: %v.", syntax.Line, syntax.Column, syntax.Err)
	case errors.Is(err, unicode.ErrMissingBOM):
		return wrong("The file does not begin with a byte order mark, as one in the encoding utf-16 does. Declare " +
			"utf-16le or utf-16be.")
	}
	return err
}

// decoded returns a file as UTF-8, without the mark at its beginning, which would be a part of the first cell.
func decoded(from io.Reader, encoding string) (io.Reader, error) {
	if encoding == UTF16 {
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(from), nil
	}
	if encoding != "utf-8" {
		in, err := htmlindex.Get(encoding)
		if err != nil {
			return nil, err
		}
		from = in.NewDecoder().Reader(from)
	}
	buffer := bufio.NewReader(from)
	if begin, err := buffer.Peek(len(byteOrderMark)); err == nil && string(begin) == byteOrderMark {
		_, _ = buffer.Discard(len(byteOrderMark)) // it was peeked
	}
	return buffer, nil
}

// lineEnds reads a file in which a line may end with a carriage return alone, as some programs write it, as one in
// which each line ends with a line feed. What is in quotes stays.
type lineEnds struct {
	from   *bufio.Reader
	quoted bool
	// count is how many bytes were read, and last the last of them.
	count int64
	last  byte
}

// Read implements io.Reader.
func (l *lineEnds) Read(into []byte) (int, error) {
	n, err := l.from.Read(into)
	for i, c := range into[:n] {
		switch {
		case c == '"':
			l.quoted = !l.quoted
		case c == '\r' && !l.quoted && !l.feedAfter(into[i+1:n]):
			into[i] = '\n'
		}
	}
	if n > 0 {
		l.count, l.last = l.count+int64(n), into[n-1]
	}
	return n, err
}

// feedAfter reports whether a line feed comes next: the first of what was read, or else of what is still to be read.
func (l *lineEnds) feedAfter(rest []byte) bool {
	if len(rest) == 0 {
		rest, _ = l.from.Peek(1) // an error comes with the next reading
	}
	return len(rest) > 0 && rest[0] == '\n'
}
