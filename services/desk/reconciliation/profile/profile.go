package profile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

const (
	// mostText is how many characters a text of a profile may have.
	mostText = 200
	// mostHeader is the last row that may be the header.
	mostHeader = 1000
	// mostTypes is how many words of types a profile may have.
	mostTypes = 500
	// mostSheet is the last place that a sheet may have, and mostColumns how many columns may have a meaning.
	mostSheet, mostColumns = 1000, 40
	// mostWords is how many synonyms, forms of dates, and words of amounts may be declared.
	mostWords = 20
)

// encodings are those that a profile may declare. A file in one of the first is hardly taken for one in another.
var encodings = []string{reconciliation.UTF8, reconciliation.UTF16, reconciliation.UTF16Little, reconciliation.UTF16Big,
	reconciliation.Windows1252}

var meanings = append([]string{
	reconciliation.LineID, reconciliation.PolicyNumber, reconciliation.ClaimNumberColumn, reconciliation.Type,
	reconciliation.Date, reconciliation.Currency, reconciliation.Amount,
}, match.Names...)

// pointerOf makes a part of a JSON pointer of a name.
var pointerOf = strings.NewReplacer("~", "~0", "/", "~1")

var names = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// NameWrong returns what is wrong with the name of a profile, empty if nothing is.
func NameWrong(name string) string {
	if names.MatchString(name) {
		return ""
	}
	return "must have 1 to 64 letters, digits, points, hyphens and underscores"
}

// check is what is found wrong with a profile.
type check struct{ wrong *problem.Error }

func (c check) must(holds bool, pointer, reason string) {
	if !holds {
		c.wrong.At("/"+pointer, reason)
	}
}

// among refuses a value that is none of some.
func (c check) among(value, pointer string, of ...string) {
	c.must(slices.Contains(of, value), pointer, "must be "+strings.Join(of, ", "))
}

// Check returns what is wrong with a profile of receipts that have some types, or of records that have members. Errors:
// problem.Invalid with all of it.
func Check(p reconciliation.FileProfileTerms, types []string, memberOf MemberOf) error {
	c := check{problem.New(problem.Invalid, "The profile cannot be as it is described.")}
	checkFile(c, p)
	checkCells(c, p)
	if len(p.Records) > 0 {
		checkRecords(c, p, memberOf)
	} else {
		checkColumns(c, p)
		checkTypes(c, p, types)
	}
	checkTotals(c, p)
	if len(c.wrong.Violations) > 0 {
		return c.wrong
	}
	return nil
}

func checkFile(c check, p reconciliation.FileProfileTerms) {
	c.among(p.Format, "format", reconciliation.CSV, reconciliation.XLSX)
	if p.Format == reconciliation.CSV {
		c.must(slices.Contains([]string{",", ";", "\t", "|"}, p.Delimiter), "delimiter",
			"must be a comma, semicolon, tab or bar")
		c.among(p.Encoding, "encoding", encodings...)
		c.must(p.Sheet == "", "sheet", "is for xlsx; a CSV file has no sheets")
		c.must(p.SheetNumber == 0, "sheetNumber", "is for xlsx; a CSV file has no sheets")
		c.must(p.HiddenRows == "", "hiddenRows", "is for xlsx; a CSV file hides nothing")
	}
	if p.Format == reconciliation.XLSX {
		c.must(p.Delimiter == "", "delimiter", "is for csv; a workbook has cells")
		c.must(p.Encoding == "", "encoding", "is for csv; a workbook says it itself")
		c.must(utf8.RuneCountInString(p.Sheet) <= mostText, "sheet", "has more than 200 characters")
		c.must(p.SheetNumber >= 0 && p.SheetNumber <= mostSheet, "sheetNumber",
			fmt.Sprintf("must be 1 to %d", mostSheet))
		c.must(p.Sheet == "" || p.SheetNumber == 0, "sheetNumber", "is in place of sheet")
		c.among(p.HiddenRows, "hiddenRows", "", reconciliation.ReadHidden, reconciliation.SkipHidden,
			reconciliation.RefuseHidden)
	}
	c.must(p.HeaderRow >= 0 && p.HeaderRow <= mostHeader, "headerRow", fmt.Sprintf("must be 0 to %d", mostHeader))
	c.must(!p.FindHeader || p.HeaderRow == 0, "headerRow", "must be 0 with findHeader, which takes its place")
	c.must(p.HeaderRows >= 0 && p.HeaderRows <= 2, "headerRows", "must be 1 or 2")
	c.must(p.HeaderRows == 0 || headed(p), "headerRows", "is for a file with a header")
}

// headed reports whether files have a header.
func headed(p reconciliation.FileProfileTerms) bool { return p.HeaderRow > 0 || p.FindHeader }

func checkCells(c check, p reconciliation.FileProfileTerms) {
	c.among(p.DecimalMark, "decimalMark", "", ".", ",")
	c.among(p.GroupingMark, "groupingMark", "", ".", ",", "'", " ")
	c.must(p.GroupingMark == "" || p.GroupingMark != p.DecimalMark, "groupingMark", "is the decimalMark as well")
	c.must(p.GroupingMark == "" || p.DecimalMark != "", "decimalMark",
		"is required with groupingMark: what does not group may still stand before digits behind the point")
	for i, word := range c.words(p.Strip, "strip") {
		c.must(!strings.ContainsAny(word, "0123456789.,'()+- "), fmt.Sprintf("strip/%d", i),
			"must have no digits, marks of amounts or spaces")
	}
	c.words(p.Nil, "nil")
	c.must(p.RoundTo == nil || *p.RoundTo >= 0 && *p.RoundTo <= mostDigits, "roundTo",
		fmt.Sprintf("must be 0 to %d", mostDigits))
	checkDates(c, p)
	c.among(p.Sign, "sign", reconciliation.Minus, reconciliation.TrailingMinus, reconciliation.Parentheses,
		reconciliation.Debit, reconciliation.Credit)
	c.must(p.Currency == "" || valuesets.IsCurrency(p.Currency), "currency",
		"must be a currency of ISO 4217, such as EUR")
}

func checkColumns(c check, p reconciliation.FileProfileTerms) {
	count, columns := map[string]int{}, map[string]bool{}
	for i, of := range p.Columns[:min(len(p.Columns), mostColumns+1)] {
		at := fmt.Sprintf("columns/%d/", i)
		checkColumn(c, p, of, at, columns)
		c.among(of.Means, at+"means", meanings...)
		amount := of.Means == reconciliation.Amount || slices.Contains(match.Names, of.Means)
		c.must(count[of.Means] == 0 || amount, at+"means", "is the meaning of two columns")
		c.must(amount || !of.Less, at+"less", "is for amounts")
		c.must(!of.FillMerged || !amount && p.Format == reconciliation.XLSX, at+"fillMerged",
			"is for xlsx, and not for amounts, which would count once for each row")
		c.must(!of.Optional && len(of.Values) == 0, at+"optional", "and values are for files that are imported")
		count[of.Means]++
	}
	has := func(means string) bool { return count[means] > 0 }
	c.must(len(p.Columns) <= mostColumns, "columns", fmt.Sprintf("has more than %d columns", mostColumns))
	if OfClaims(count) {
		c.must(has(reconciliation.LineID) || has(reconciliation.ClaimNumberColumn), "columns",
			"must have one that means lineId or claimNumber: without it no row names a claim")
		c.must(slices.ContainsFunc(match.Names[match.OfPremium:], has), "columns",
			"must have one that means an amount: "+strings.Join(match.Names[match.OfPremium:], ", "))
		c.must(!has(reconciliation.Amount) && !has(reconciliation.Type) &&
			!slices.ContainsFunc(match.Names[:match.OfPremium], has), "columns",
			"has some of premium and some of claims, and a file is about one of both")
	} else {
		c.must(has(reconciliation.LineID) || has(reconciliation.PolicyNumber), "columns",
			"must have one that means lineId or policyNumber: without it no row names a record")
		c.must(has(reconciliation.Amount) || slices.ContainsFunc(match.Names, has), "columns",
			"must have one that means an amount: gross, commission, brokerage, net, settled, or amount; or, of "+
				"claims, "+strings.Join(match.Names[match.OfPremium:], ", "))
	}
	c.must(has(reconciliation.Currency) != (p.Currency != ""), "currency",
		"must be given unless a column means currency, and only then")
	if has(reconciliation.Amount) {
		c.among(p.AmountBasis, "amountBasis", reconciliation.Gross, reconciliation.Net, reconciliation.Settled)
		c.must(!has(p.AmountBasis), "amountBasis", "is the meaning of another column")
	} else {
		c.must(p.AmountBasis == "", "amountBasis", "is only for a column that means amount")
	}
	c.must(has(reconciliation.Type) == (len(p.Types) > 0), "types",
		"must be given if a column means type, and only then")
}

// checkColumn checks how a column is found. columns are the names of those before it, which it adds its own to.
func checkColumn(
	c check, p reconciliation.FileProfileTerms, of reconciliation.FileColumn, at string, columns map[string]bool,
) {
	c.must(columnOK(p, of.Column), at+"column", columnWrong(p))
	c.must(!columns[plainName(of.Column)], at+"column", "has two meanings")
	columns[plainName(of.Column)] = true
	c.must(len(of.Synonyms) == 0 || headed(p), at+"synonyms", "is for a file with a header")
	for j, synonym := range c.words(of.Synonyms, at+"synonyms") {
		c.must(!columns[plainName(synonym)], fmt.Sprintf("%ssynonyms/%d", at, j), "is the name of another column")
		columns[plainName(synonym)] = true
	}
}

// columnOK reports whether a column can be found by its name, or by its number where no row has names.
func columnOK(p reconciliation.FileProfileTerms, column string) bool {
	if headed(p) {
		return visible.In(column) && utf8.RuneCountInString(column) <= mostText
	}
	number, err := strconv.Atoi(column)
	return err == nil && number >= 1 && number <= 500
}

func columnWrong(p reconciliation.FileProfileTerms) string {
	if headed(p) {
		return "must be the name of a column, of 1 to 200 characters"
	}
	return "must be the number of a column, \"1\" to \"500\", because headerRow is 0"
}

func checkTotals(c check, p reconciliation.FileProfileTerms) {
	t := p.Totals
	c.among(t.Rule, "totals/rule", reconciliation.NoTotals, reconciliation.LastTotals, reconciliation.MarkedTotals)
	if t.Rule == reconciliation.MarkedTotals {
		c.must(columnOK(p, t.Column), "totals/column", columnWrong(p))
		c.must(wordOK(t.Word) || t.Word == "" && t.SectionWord != "", "totals/word",
			"must be the word by which a row is one of totals, such as Total")
		c.must(t.SectionWord == "" || wordOK(t.SectionWord) && plainName(t.SectionWord) != plainName(t.Word),
			"totals/sectionWord", "must be a word of 1 to 200 characters, and another one than word")
		return
	}
	c.must(t.Column == "" && t.Word == "" && t.SectionWord == "", "totals/column",
		"and its words are for the rule marked")
}

// wordOK reports whether a word can be in a cell.
func wordOK(word string) bool { return visible.In(word) && utf8.RuneCountInString(word) <= mostText }

// words refuses a list of words that is too long or has one that cannot be in a cell, and returns those that may be.
func (c check) words(of []string, pointer string) []string {
	c.must(len(of) <= mostWords, pointer, fmt.Sprintf("has more than %d words", mostWords))
	of = of[:min(len(of), mostWords)]
	for i, word := range of {
		c.must(wordOK(word), fmt.Sprintf("%s/%d", pointer, i), "must have 1 to 200 characters")
	}
	return of
}

func checkDates(c check, p reconciliation.FileProfileTerms) {
	c.among(p.DateOrder, "dateOrder", "", reconciliation.YearFirst, reconciliation.DayFirst, reconciliation.MonthFirst)
	c.must(p.DateOrder == "" || len(p.DateForms) == 0, "dateForms", "is in place of dateOrder")
	short := false
	for i, written := range c.words(p.DateForms, "dateForms") {
		of, err := formOf(written)
		if err != nil {
			c.must(false, fmt.Sprintf("dateForms/%d", i), err.Error())
			continue
		}
		short = short || of.short()
	}
	c.must(short == (p.YearPivot != nil), "yearPivot",
		"must be given if a form of dates has a year of two digits, and only then")
	c.must(p.YearPivot == nil || *p.YearPivot >= 0 && *p.YearPivot <= 100, "yearPivot", "must be 0 to 100")
	c.among(p.TimeOfDay, "timeOfDay", "", reconciliation.CutTime)
}

func checkTypes(c check, p reconciliation.FileProfileTerms, types []string) {
	c.must(len(p.Types) <= mostTypes, "types", fmt.Sprintf("has more than %d words", mostTypes))
	for _, word := range slices.Sorted(maps.Keys(p.Types)) {
		at := "types/" + pointerOf.Replace(word)
		c.must(visible.In(word) && utf8.RuneCountInString(word) <= mostText, at,
			"must have a word of 1 to 200 characters")
		c.among(p.Types[word], at, types...)
	}
}
