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

// The values of FileProfileTerms.HiddenRows.
const (
	ReadHidden   = "read"
	SkipHidden   = "skip"
	RefuseHidden = "refuse"
)

// CutTime is the value of FileProfileTerms.TimeOfDay.
const CutTime = "cut"

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
	// The place of the sheet among all of the workbook, from 1, in place of its name.
	SheetNumber int `json:"sheetNumber,omitzero"`
	// What separates the cells of a row: a comma, semicolon, tab or bar. Needed for csv, and only there.
	Delimiter string `json:"delimiter,omitzero"`
	// The encoding: utf-8 (with or without a byte order mark), utf-16 (with one), utf-16le, utf-16be or windows-1252.
	// Needed for csv, and only there.
	Encoding string `json:"encoding,omitzero"`
	// The number of the row that names the columns, from 1; 0 where no row does, so that columns have numbers.
	HeaderRow int `json:"headerRow"`
	// Whether the header is the first of the first 50 rows that names all columns. headerRow is 0 then.
	FindHeader bool `json:"findHeader,omitzero"`
	// Of how many rows the header is, 1 or 2; 1 without it. The names of two rows are joined by a space.
	HeaderRows int `json:"headerRows,omitzero"`
	// What is done with rows that a spreadsheet hides, as by a filter: read, skip or refuse. Without it, a file that
	// has some is refused.
	HiddenRows string `json:"hiddenRows,omitzero"`
	// The mark before the digits behind the point: "." or ",". Without it, an amount with a mark is quarantined.
	DecimalMark string `json:"decimalMark,omitzero"`
	// What groups the digits: ".", ",", "'" or a space, which may be one that does not break. None without it.
	GroupingMark string `json:"groupingMark,omitzero"`
	// Signs and codes of currencies that may stand before or after an amount and are left out, such as £ and EUR.
	Strip []string `json:"strip,omitzero"`
	// What stands for an amount of 0, such as "-" or "nil". Upper and lower case are the same.
	Nil []string `json:"nil,omitzero"`
	// To how many digits behind the point amounts are rounded, 0 to 4; a half goes away from 0. Without it, an amount
	// with more digits than its currency has is quarantined.
	RoundTo *int `json:"roundTo,omitzero"`
	// The order within dates: ymd, dmy or mdy. Without it, only dates such as 2026-04-03 are read.
	DateOrder string `json:"dateOrder,omitzero"`
	// The forms in which texts are dates, in place of dateOrder: yyyy or yy, mm or m, mmm (the name of a month, English
	// or German, whole or its beginning), dd or d, perhaps hh:mm or hh:mm:ss, and what stands between them, such as
	// dd-mmm-yyyy or yyyymmdd.
	DateForms []string `json:"dateForms,omitzero"`
	// The first year of two digits that belongs to the last century: with 70, 70 is 1970 and 69 is 2069. Needed with a
	// form that has yy.
	YearPivot *int `json:"yearPivot,omitzero"`
	// What is done with the time of day of a date: cut leaves it out. Without it, such a date is quarantined.
	TimeOfDay string `json:"timeOfDay,omitzero"`
	// How amounts below 0 are written: minus (-5, with a hyphen or U+2212), trailingMinus (5-), parentheses, debit (5
	// DR is below 0, 5 CR is not) or credit (the reverse).
	Sign string `json:"sign"`
	// The currency of all rows (ISO 4217). Needed unless a column has it.
	Currency string `json:"currency,omitzero"`
	// What the column amount is: gross, net or settled. Needed with that column.
	AmountBasis string `json:"amountBasis,omitzero"`
	// Which rows are totals, and no items.
	Totals FileTotals `json:"totals"`
	// What the columns are.
	Columns []FileColumn `json:"columns"`
	// The records that each row makes, for files that are imported, up to 8, each after those that it refers to. The
	// meaning of a column is then a member of one, such as holder.lastName. Absent in profiles of statements.
	Records []FileRecord `json:"records,omitempty"`
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
	// The word of the rows that are totals of a page or section, such as Subtotal: of the rows since the one before.
	SectionWord string `json:"sectionWord,omitzero"`
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
	// currency. Several columns may mean the same amount, which is their sum. Of a file that is imported: a member of a
	// record, as the profile names the record, such as holder.lastName or vehicle.physical.doors.
	Means string `json:"means"`
	// Other names of the column.
	Synonyms []string `json:"synonyms,omitzero"`
	// Whether the amounts of the column are taken away from the sum, and not added to it.
	Less bool `json:"less,omitzero"`
	// Whether each row of a merged cell of the column has its value. For xlsx, and not for amounts.
	FillMerged bool `json:"fillMerged,omitzero"`
	// Whether a file may lack the column. For files that are imported.
	Optional bool `json:"optional,omitzero"`
	// What the words of the column stand for, such as a value of the exchange. A word that it lacks is quarantined.
	// For files that are imported.
	Values map[string]string `json:"values,omitempty"`
}

// FileRecord is a record that a row makes.
//
// A record that each row makes.
type FileRecord struct {
	// The name by which columns and other records of the row name it: 1 to 40 letters, digits and underscores.
	Name string `json:"name"`
	// The resource of the record, such as personal.
	Resource string `json:"resource"`
	// Members that are the same in all rows, by their names with points between them, as a file would have them. A text
	// such as @holder.id stands for the id of another record of the row; so do policyNumber and claimNumber.
	Values map[string]string `json:"values,omitempty"`
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
