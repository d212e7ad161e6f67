package table

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/sheet"
)

// linesSheet is the name of the sheet with the rows.
const linesSheet = "Lines"

// Workbook is a workbook on its way. Rows are written to a temporary file as they come.
type Workbook struct {
	*excelize.File
	// Day and Amount are the styles of dates and amounts, and Bold that of headers; 0 where headers are as other rows.
	Day, Amount, Bold int
	// instant is the style of instants; 0 until one is written, because a workbook without them has no such style.
	instant int
}

// NewWorkbook returns a workbook, which its caller closes. In a plain one, headers are as other rows.
func NewWorkbook(plain bool) (b *Workbook, err error) {
	b = &Workbook{File: excelize.NewFile()}
	style := func(of excelize.Style) (number int) {
		if err == nil {
			number, err = b.NewStyle(&of)
		}
		return number
	}
	b.Day, b.Amount = style(excelize.Style{NumFmt: 14}), style(excelize.Style{NumFmt: 4})
	if !plain {
		b.Bold = style(excelize.Style{Font: &excelize.Font{Bold: true}})
	}
	if err == nil {
		err = b.SetSheetName("Sheet1", linesSheet)
	}
	return b, err
}

// Pack writes a workbook with texts as package sheet escapes them, the same bytes for the same one: the library packs
// its parts in any order. It would also have all of the packed file in memory first. Errors: those of w,
// problem.Unavailable.
func Pack(w io.Writer, file *excelize.File) error {
	spool, err := os.CreateTemp("", "workbook-*")
	if err != nil {
		return problem.Outage(err)
	}
	defer func() {
		_ = spool.Close()
		_ = os.Remove(spool.Name())
	}()
	file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return sheet.NewPacker(spool) })
	if err := file.Write(io.Discard); err != nil {
		return err
	}
	size, err := spool.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	packed, err := zip.NewReader(spool, size)
	if err != nil {
		return err
	}
	slices.SortFunc(packed.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	out := zip.NewWriter(w)
	for _, part := range packed.File {
		if err := out.Copy(part); err != nil {
			return err
		}
	}
	return out.Close()
}

func writeXLSX(w io.Writer, columns []Column, each Each) error {
	b, err := NewWorkbook(false)
	defer func() { _ = b.Close() }() // it only removes the temporary file
	if err != nil {
		return err
	}
	names := []any{}
	for _, c := range columns {
		names = append(names, c.Name)
	}
	out, err := b.Lines(names)
	if err != nil {
		return err
	}
	if err := each(func(texts []string) error {
		cells := make([]any, len(texts))
		for i, c := range columns {
			var err error
			if cells[i], err = b.Cell(c.Kind, texts[i]); err != nil {
				return err
			}
		}
		return out.Write(cells)
	}); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return Pack(w, b.File)
}

// Lines writes rows to a sheet and, once that is full, to further ones with the same headers.
type Lines struct {
	*excelize.StreamWriter
	book    *Workbook
	headers [][]any
	// most is how many rows a sheet has at most, with its headers, and written how many this one has.
	most, written int
	// sheets is how many there are.
	sheets int
}

// Lines returns what writes rows below headers, texts of which the last ones name the columns. Its caller flushes it
// at the end. Errors: those of the temporary file.
func (b *Workbook) Lines(headers ...[]any) (*Lines, error) {
	return b.lines(excelize.TotalRows, headers)
}

func (b *Workbook) lines(most int, headers [][]any) (*Lines, error) {
	l := &Lines{book: b, most: most, headers: headers}
	return l, l.next()
}

// next begins a sheet: the first one is there already.
func (l *Lines) next() (err error) {
	name := linesSheet
	if l.sheets++; l.sheets > 1 {
		name += " " + strconv.Itoa(l.sheets)
		if _, err = l.book.NewSheet(name); err == nil {
			err = l.Flush()
		}
	}
	if err == nil && l.book.Bold > 0 {
		err = l.filter(name)
	}
	if err == nil {
		l.StreamWriter, err = l.book.NewStreamWriter(name)
	}
	if err == nil && l.book.Bold > 0 {
		err = l.inSight()
	}
	l.written = 0
	for _, cells := range l.headers {
		if err == nil {
			err = l.row(cells, excelize.RowOpts{StyleID: l.book.Bold})
		}
	}
	return err
}

// names are the cells of the last row of the header.
func (l *Lines) names() []any { return l.headers[len(l.headers)-1] }

// filter lets the rows of a sheet be chosen by their values.
func (l *Lines) filter(name string) error {
	first, err1 := excelize.CoordinatesToCellName(1, len(l.headers))
	last, err2 := excelize.CoordinatesToCellName(len(l.names()), l.most)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return l.book.AutoFilter(name, first+":"+last, nil)
}

// The widths of columns, in characters. The arrow of a filter needs room.
const (
	narrowest = 12
	widest    = 40
	arrow     = 3
)

// inSight keeps the header of a sheet in sight, and makes the columns as wide as their names.
func (l *Lines) inSight() error {
	for i, name := range l.names() {
		width := min(widest, max(narrowest, arrow+utf8.RuneCountInString(name.(string))))
		if err := l.SetColWidth(i+1, i+1, float64(width)); err != nil {
			return err
		}
	}
	return l.SetPanes(&excelize.Panes{Freeze: true, YSplit: len(l.headers),
		TopLeftCell: "A" + strconv.Itoa(len(l.headers)+1), ActivePane: "bottomLeft"})
}

// Write writes a row. Errors: those of the temporary file.
func (l *Lines) Write(cells []any) error {
	if l.written == l.most {
		if err := l.next(); err != nil {
			return err
		}
	}
	return l.row(cells)
}

func (l *Lines) row(cells []any, how ...excelize.RowOpts) error {
	l.written++
	place, err := excelize.CoordinatesToCellName(1, l.written)
	if err != nil {
		return err
	}
	return l.SetRow(place, sheet.Cells(cells), how...)
}

// shownInstant is the number format of instants.
const shownInstant = "yyyy-mm-dd hh:mm:ss"

// Cell returns a cell: what is of a kind is what it is, and a text is never a formula.
func (b *Workbook) Cell(kind Kind, text string) (cell any, err error) {
	switch {
	case text == "":
		return nil, nil
	case kind == Day:
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return excelize.Cell{StyleID: b.Day, Value: day}, nil
		}
	case kind == Instant:
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return b.instantCell(at)
		}
	case kind == Amount && isNumber(text):
		return excelize.Cell{StyleID: b.Amount, Value: Number(text)}, nil
	case kind == Whole && isNumber(text):
		return Number(text), nil
	case kind == Flag && (text == "true" || text == "false"):
		return text == "true", nil
	}
	return Neutral(text), nil
}

func (b *Workbook) instantCell(at time.Time) (any, error) {
	if b.instant == 0 {
		text := shownInstant
		var err error
		if b.instant, err = b.NewStyle(&excelize.Style{CustomNumFmt: &text}); err != nil {
			return nil, err
		}
	}
	return excelize.Cell{StyleID: b.instant, Value: at}, nil
}
