package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rivo/uniseg"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
)

// The limits of a workbook.
const (
	mostDigits = 15 // of a number
	mostRows   = excelize.TotalRows - 1
)

// The widths of columns, in characters.
const (
	narrowest = 8
)

// sheetWriter writes a workbook with one sheet, row by row. It has a header that does not scroll, a filter, columns
// as wide as their values, and dates as dates. Every text becomes a text cell, so that none becomes a formula.
type sheetWriter struct {
	to        io.Writer
	columns   Columns
	book      *excelize.File
	rows      *excelize.StreamWriter
	next      int // the number of the next row
	day, time int // styles
	zone      *time.Location
	// whole and decimal are the styles of amounts of money.
	whole, decimal int
	// exponent is the style of numbers that are no texts.
	exponent int
}

func newSheetWriter(to io.Writer, l Layout, columns Columns) (s *sheetWriter, err error) {
	if l.Records > mostRows {
		return nil, fmt.Errorf("a sheet holds %d records, and there are %d; filter them, or export as csv or ndjson",
			mostRows, l.Records)
	}
	s = &sheetWriter{
		to: to, columns: columns, book: excelize.NewFile(), next: 1 + l.Above, zone: cmp.Or(l.Zone, time.UTC),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.book.Close())
		}
	}()
	if err := s.sheets(append(slices.Clone(l.Before), l.Sheet)); err != nil {
		return nil, err
	}
	if err := s.filter(l); err != nil {
		return nil, err
	}
	bold, err1 := s.book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	day, err2 := s.style("yyyy-mm-dd")
	instant, err3 := s.style("yyyy-mm-dd hh:mm:ss")
	whole, err4 := s.style("#,##0")
	decimal, err5 := s.style("#,##0.00")
	exponent, err6 := s.style("0.00E+00")
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	s.day, s.time, s.whole, s.decimal, s.exponent = day, instant, whole, decimal, exponent
	if s.rows, err = s.book.NewStreamWriter(l.Sheet); err != nil {
		return nil, err
	}
	cells := make([]any, len(l.Header))
	for i, name := range l.Header {
		cells[i] = excelize.Cell{StyleID: bold, Value: sheet.Escaped(name)}
		// The arrow of the filter needs room next to the name.
		width := max(narrowest, min(Widest, max(l.Widths[name], uniseg.StringWidth(name)+3)))
		if err := s.rows.SetColWidth(i+1, i+1, float64(width)); err != nil {
			return nil, err
		}
	}
	if len(l.Header) == 0 {
		return s, nil
	}
	if err := s.rows.SetPanes(&excelize.Panes{Freeze: true, YSplit: s.next, TopLeftCell: fmt.Sprintf("A%d", s.next+1),
		ActivePane: "bottomLeft"}); err != nil {
		return nil, err
	}
	return s, s.Write(cells)
}

// sheets makes the sheets with some names, and shows the last of them.
func (s *sheetWriter) sheets(names []string) error {
	if err := s.book.SetSheetName(s.book.GetSheetName(0), names[0]); err != nil {
		return err
	}
	for _, name := range names[1:] {
		at, err := s.book.NewSheet(name)
		if err != nil {
			return err
		}
		s.book.SetActiveSheet(at)
	}
	return nil
}

// filter sets the filter below the header, if there is one.
func (s *sheetWriter) filter(l Layout) error {
	if len(l.Header) == 0 {
		return nil
	}
	first, err1 := excelize.CoordinatesToCellName(1, s.next)
	last, err2 := excelize.CoordinatesToCellName(len(l.Header), s.next+max(1, l.Records))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return s.book.AutoFilter(l.Sheet, first+":"+last, nil)
}

func (s *sheetWriter) style(format string) (int, error) {
	return s.book.NewStyle(&excelize.Style{CustomNumFmt: &format})
}

func (s *sheetWriter) Write(cells []any) error {
	name, err := excelize.CoordinatesToCellName(1, s.next)
	if err != nil {
		return err
	}
	s.next++
	return s.rows.SetRow(name, sheet.Cells(cells))
}

func (s *sheetWriter) End(err error) error {
	if err == nil {
		err = s.rows.Flush()
	}
	if err == nil {
		err = s.book.SetZipWriter(func(w io.Writer) excelize.ZipWriter { return sheet.NewPacker(w) }).Write(s.to)
	}
	return errors.Join(err, s.book.Close())
}

// Value returns a value as a cell. A number with more digits than a workbook keeps becomes text, and so
// does a day before the first day of the calendar of workbooks.
func (s *sheetWriter) Value(cell Cell) (any, error) {
	text := Plain(cell.Value)
	switch kind := s.columns.Kind(cell.Column); {
	case cell.Value.Kind() == jsontext.KindNumber && digits(text) <= mostDigits:
		value, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
		case !s.columns.Amount(cell.Column):
			return value, nil
		case strings.ContainsAny(text, ".e"):
			return excelize.Cell{StyleID: s.decimal, Value: value}, nil
		default:
			return excelize.Cell{StyleID: s.whole, Value: value}, nil
		}
	case kind == resource.Flag && (text == "true" || text == "false"):
		return text == "true", nil
	case kind == resource.Date:
		if day, err := time.Parse(time.DateOnly, text); err == nil && day.Year() > 1900 {
			return excelize.Cell{StyleID: s.day, Value: day}, nil
		}
	case kind == resource.DateTime:
		instant, err := time.Parse(time.RFC3339Nano, text)
		if at, once := s.clock(instant); err == nil && once && at.Year() > 1900 && !besideMidnight(at) {
			return excelize.Cell{StyleID: s.time, Value: at}, nil
		}
	default:
		text = s.columns.Text(cell) // so that an import reads the same value
	}
	if len(utf16.Encode([]rune(sheet.Escaped(text)))) > excelize.TotalCellChars {
		return nil, fmt.Errorf("%s: a cell of a workbook holds %d characters; export as csv or ndjson", cell.Column,
			excelize.TotalCellChars)
	}
	return text, nil
}

// clock returns what a clock in the zone of the workbook shows at an instant, to the millisecond, and whether it shows
// that at no other instant, as it does where it is put back.
func (s *sheetWriter) clock(instant time.Time) (at time.Time, once bool) {
	const shown = "2006-01-02T15:04:05.000"
	instant = instant.Round(time.Millisecond)
	text := instant.In(s.zone).Format(shown)
	read, err := time.ParseInLocation(shown, text, s.zone)
	at, err2 := time.Parse(shown, text)
	return at, err == nil && err2 == nil && read.Equal(instant)
}

// besideMidnight reports whether an instant is less than a second from a midnight, as which a workbook is read then.
func besideMidnight(instant time.Time) bool {
	const day = 24 * time.Hour
	after := instant.Sub(instant.Truncate(day)).Round(time.Millisecond)
	return after > 0 && after < time.Second || day-after < time.Second
}

// Copied returns a cell as what it is, so that what is refused is refused again before it is mended: a number that
// shows no text is shown with an exponent, and what has no value is an error.
func (s *sheetWriter) Copied(cell sheet.Cell) any {
	shown, reason := cell.Shown()
	number, err := strconv.ParseFloat(cell.Text, 64)
	switch {
	case cell.Kind == sheet.Text && cell.Wrong == "":
		return cell.Text
	case cell.Kind == sheet.Number && err == nil && reason != "":
		return excelize.Cell{StyleID: s.exponent, Value: number}
	case cell.Kind == sheet.Number && len(shown) > 1 && shown[0] == '0' && shown[1] != '.':
		return shown // with zeros that only the format has
	case cell.Kind == sheet.Number && err == nil:
		return number
	case cell.Kind == sheet.Moment:
		if at, err := time.Parse("2006-01-02T15:04:05", cell.Text); err == nil {
			return excelize.Cell{StyleID: s.time, Value: at}
		}
	case cell.Kind == sheet.Day:
		if at, err := time.Parse(time.DateOnly, cell.Text); err == nil {
			return excelize.Cell{StyleID: s.day, Value: at}
		}
	}
	return excelize.Cell{Formula: "NA()"}
}

// digits returns the number of significant digits of a JSON number, including zeros at its end.
func digits(number string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return len(strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0"))
}
