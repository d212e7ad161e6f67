package profile

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/money"
)

// mostKey is how many characters a text that names something may have.
const mostKey = 200

// text returns the text that a cell shows without spaces around it, and why it cannot be read.
func text(cell sheet.Cell) (value, reason string) {
	value, reason = cell.Shown()
	if reason != "" {
		return "", reason
	}
	return plain(value)
}

// kept returns what a workbook keeps of a cell, or the text of a cell, without spaces around it, and why it cannot be
// read.
func kept(cell sheet.Cell) (value, reason string) {
	if cell.Wrong != "" {
		return "", cell.Wrong
	}
	return plain(cell.Text)
}

// plain returns a text without spaces around it, and why it cannot be read.
func plain(of string) (value, reason string) {
	value = strings.TrimSpace(of)
	// What would be a formula is written with an apostrophe before it, so that no spreadsheet takes it for one.
	if len(value) > 1 && value[0] == '\'' && strings.ContainsRune("=+-@\t\r\n", rune(value[1])) {
		value = value[1:]
	}
	switch {
	case !utf8.ValidString(value) || strings.ContainsRune(value, utf8.RuneError):
		return value, "has characters that the declared encoding does not have"
	case strings.ContainsFunc(value, unicode.IsControl):
		return value, "has control characters"
	case utf8.RuneCountInString(value) > mostKey:
		return value, fmt.Sprintf("has more than %d characters", mostKey)
	}
	return value, ""
}

var (
	// stored is a number as a workbook keeps it.
	stored = regexp.MustCompile(`^-?[0-9]{1,16}(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?$`)
	digits = regexp.MustCompile(`^[0-9]{1,16}$`)
	behind = regexp.MustCompile(`^[0-9]{1,8}$`)
	groups = regexp.MustCompile(`^[0-9]{1,3}( [0-9]{3}){1,5}$`)
)

// spaces are those that do not break, which stand for others between groups of digits.
var spaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ")

// amount returns the amount of a cell as p declares it, with the digits of its currency, and why it cannot be read.
func amount(p *reconciliation.FileProfileTerms, cell sheet.Cell, most int) (a money.Amount, reason string) {
	value, reason := kept(cell)
	if reason != "" {
		return a, reason
	}
	if cell.Kind == sheet.Day || cell.Kind == sheet.Moment {
		return a, "is a date, and no amount"
	}
	if cell.Kind == sheet.Number {
		a, reason = number(value)
		if p.Sign == reconciliation.Debit || p.Sign == reconciliation.Credit {
			reason = "has neither DR nor CR"
		}
	} else {
		a, reason = written(p, value)
	}
	if reason != "" {
		return a, reason
	}
	rounded, err := a.Rounded(most)
	if err != nil || rounded.Cmp(a) != 0 {
		return a, fmt.Sprintf("has more than %d digits behind the point", most)
	}
	return rounded, ""
}

// exact is how many digits every spreadsheet keeps of a number. Further digits come from its conversion to binary.
const exact = 15

// number returns a number that a workbook keeps.
func number(value string) (a money.Amount, reason string) {
	if !stored.MatchString(value) {
		return a, "is no number of up to 16 digits"
	}
	a, err := money.Significant(value, exact)
	if err != nil {
		return a, "is no number"
	}
	return a, ""
}

// written returns an amount that is written as p declares it.
func written(p *reconciliation.FileProfileTerms, value string) (a money.Amount, reason string) {
	plain, negative, reason := unsigned(p.Sign, value)
	if reason != "" {
		return a, reason
	}
	whole, part := spaces.Replace(plain), ""
	if p.DecimalMark != "" {
		var marked bool
		if whole, part, marked = strings.Cut(whole, p.DecimalMark); marked && !behind.MatchString(part) {
			return a, fmt.Sprintf("has no digits alone behind %q", p.DecimalMark)
		}
	}
	if !digits.MatchString(whole) {
		if reason := grouped(p, whole); reason != "" {
			return a, reason
		}
		whole = strings.ReplaceAll(whole, p.GroupingMark, "")
	}
	if part != "" {
		whole += "." + part
	}
	a, err := money.Parse(whole)
	if err != nil {
		return a, "is no number"
	}
	if negative {
		a = a.Negated()
	}
	return a, ""
}

// grouped returns why the digits before the point are no groups as p declares them; empty if they are.
func grouped(p *reconciliation.FileProfileTerms, whole string) string {
	hasMark := strings.ContainsAny(whole, ".,")
	switch {
	case p.DecimalMark == "" && hasMark:
		return "can be read in two ways, because the profile does not declare decimalMark"
	case p.GroupingMark == "" && (hasMark || strings.ContainsAny(whole, "' ")):
		return "has a mark between digits that the profile does not declare as groupingMark"
	case p.GroupingMark == "" || strings.Contains(whole, " ") && p.GroupingMark != " " ||
		!groups.MatchString(strings.ReplaceAll(whole, p.GroupingMark, " ")):
		return "is no amount as the profile declares it"
	}
	return ""
}

// unsigned returns an amount without its sign, and whether it is below 0.
func unsigned(sign, value string) (plain string, negative bool, reason string) {
	switch sign {
	case reconciliation.Minus:
		plain, negative = strings.CutPrefix(value, "-")
	case reconciliation.TrailingMinus:
		plain, negative = strings.CutSuffix(value, "-")
	case reconciliation.Parentheses:
		plain = value
		if inner, begun := strings.CutPrefix(value, "("); begun {
			plain, negative = strings.CutSuffix(inner, ")")
		}
	case reconciliation.Debit, reconciliation.Credit:
		upper := strings.ToUpper(value)
		before, debit := strings.CutSuffix(upper, "DR")
		if !debit {
			var credit bool
			if before, credit = strings.CutSuffix(upper, "CR"); !credit {
				return "", false, "has neither DR nor CR"
			}
		}
		return strings.TrimSpace(before), debit == (sign == reconciliation.Debit), ""
	}
	return strings.TrimSpace(plain), negative, ""
}

var (
	yearFirst = regexp.MustCompile(`^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$`)
	ordered   = regexp.MustCompile(`^([0-9]{1,4})([-./ ])([0-9]{1,2})([-./ ])([0-9]{1,4})$`)
)

// day returns the date of a cell as p declares it, and why it cannot be read.
func day(p *reconciliation.FileProfileTerms, cell sheet.Cell) (d time.Time, reason string) {
	value, reason := kept(cell)
	if reason != "" {
		return d, reason
	}
	switch cell.Kind {
	case sheet.Number:
		return d, "is a number, and not formatted as a date"
	case sheet.Moment:
		return d, "has the time of day " + strings.SplitN(value, "T", 2)[1] + ", and a date has none"
	}
	if parts := yearFirst.FindStringSubmatch(value); parts != nil {
		return dateOf(parts[1], parts[2], parts[3])
	}
	parts := ordered.FindStringSubmatch(value)
	switch {
	case parts == nil || parts[2] != parts[4]:
		return d, "is no date in numbers, such as 2026-04-03"
	case p.DateOrder == "":
		return d, "can be read in two ways, because the profile does not declare dateOrder"
	case p.DateOrder == reconciliation.YearFirst:
		return dateOf(parts[1], parts[3], parts[5])
	case p.DateOrder == reconciliation.DayFirst:
		return dateOf(parts[5], parts[3], parts[1])
	}
	return dateOf(parts[5], parts[1], parts[3])
}

func dateOf(year, month, of string) (d time.Time, reason string) {
	if len(year) != 4 {
		return d, "has no year of four digits where the profile says that the year is"
	}
	d, err := time.Parse("2006-1-2", year+"-"+month+"-"+of)
	if err != nil {
		return d, "is no day of the calendar in the declared order"
	}
	return d, ""
}
