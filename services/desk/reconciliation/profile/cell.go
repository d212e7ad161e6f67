package profile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/sheet"
)

// mostKey is how many characters a text that names something may have.
const mostKey = 200

// cell returns the cell of a column; an empty one where it is a part of a merged cell that is not to be filled.
func (r *reader) cell(row sheet.Row, column int) sheet.Cell {
	if column == 0 || column > len(row.Cells) || row.Cells[column-1].Merged && !slices.Contains(r.fills, column) {
		return sheet.Cell{}
	}
	return row.Cells[column-1]
}

// blank reports whether a row has no value of its own.
func blank(row sheet.Row) bool {
	for _, cell := range row.Cells {
		if cell.Filled() && !cell.Merged {
			return false
		}
	}
	return true
}

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

// plain returns a text that names something without spaces around it, and why it cannot be read.
func plain(of string) (value, reason string) { return plainUpTo(mostKey, of) }

// plainUpTo returns a text of a number of characters at most without spaces around it, and why it cannot be read.
func plainUpTo(most int, of string) (value, reason string) {
	value = withoutMark(strings.TrimSpace(of))
	return value, unreadable(most, value)
}

// withoutMark returns a text without the apostrophe before what would be a formula, which is written so that no
// spreadsheet takes it for one.
func withoutMark(text string) string {
	if len(text) > 1 && text[0] == '\'' && strings.ContainsRune("=+-@\t\r\n", rune(text[1])) {
		return text[1:]
	}
	return text
}

// unreadable returns why a text cannot be read, of which there is a number of characters at most; empty if it can.
func unreadable(most int, text string) string {
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError):
		return "has characters that the declared encoding does not have"
	case strings.ContainsFunc(text, unicode.IsControl):
		return "has control characters"
	case utf8.RuneCountInString(text) > most:
		return fmt.Sprintf("has more than %d characters", most)
	}
	return ""
}

var (
	// stored is a number as a workbook keeps it.
	stored = regexp.MustCompile(`^-?[0-9]{1,16}(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?$`)
	digits = regexp.MustCompile(`^[0-9]{1,16}$`)
	behind = regexp.MustCompile(`^[0-9]{1,20}$`)
	groups = regexp.MustCompile(`^[0-9]{1,3}( [0-9]{3}){1,5}$`)
)

// spaces are those that do not break, which stand for others between groups of digits.
var spaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ")

// amount returns the amount of a cell as p declares it, in a currency that has a number of digits at most, or any if
// that is below 0, and why it cannot be read.
func amount(
	p *reconciliation.FileProfileTerms, cell sheet.Cell, currency string, most int,
) (a money.Amount, reason string) {
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
		a, reason = written(p, value, currency)
	}
	if reason != "" {
		return a, reason
	}
	if p.RoundTo != nil {
		var err error
		if a, err = a.Rounded(*p.RoundTo); err != nil {
			return a, "is no amount that can be rounded"
		}
	}
	if most < 0 {
		return a, ""
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

// written returns an amount in a currency that is written as p declares it.
func written(p *reconciliation.FileProfileTerms, value, currency string) (a money.Amount, reason string) {
	// The currency stands outside of the sign or within it.
	value, had, reason := stripped(p, strings.ReplaceAll(value, "\u2212", "-"), currency)
	if reason != "" {
		return a, reason
	}
	if isNil(p, value) {
		return a, ""
	}
	plain, negative, reason := unsigned(p.Sign, value)
	if reason == "" && !had {
		plain, _, reason = stripped(p, plain, currency)
	}
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

// stripped returns an amount without the sign or code of its currency, if it has one that is declared, and whether it
// had. A code says that the amount is in a currency, and is no other's.
func stripped(p *reconciliation.FileProfileTerms, value, currency string) (plain string, had bool, reason string) {
	for _, word := range p.Strip {
		n := len(word)
		switch {
		case len(value) >= n && strings.EqualFold(value[:n], word):
			plain = value[n:]
		case len(value) >= n && strings.EqualFold(value[len(value)-n:], word):
			plain = value[:len(value)-n]
		default:
			continue
		}
		if valuesets.IsCurrency(strings.ToUpper(word)) && !strings.EqualFold(word, currency) {
			return value, true, "is in " + word + ", and the row is in " + currency
		}
		return strings.TrimSpace(plain), true, ""
	}
	return value, false, ""
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
