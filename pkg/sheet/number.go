package sheet

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// numeric is a number as XLSX keeps it.
var numeric = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?$`)

const (
	// exactDigits is how many digits every spreadsheet keeps of a number; further ones come from its binary form.
	exactDigits = 15
	// longest is the first number that a cell without a format shows with an exponent.
	longest = 1e11
	// lastDay is the number of the last day of the year 9999, counted from 1900.
	lastDay = 2_958_465
)

// numberOf returns the cell of a number in a format.
func (b *book) numberOf(value string, in format) Cell {
	cell := Cell{Kind: Number, Text: value}
	if !numeric.MatchString(value) {
		cell.Wrong = "is no number"
		return cell
	}
	if number, err := strconv.ParseFloat(value, 64); err == nil && (in.date || in.timeAlone && number < 1) {
		return b.serial(number, value)
	}
	cell.shown, cell.unshown = shown(value, in)
	return cell
}

// shown returns a number as its format shows it to who takes it for a text, or else why that is no text.
func shown(value string, in format) (text, unshown string) {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || math.Abs(number) >= 1e15 {
		return "", "is a number of more than 15 digits, of which a spreadsheet keeps 15: format the column as text"
	}
	if in.scientific || in.general && (math.Abs(number) >= longest || number != 0 && math.Abs(number) < 1e-9) {
		return "", "is a number that is shown with an exponent, such as 1.2E+11: format the column as text"
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(number, 'e', exactDigits-1, 64), 64)
	if err != nil {
		return "", "is no number"
	}
	digits, negative := strings.CutPrefix(strconv.FormatFloat(rounded, 'f', -1, 64), "-")
	if !strings.Contains(digits, ".") && len(digits) < in.zeros {
		digits = strings.Repeat("0", in.zeros-len(digits)) + digits
	}
	if negative {
		return "-" + digits, ""
	}
	return digits, ""
}

// serial returns the cell of a day, perhaps with a time, that is kept as a number of days. Within a second of a
// midnight it is that midnight: a time is a fraction that no number has exactly.
func (b *book) serial(number float64, value string) Cell {
	days := math.Floor(number + 0.5)
	if math.Abs(number-days)*24*60*60 > 1 {
		days = math.Floor(number)
	} else {
		number = days
	}
	seconds := time.Duration(math.Round((number-days)*24*60*60)) * time.Second
	first, last := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC), float64(lastDay)
	switch {
	case b.since1904:
		first, last = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC), lastDay-1462
	case number > 1 && days < 60:
		first = first.AddDate(0, 0, 1) // 1900 has a 29 February there, which is 60
	}
	switch {
	case number > 0 && number < 1:
		return Cell{Kind: Moment, Text: value, Wrong: "is a time without a day"}
	case number < 0 || days > last || !b.since1904 && (days == 0 || days == 1 || days == 60):
		return Cell{Kind: Day, Text: value, Wrong: "is shown as a date, and its number " + value + " is that of no day"}
	case seconds == 0:
		return Cell{Kind: Day, Text: first.AddDate(0, 0, int(days)).Format(time.DateOnly)}
	}
	return Cell{Kind: Moment, Text: first.AddDate(0, 0, int(days)).Add(seconds).Format(instant)}
}

// instant is the form of a day with a time.
const instant = "2006-01-02T15:04:05"

// dateOf returns the cell of a date as a workbook may keep it in place of a number.
func dateOf(value string) Cell {
	plain := strings.TrimSuffix(value, "Z")
	if _, err := time.Parse(time.DateOnly, plain); err == nil {
		return Cell{Kind: Day, Text: plain}
	}
	at, err := time.Parse(instant, plain) // takes parts of a second as well
	if err != nil {
		return Cell{Kind: Moment, Text: value, Wrong: "is no date with a day, such as 2026-04-03"}
	}
	if midnight := at.Add(12 * time.Hour).Truncate(24 * time.Hour); at.Sub(midnight).Abs() <= time.Second {
		return Cell{Kind: Day, Text: midnight.Format(time.DateOnly)}
	}
	return Cell{Kind: Moment, Text: at.Format(instant)}
}
