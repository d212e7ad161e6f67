package client

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/sheet"
)

// tableFile is a table as it is on this machine. The exchange reads it; what is read of it here is where its header is,
// how CSV is written, and the rows that are refused.
type tableFile struct {
	path     string
	size     int64
	format   string
	encoding string // of CSV, by its name in the WHATWG's list, or sheet.UTF16
	of       sheet.Of
	layout   table.Layout // that of its rows, without a header
	// header are the names of the columns, in row headerRow; 0 where there is none or only a profile knows it.
	header    []string
	headerRow int
}

// mostHeader is how many bytes of CSV are looked at for the header.
const mostHeader = 1 << 20

// errEnough ends the reading of a file of which enough was read.
var errEnough = errors.New("enough was read")

// atHand returns a file that can be read twice. What is no file is copied to a temporary one, which end removes.
func atHand(from io.Reader, name string) (file *tableFile, end func() error, err error) {
	end = func() error { return nil }
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil {
			return nil, nil, usage("%v", err)
		}
		if info.Mode().IsRegular() {
			return &tableFile{path: name, size: info.Size()}, end, nil
		}
		pipe, err := os.Open(name)
		if err != nil {
			return nil, nil, usage("%v", err)
		}
		defer pipe.Close()
		from = pipe
	}
	path, size, err := copied(from)
	if err != nil {
		return nil, nil, err
	}
	return &tableFile{path: path, size: size}, func() error { return os.Remove(path) }, nil
}

// copied copies what is read to a temporary file.
func copied(from io.Reader) (path string, size int64, err error) {
	to, err := os.CreateTemp("", "exchange-import-*")
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		return "", 0, errors.Join(err, os.Remove(to.Name()))
	}
	return to.Name(), size, nil
}

// each calls a function with the rows of the file, until it returns errEnough.
func (f *tableFile) each(do func(sheet.Row) error) error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.rows(file, f.size, do)
}

func (f *tableFile) rows(from interface {
	io.Reader
	io.ReaderAt
}, size int64, do func(sheet.Row) error,
) (err error) {
	if f.format == asXLSX {
		err = sheet.XLSX(from, size, f.of, do)
	} else {
		err = sheet.CSV(bufio.NewReader(from), string(f.layout.Delimiter), f.encoding, do)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// look finds the header of the file and how it is written, as far as options do not say it. named reports whether a
// column has a name that says something.
func (f *tableFile) look(i *importing, named func(column string) bool) error {
	f.format, f.of.Name = i.format, i.sheet
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if f.format == asXLSX {
		if sheets, err := sheet.Sheets(file, f.size); err == nil { // it is refused with its rows
			f.nameSheet(sheets)
		}
		return f.findHeader(i, file, f.size)
	}
	beginning, err := io.ReadAll(io.LimitReader(file, mostHeader))
	if err != nil {
		return err
	}
	f.describe(i.encoding, beginning)
	given := delimiters[i.delimiter]
	best, most := *f, -1
	for _, delimiter := range []rune{',', ';', '\t'} {
		if given != 0 && delimiter != given {
			continue
		}
		one := *f
		one.layout.Delimiter = delimiter
		wrong := one.findHeader(i, bytes.NewReader(beginning), int64(len(beginning)))
		score := len(one.header)
		for _, name := range one.header {
			if named(name) {
				score += 1000
			}
		}
		if wrong != nil {
			err = wrong
		} else if score > most {
			best, most = one, score
		}
	}
	if most < 0 {
		return err
	}
	*f = best
	return nil
}

// ofProfile sets how the file is written from a profile of the caller's.
func (f *tableFile) ofProfile(p *reconciliation.FileProfileTerms) error {
	f.format, f.of = p.Format, sheet.Of{Name: p.Sheet, Number: p.SheetNumber}
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if f.format == asXLSX {
		if sheets, err := sheet.Sheets(file, f.size); err == nil { // it is refused where it is sent
			f.nameSheet(sheets)
		}
		return nil
	}
	beginning, err := io.ReadAll(io.LimitReader(file, mostHeader))
	if err != nil {
		return err
	}
	f.layout.Delimiter = []rune(p.Delimiter)[0]
	var encoding encoding.Encoding
	if p.Encoding != reconciliation.UTF8 && p.Encoding != sheet.UTF16 {
		if encoding, err = htmlindex.Get(p.Encoding); err != nil {
			return err
		}
	}
	f.describe(encoding, beginning)
	return nil
}

// headBefore finds the header of a file by a profile that has one: the last row before the first that is read.
func (f *tableFile) headBefore(p *reconciliation.FileProfileTerms, first int) error {
	if p.HeaderRow == 0 && !p.FindHeader {
		return nil
	}
	return f.each(func(row sheet.Row) error {
		if row.Number >= first {
			return errEnough
		}
		f.head(row)
		return nil
	})
}

// nameSheet sets the name of the sheet that is read, and those of the ones before it if it is read by its number.
func (f *tableFile) nameSheet(sheets []sheet.Sheet) {
	f.layout.Sheet = f.of.Name
	first := slices.IndexFunc(sheets, func(of sheet.Sheet) bool { return of.Table && !of.Hidden })
	if f.of.Number > 0 {
		first = f.of.Number - 1
		for _, of := range sheets[:min(first, len(sheets))] {
			f.layout.Before = append(f.layout.Before, of.Name)
		}
	}
	if f.of.Name == "" && first >= 0 && first < len(sheets) {
		f.layout.Sheet = sheets[first].Name
	}
}

// describe sets what the beginning of a CSV file says of how it is written.
func (f *tableFile) describe(given encoding.Encoding, beginning []byte) {
	f.encoding = reconciliation.UTF8
	if given != nil {
		f.encoding, _ = htmlindex.Name(given) // it was looked up by a name
		f.layout.Encoding = given
	} else if bytes.HasPrefix(beginning, []byte("\xff\xfe")) || bytes.HasPrefix(beginning, []byte("\xfe\xff")) {
		f.encoding, f.layout.Encoding = sheet.UTF16, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	if of := f.layout.Encoding; of != nil {
		beginning, _ = of.NewDecoder().Bytes(beginning) // what cannot be decoded is refused where it is read
	}
	f.layout.Mark = bytes.HasPrefix(beginning, []byte("\ufeff"))
	line, _, _ := bytes.Cut(beginning, []byte("\n"))
	f.layout.CRLF = bytes.HasSuffix(line, []byte("\r"))
}

// findHeader finds the header: the row that was named, or else the first with a value.
func (f *tableFile) findHeader(i *importing, from interface {
	io.Reader
	io.ReaderAt
}, size int64,
) error {
	last := 0
	if err := f.rows(from, size, func(row sheet.Row) error {
		filled := toLastFilled(row.Cells)
		if len(filled) == 0 || row.Number < i.headerRow {
			return nil
		}
		last = row.Number
		if i.headerRow == 0 || row.Number == i.headerRow {
			f.head(row)
		}
		return errEnough
	}); err != nil {
		return err
	}
	switch {
	case f.headerRow > 0:
		return nil
	case i.headerRow == 0:
		return errors.New("there is no header")
	case last > 0:
		return usage("row %d, where --header-row says that the header is, is empty", i.headerRow)
	}
	return usage("there is no row %d, where --header-row says that the header is", i.headerRow)
}

// head notes the header.
func (f *tableFile) head(row sheet.Row) {
	f.header, f.headerRow = nil, row.Number
	for _, cell := range toLastFilled(row.Cells) {
		name := strings.TrimSpace(cell.Text)
		if f.format != asXLSX {
			name = sheet.Original(name)
		}
		f.header = append(f.header, name)
	}
}

// toLastFilled returns cells without the empty ones at the end.
func toLastFilled(cells []sheet.Cell) []sheet.Cell {
	for len(cells) > 0 && !cells[len(cells)-1].Filled() {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// understoods are the encodings that the exchange reads. Others are sent as UTF-8.
var understood = []string{
	reconciliation.UTF8, reconciliation.UTF16, reconciliation.UTF16Little, reconciliation.UTF16Big,
	reconciliation.Windows1252,
}

// toSend returns the file to send and its encoding, empty for a workbook; end removes what was made for that.
func (f *tableFile) toSend() (path, encoding string, end func() error, err error) {
	end = func() error { return nil }
	if f.format == asXLSX || slices.Contains(understood, f.encoding) {
		return f.path, f.encoding, end, nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return "", "", nil, err
	}
	defer file.Close()
	if path, _, err = copied(f.layout.Encoding.NewDecoder().Reader(file)); err != nil {
		return "", "", nil, err
	}
	return path, reconciliation.UTF8, func() error { return os.Remove(path) }, nil
}

// sheetsWords names the sheets of a workbook, so that another one can be asked for; empty for CSV.
func (f *tableFile) sheetsWords() string {
	file, err := os.Open(f.path)
	if err != nil || f.format != asXLSX {
		return ""
	}
	defer file.Close()
	sheets, err := sheet.Sheets(file, f.size)
	if err != nil {
		return ""
	}
	var names []string
	for _, of := range sheets {
		names = append(names, of.String())
	}
	return fmt.Sprintf(" The sheets are %s.", strings.Join(names, ", "))
}

// columnNumber returns the number of a column, from 1, by its letters.
func columnNumber(letters string) (number int) {
	for _, letter := range letters {
		number = number*26 + int(letter-'A') + 1
	}
	return number
}

// nameOf returns the name of a column by its number, or else its letters.
func (f *tableFile) nameOf(number int) string {
	if number > 0 && number <= len(f.header) {
		return cmp.Or(f.header[number-1], sheet.Column(number))
	}
	return sheet.Column(number)
}
