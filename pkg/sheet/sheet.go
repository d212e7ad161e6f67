package sheet

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	// mostRows is how many rows a sheet of a workbook may have: as many as a spreadsheet has. CSV may have any number.
	mostRows = 1 << 20
	// mostColumns is how many columns a file may have.
	mostColumns = 500
	// mostCell is how many bytes a cell may have: as many characters as a spreadsheet allows, in UTF-8.
	mostCell = 4 * 32_767
)

// Kind says what a cell is.
type Kind int

// The kinds of cells. All cells of CSV are texts.
const (
	Text Kind = iota
	// Number is a number as XLSX keeps it: digits, perhaps with a point and an exponent.
	Number
	// Day is a date as XLSX keeps it. Its text is in the form 2026-04-03.
	Day
	// Moment is a date with a time of day. Its text is in the form 2026-04-03T15:04:05, with milliseconds if there are
	// any.
	Moment
)

// Cell is a cell.
type Cell struct {
	Kind Kind
	Text string
	// Wrong says why the value of a cell cannot be taken; empty if it can.
	Wrong string
	// Formula says that the value is what a formula had come to when the file was saved.
	Formula bool
	// Merged says that the cell is a part of a merged one, whose value it has. Files are read so on request.
	Merged bool
	// shown is a number as its format shows it, unless it is as unshown says.
	shown, unshown string
}

// Shown returns the text that a cell shows, and why it shows none that can be taken for one.
func (c Cell) Shown() (text, reason string) {
	switch {
	case c.Wrong != "":
		return "", c.Wrong
	case c.Kind == Number:
		return c.shown, c.unshown
	case c.Kind == Day, c.Kind == Moment:
		return "", "is a date, and no text"
	}
	return c.Text, ""
}

// Decimal returns the number of a cell in digits, of which a spreadsheet keeps 15, and why there is none.
func (c Cell) Decimal() (digits, reason string) {
	number, err := strconv.ParseFloat(c.Text, 64)
	switch {
	case c.Wrong != "":
		return "", c.Wrong
	case c.Kind != Number || err != nil:
		return "", "is no number"
	}
	digits, exact := rounded(number)
	if !exact && math.Abs(number) >= tooLong {
		return "", unkept
	}
	return digits, ""
}

// Filled reports whether a cell is not empty.
func (c Cell) Filled() bool { return c.Wrong != "" || strings.TrimSpace(c.Text) != "" }

// Row is a row. It is valid until the next one is read.
type Row struct {
	// Number counts from 1, as a spreadsheet does. A row of CSV has several lines if a cell has.
	Number int
	// Line is the line on which a row of CSV begins, from 1; 0 for one of a workbook.
	Line  int
	Cells []Cell
	// Unended says that a file of CSV ends with the row, and with no line end: it may have been cut off there.
	Unended bool
	// Hidden says that a spreadsheet does not show the row, as where a filter leaves it out.
	Hidden bool
	// HiddenColumns are the numbers of the columns that a spreadsheet does not show, up to the greatest that may be
	// filled. All rows share them.
	HiddenColumns []int
}

// WrongError says why a file cannot be read, in words for the person who has sent it.
type WrongError struct{ words string }

func (w *WrongError) Error() string { return w.words }

func wrong(format string, of ...any) error { return NewWrong(fmt.Sprintf(format, of...)) }

// letters is how many letters name columns.
const letters = 'Z' - 'A' + 1

// Place names a cell by the numbers of its column and row, from 1, such as F12.
func Place(column, row int) string { return Column(column) + strconv.Itoa(row) }

// Column returns the letters that name the column with a number, from 1.
func Column(number int) string {
	name := ""
	for ; number > 0; number = (number - 1) / letters {
		name = string(rune('A'+(number-1)%letters)) + name
	}
	return name
}

// bounded passes on the rows of a file up to its bounds.
func bounded(do func(Row) error) func(Row) error {
	return func(row Row) error {
		if len(row.Cells) > mostColumns {
			return wrong("Row %d has %d columns; a file may have %d.", row.Number, len(row.Cells), mostColumns)
		}
		for i, cell := range row.Cells {
			if len(cell.Text) > mostCell {
				return wrong("The cell %s has more than %d bytes.", Place(i+1, row.Number), mostCell)
			}
		}
		return do(row)
	}
}

// NewWrong returns the error of a file that cannot be read.
func NewWrong(words string) error { return &WrongError{words} }
