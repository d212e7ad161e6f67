// Package table writes tables as files, CSV or XLSX, row by row: nothing of them is kept in memory. No text of a file
// is a formula.
package table

import (
	"io"
	"strconv"
	"strings"
)

// Format is a form in which tables are written.
type Format struct {
	// Name ends the name of a file, and Media is the media type.
	Name, Media string
}

// The formats.
var (
	CSV  = Format{"csv", "text/csv; charset=utf-8; header=present"}
	XLSX = Format{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
)

// Kind says what the values of a column are. Those that are not of it are written as texts.
type Kind int

// The kinds.
const (
	Text Kind = iota
	// Amount is of numbers that are shown with two decimals, and Whole of others.
	Amount
	Whole
	// Day is of days such as 2026-11-30, and Instant of instants as RFC 3339 has them, which a workbook has as a day
	// with a time in their zone.
	Day
	Instant
	// Flag is of true and false.
	Flag
)

// Column is a column of a table.
type Column struct {
	// Name is the header.
	Name string
	Kind Kind
}

// Each calls a function with the cells of each row of a table, and stops at its error.
type Each = func(row func(cells []string) error) error

// Write writes a table. Errors: those of each and of the writer, problem.Unavailable.
func (f Format) Write(w io.Writer, columns []Column, each Each) error {
	if f.Name == CSV.Name {
		return writeCSV(w, columns, each)
	}
	return writeXLSX(w, columns, each)
}

// Neutral returns a text that no spreadsheet takes for a formula, also where it leaves out a line feed before one.
func Neutral(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// exactDigits is how many digits every spreadsheet keeps of a number.
const exactDigits = 15

// Number returns a number as a spreadsheet keeps it. One with more digits is a text, so that none is lost.
func Number(text string) any {
	digits := strings.TrimLeft(strings.NewReplacer(".", "", "-", "").Replace(text), "0")
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || len(digits) > exactDigits {
		return text
	}
	return value
}
