// Package reconciliation holds what the desk exchanges with its callers about the files of others: how a file is read,
// what was read, and what it says compared with the records of the exchange.
//
// Files of others, compared with the records.
package reconciliation

import "insurance.example/exchange/contracts/scalar"

// The values of FileProfileTerms.Format.
const (
	CSV  = "csv"
	XLSX = "xlsx"
)

// The values of FileProfileTerms.Encoding.
const (
	UTF8        = "utf-8"
	UTF16       = "utf-16"
	UTF16Little = "utf-16le"
	UTF16Big    = "utf-16be"
	Windows1252 = "windows-1252"
)

// The values of FileProfileTerms.DateOrder.
const (
	YearFirst  = "ymd"
	DayFirst   = "dmy"
	MonthFirst = "mdy"
)

// The values of FileProfileTerms.Sign.
const (
	Minus         = "minus"
	TrailingMinus = "trailingMinus"
	Parentheses   = "parentheses"
	// Debit and Credit say which of the marks DR and CR stands for less than 0. Every amount has one of both.
	Debit  = "debit"
	Credit = "credit"
)

// The values of FileTotals.Rule.
const (
	NoTotals     = "none"
	LastTotals   = "last"
	MarkedTotals = "marked"
)

// The meanings of columns.
const (
	LineID       = "lineId"
	PolicyNumber = "policyNumber"
	Type         = "type"
	Date         = "date"
	Currency     = "currency"
	Amount       = "amount"
	Gross        = "gross"
	Commission   = "commission"
	Brokerage    = "brokerage"
	Net          = "net"
	Settled      = "settled"
)

// FileProfileTerms says how a file is read.
//
// How a file is read. What it does not declare is not guessed: a cell that can be read in two ways is quarantined.
type FileProfileTerms struct {
	// The format: csv or xlsx.
	Format string `json:"format"`
	// The sheet of a workbook; without it the first one that is not hidden.
	Sheet string `json:"sheet,omitzero"`
	// What separates the cells of a row: a comma, semicolon, tab or bar. Needed for csv, and only there.
	Delimiter string `json:"delimiter,omitzero"`
	// The encoding: utf-8 (with or without a byte order mark), utf-16 (with one), utf-16le, utf-16be or windows-1252.
	// Needed for csv, and only there.
	Encoding string `json:"encoding,omitzero"`
	// The number of the row that names the columns, from 1; 0 where no row does, so that columns have numbers.
	HeaderRow int `json:"headerRow"`
	// The mark before the digits behind the point: "." or ",". Without it, an amount with a mark is quarantined.
	DecimalMark string `json:"decimalMark,omitzero"`
	// What groups the digits: ".", ",", "'" or a space, which may be one that does not break. None without it.
	GroupingMark string `json:"groupingMark,omitzero"`
	// The order within dates: ymd, dmy or mdy. Without it, only dates such as 2026-04-03 are read.
	DateOrder string `json:"dateOrder,omitzero"`
	// How amounts below 0 are written: minus (-5), trailingMinus (5-), parentheses, debit (5 DR is below 0, 5 CR is
	// not) or credit (the reverse).
	Sign string `json:"sign"`
	// The currency of all rows (ISO 4217). Needed unless a column has it.
	Currency string `json:"currency,omitzero"`
	// What the column amount is: gross, net or settled. Needed with that column.
	AmountBasis string `json:"amountBasis,omitzero"`
	// Which rows are totals, and no items.
	Totals FileTotals `json:"totals"`
	// What the columns are.
	Columns []FileColumn `json:"columns"`
	// What the words of the column type mean, as types of receipts such as "new policy". Needed with that column. A
	// word that it lacks is quarantined.
	Types map[string]string `json:"types,omitzero"`
}

// FileTotals says which rows are totals.
//
// Which rows are totals. Their amounts are compared with the sums of the rows.
type FileTotals struct {
	// The rule: none, last (the last row) or marked (rows with a word in a column).
	Rule string `json:"rule"`
	// The name or number of the column with the word.
	Column string `json:"column,omitzero"`
	// The word, such as Total. Upper and lower case are the same.
	Word string `json:"word,omitzero"`
}

// FileColumn says what a column is.
//
// What a column is.
type FileColumn struct {
	// The name in the header row, or the number of the column from 1 where no row is the header.
	Column string `json:"column"`
	// The meaning: lineId, policyNumber, type, date, currency, amount, gross, commission, brokerage, net or settled. Of
	// a file about claims: lineId, claimNumber, policyNumber, date (of the loss), currency, paid, previouslyPaid,
	// outstanding, incurred, changeOfIncurred (the indemnity) or totalIncurred (with fees), all in the settlement
	// currency.
	Means string `json:"means"`
}

// FileProfile is a version of a profile.
//
// How the files of somebody are read.
type FileProfile struct {
	// The name of the profile.
	Name string `json:"name"`
	// The number of its version, from 1.
	Version int64 `json:"version"`
	// Who set it.
	SetBy string `json:"setBy"`
	// The instant at which it was set.
	SetAt            scalar.DateTime `json:"setAt"`
	FileProfileTerms `json:",inline"`
}

// FileProfileList is a page of profiles.
//
// Profiles, by name.
type FileProfileList struct {
	// The profiles of the page.
	Profiles []FileProfile `json:"profiles"`
	// The value of the parameter after for the next page. Absent on the last one.
	Next string `json:"next,omitzero"`
}
