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
	// tooLong is the first number whose digits before the point are more than exactDigits.
	tooLong = 1e15
	// unkept says of a number that it is not in the file as somebody may have written it.
	unkept = "is a number of more than 15 digits, of which a spreadsheet keeps 15: format the column as text"
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
	if err != nil || math.Abs(number) >= tooLong {
		return "", unkept
	}
	if in.scientific || in.general && (math.Abs(number) >= longest || number != 0 && math.Abs(number) < 1e-9) {
		return "", "is a number that is shown with an exponent, such as 1.2E+11: format the column as text"
	}
	plain, _ := rounded(number)
	digits, negative := strings.CutPrefix(plain, "-")
	if !strings.Contains(digits, ".") && len(digits) < in.zeros {
		digits = strings.Repeat("0", in.zeros-len(digits)) + digits
	}
	if negative {
		return "-" + digits, ""
	}
	return digits, ""
}

// rounded returns a number in as many digits as a spreadsheet keeps of it, and whether it has no others.
func rounded(number float64) (digits string, exact bool) {
	near, err := strconv.ParseFloat(strconv.FormatFloat(number, 'e', exactDigits-1, 64), 64)
	return strconv.FormatFloat(near, 'f', -1, 64), err == nil && near == number
}

// serial returns the cell of a day, perhaps with a time to the millisecond, that is kept as a number of days. Less than
// a second from a midnight it is that midnight: a time is a fraction that no number has exactly.
func (b *book) serial(number float64, value string) Cell {
	days := math.Floor(number + 0.5)
	if math.Round(math.Abs(number-days)*24*60*60*1000) < 1000 {
		number = days
	} else {
		days = math.Floor(number)
	}
	after := time.Duration(math.Round((number-days)*24*60*60*1000)) * time.Millisecond
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
	case after == 0:
		return Cell{Kind: Day, Text: first.AddDate(0, 0, int(days)).Format(time.DateOnly)}
	}
	return Cell{Kind: Moment, Text: first.AddDate(0, 0, int(days)).Add(after).Format(instant)}
}

// instant is the form of a day with a time.
const instant = "2006-01-02T15:04:05.999"

// dateOf returns the cell of a date as a workbook may keep it in place of a number.
func dateOf(value string) Cell {
	plain := strings.TrimSuffix(value, "Z")
	if _, err := time.Parse(time.DateOnly, plain); err == nil {
		return Cell{Kind: Day, Text: plain}
	}
	at, err := time.Parse(instant, plain)
	if err != nil {
		return Cell{Kind: Moment, Text: value, Wrong: "is no date with a day, such as 2026-04-03"}
	}
	if midnight := at.Add(12 * time.Hour).Truncate(24 * time.Hour); at.Sub(midnight).Abs() < time.Second {
		return Cell{Kind: Day, Text: midnight.Format(time.DateOnly)}
	}
	return Cell{Kind: Moment, Text: at.Format(instant)}
}
