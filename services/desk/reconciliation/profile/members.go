package profile

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
)

// mostImported is how many rows a file may have whose cells give members: so many are read in the time of a request.
const mostImported = 100_000

// mostValue is how many characters a value of a member may have.
const mostValue = 4000

// mostRecords is how many records a row may make, and mostMembers how many columns may give members of them.
const mostRecords, mostMembers = 8, 500

var recordNames = regexp.MustCompile(`^[A-Za-z0-9_]{1,40}$`)

// MemberOf returns the kind of a member of a resource by its path, and reports whether a record can be created with it;
// an empty path asks for the resource itself.
type MemberOf func(name, path string) (kind resource.Kind, known bool)

// Row is a row whose cells give members of records.
type Row struct {
	Row int
	// Sent are the texts of all cells, in their order.
	Sent []string
	// Values are the cells with a value, in the order of the profile's columns.
	Values []Value
	// Wrong are the cells that cannot be read.
	Wrong []reconciliation.RunCell
}

// Value is the value of a cell.
type Value struct {
	Means string
	// Cell is where it is, such as C2, and Sent what the file has.
	Cell, Sent string
	Read       jsontext.Value
}

// Members says how cells that give members are read.
type Members struct {
	// Kind returns the kind of what a column means.
	Kind func(means string) resource.Kind
	// Zone is where a day begins at midnight, for instants that are given as days.
	Zone *time.Location
	// Skip is how many rows are counted only.
	Skip int
	// Extend is the record that other columns give members of too, empty for none, and Takes reports which do.
	Extend string
	Takes  func(column string) bool
	// Own says that the file is written as the exchange writes its tables: a text in quotes is one as JSON has it. Head
	// returns the column that a cell of its header names; nil for the text of the cell.
	Own  bool
	Head func(text string) string
	// Marked says that the file declares the marks within its numbers. Of one that does not, a number of JSON is taken
	// as it is, and Whole reports whether it must have nothing behind the point.
	Marked bool
	Whole  func(means string) bool
}

// Rows calls a function with each row of a file by a profile that has records. Without one it counts the rows, and
// finds all that is wrong with the file as a whole. Errors: *sheet.WrongError, those of the file and of the function.
func Rows(
	p *reconciliation.FileProfileTerms, as Members, file io.ReaderAt, size int64, add func(Row) error,
) (Read, error) {
	own := *p
	own.Columns = slices.Clone(p.Columns)
	r := &reader{p: &own, all: sums{}, section: sums{}, extend: as.Extend, takes: as.Takes, head: as.Head}
	r.item = func(row sheet.Row) error { return r.members(as, row, add) }
	return r.file(file, size)
}

// extends adds the columns of a header that the profile does not have, where these give members of a record too.
func (r *reader) extends(header sheet.Row) {
	for i, cell := range header.Cells {
		name := strings.TrimSpace(r.headed(cell.Text))
		if !r.extending(name) || r.reads(i+1) {
			continue
		}
		column := reconciliation.FileColumn{Column: name, Means: r.extend + "." + name}
		if r.columns[column.Means] == 0 {
			r.columns[column.Means], r.parts[column.Means] = i+1, []part{{column: i + 1}}
			r.p.Columns = append(r.p.Columns, column)
			r.read.Extensions = append(r.read.Extensions, column)
		}
	}
}

// extending reports whether a column that the profile does not have gives a member all the same.
func (r *reader) extending(name string) bool {
	return r.extend != "" && !slices.Contains(resource.Split(name), "") && utf8.ValidString(name) && r.takes(name)
}

// reads reports whether a column is read.
func (r *reader) reads(column int) bool {
	for _, parts := range r.parts {
		if slices.ContainsFunc(parts, func(of part) bool { return of.column == column }) {
			return true
		}
	}
	return column == r.marked
}

// members reads a row whose cells give members.
func (r *reader) members(as Members, row sheet.Row, add func(Row) error) error {
	if r.read.Rows++; r.read.Rows > mostImported {
		return sheet.NewWrong(fmt.Sprintf("The file has more than %d rows. Divide it.", mostImported))
	}
	r.formulas(row)
	short := r.short(row)
	if add == nil || r.read.Rows <= as.Skip {
		return nil
	}
	of := Row{Row: row.Number}
	for _, cell := range row.Cells {
		text, reason := cell.Shown()
		if reason != "" {
			text = cell.Text
		}
		of.Sent = append(of.Sent, strings.ToValidUTF8(text, "\uFFFD"))
	}
	if column := r.width.beyond(row); column > 0 {
		of.Wrong = append(of.Wrong, r.wrongAt(row, column, "", "is in a column without a name, so that a cell before "+
			"it may be parted: an amount such as 1,234.50 without quotes is two cells"))
	}
	of.Wrong = append(of.Wrong, short...)
	read := map[string]bool{}
	for _, column := range r.p.Columns {
		at := r.columns[column.Means]
		cell := r.cell(row, at)
		if at == 0 || read[column.Means] || !r.filled(row, column.Means) {
			continue
		}
		read[column.Means] = true
		exact := as.exact(cell)
		if exact && as.Whole(column.Means) && ambiguous.MatchString(cell.Text) {
			of.Wrong = append(of.Wrong, r.wrongAt(row, at, column.Means, "can be a number with groups of digits, or "+
				"one with digits behind the point, because decimalMark is not declared"))
			continue
		}
		if as.Kind(column.Means) == resource.Number && len(column.Values) == 0 && !exact {
			r.number(&of, row, column)
			continue
		}
		value, reason := r.value(as, column, cell)
		switch {
		case reason != "":
			of.Wrong = append(of.Wrong, r.wrongAt(row, at, column.Means, reason))
		case value != nil:
			of.Values = append(of.Values, Value{
				column.Means, sheet.Place(at, row.Number), cell.Text, value,
			})
		}
	}
	if len(of.Wrong) > 0 {
		r.read.Quarantined++
	}
	return add(of)
}

// exact reports whether a cell is a number that is taken as JSON has it.
func (as Members) exact(cell sheet.Cell) bool {
	number := jsontext.Value(strings.TrimSpace(cell.Text))
	return as.Own && !as.Marked && cell.Kind == sheet.Text && number.Kind() == jsontext.KindNumber && number.IsValid()
}

// number reads a number of a row, the sum of its cells.
func (r *reader) number(of *Row, row sheet.Row, column reconciliation.FileColumn) {
	if !slices.ContainsFunc(r.parts[column.Means], func(of part) bool {
		cell := r.cell(row, of.column)
		return cell.Filled() && !isNil(r.p, cell.Text)
	}) {
		return
	}
	wrong := len(of.Wrong)
	sum := r.amount(row, column.Means, cmp.Or(r.p.Currency, "no currency that the profile names"), -1, &of.Wrong)
	if len(of.Wrong) == wrong {
		at := r.columns[column.Means]
		of.Values = append(of.Values, Value{
			column.Means, sheet.Place(at, row.Number), r.cell(row, at).Text, jsontext.Value(sum.Decimal()),
		})
	}
}

// value returns the value of a cell that is no number, nil for one that stands for nothing, and why it cannot be read.
func (r *reader) value(as Members, column reconciliation.FileColumn, cell sheet.Cell) (jsontext.Value, string) {
	kind := as.Kind(column.Means)
	if kind == resource.Date || kind == resource.DateTime {
		return r.instant(as, kind, cell)
	}
	shown, reason := cell.Shown()
	switch {
	case kind != resource.Free || !as.Own || reason == "" || cell.Wrong != "":
	case cell.Kind == sheet.Number:
		shown, reason = cell.Decimal()
	default:
		return r.instant(as, resource.DateTime, cell)
	}
	if reason == "" {
		shown, reason = r.member(as, column.Means, shown)
	}
	if reason == "" && naming(column.Means) {
		reason = alike(shown)
	}
	switch {
	case reason != "":
		return nil, reason
	case shown == "" || isNil(r.p, shown):
		return nil, ""
	case len(column.Values) > 0:
		return translated(kind, column.Values, shown)
	case kind == resource.Flag && cell.Kind == sheet.Number && (shown == "0" || shown == "1"):
		return jsontext.Value(map[string]string{"0": "false", "1": "true"}[shown]), ""
	case kind == resource.Flag && !strings.EqualFold(shown, "true") && !strings.EqualFold(shown, "false"):
		return nil, "is neither true nor false"
	case kind == resource.Text && !as.Own:
		value, err := jsontext.AppendQuote(nil, shown)
		return value, reasonOf(err)
	}
	value, err := resource.Value(kind, shown)
	return value, reasonOf(err)
}

// member returns the text of a cell that gives a member without spaces around it, and why it cannot be read. What names
// nothing may have several lines.
func (r *reader) member(as Members, means, shown string) (text, reason string) {
	text = strings.TrimSpace(shown)
	switch {
	case !as.Own:
		text = withoutMark(text)
	case r.p.Format == reconciliation.CSV:
		text = sheet.Original(text)
	}
	one := text
	if !naming(means) {
		one = lines.Replace(text)
	}
	return text, unreadable(mostValue, one)
}

// lines are the characters that part a text in lines and columns.
var lines = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ")

// ambiguous is a number in which a point stands before a fraction, or between groups of digits.
var ambiguous = regexp.MustCompile(`^\s*[-+]?\d{1,3}\.\d{3}\s*$`)

// translated returns what a word of a column stands for, or each of a list of words.
func translated(kind resource.Kind, words map[string]string, shown string) (jsontext.Value, string) {
	parts := []string{shown}
	if kind == resource.List {
		parts = strings.Split(shown, ";")
	}
	for i, part := range parts {
		is, known := words[strings.TrimSpace(part)]
		for word, means := range words {
			if !known && plainName(word) == plainName(part) {
				is, known = means, true
			}
		}
		if !known {
			return nil, "is no word that the profile has for the column"
		}
		parts[i] = is
	}
	value, err := resource.Value(kind, strings.Join(parts, ";"))
	return value, reasonOf(err)
}

// instant returns the day or the instant of a cell.
func (r *reader) instant(as Members, kind resource.Kind, cell sheet.Cell) (jsontext.Value, string) {
	text, reason := kept(cell)
	quoted := func(text string) (jsontext.Value, string) {
		value, err := jsontext.AppendQuote(nil, text)
		return value, reasonOf(err)
	}
	switch {
	case reason != "":
		return nil, reason
	case text == "" || isNil(r.p, text):
		return nil, ""
	}
	if _, err := time.Parse(time.RFC3339, text); err == nil && kind == resource.DateTime {
		return quoted(text)
	}
	if kind == resource.DateTime && r.p.TimeOfDay != reconciliation.CutTime {
		for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
			if at, err := time.ParseInLocation(layout, text, as.Zone); err == nil && cell.Kind != sheet.Number {
				return quoted(at.Format(time.RFC3339Nano))
			}
		}
	}
	if parts := timed.FindStringSubmatch(text); parts != nil && kind == resource.DateTime && cell.Kind == sheet.Text &&
		len(r.forms) == 0 && r.p.TimeOfDay != reconciliation.CutTime {
		on, reason := day(r.p, parts[1])
		at, err := time.ParseInLocation("2006-01-02 15:4:5", on.Format(time.DateOnly)+" "+parts[2]+
			cmp.Or(parts[3], ":0"), as.Zone)
		if reason == "" && err == nil {
			return quoted(at.Format(time.RFC3339Nano))
		}
	}
	day, reason := r.day(cell)
	if reason != "" {
		return nil, reason
	}
	if kind == resource.Date {
		return quoted(day.Format(time.DateOnly))
	}
	return quoted(time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, as.Zone).Format(time.RFC3339))
}

// timed is a day in numbers with a time of day behind it.
var timed = regexp.MustCompile(`^(\S+)[T ]+([0-9]{1,2}:[0-9]{2})(:[0-9]{2})?$`)

// isNil reports whether a text is a word for nothing.
func isNil(p *reconciliation.FileProfileTerms, text string) bool {
	return slices.ContainsFunc(p.Nil, func(word string) bool {
		return strings.EqualFold(strings.TrimSpace(word), strings.TrimSpace(text))
	})
}

// naming reports whether a member is an identifier.
func naming(means string) bool {
	last := means[strings.LastIndexByte(means, '.')+1:]
	return last == "vin" || last == "externalReference" || strings.HasSuffix(last, "Number") ||
		strings.HasSuffix(last, "Id") || strings.HasSuffix(last, "Ids") || strings.HasSuffix(last, "Ref")
}

func reasonOf(err error) string {
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	return ""
}

// checkRecords checks the records of a profile, and what the columns give of them.
func checkRecords(c check, p reconciliation.FileProfileTerms, memberOf MemberOf) {
	c.must(len(p.Records) <= mostRecords, "records", fmt.Sprintf("has more than %d records", mostRecords))
	c.must(p.AmountBasis == "" && len(p.Types) == 0, "amountBasis", "and types are for statements")
	of := map[string]string{}
	for i, record := range p.Records[:min(len(p.Records), mostRecords)] {
		at := fmt.Sprintf("records/%d/", i)
		c.must(recordNames.MatchString(record.Name), at+"name", "must have 1 to 40 letters, digits and underscores")
		c.must(of[record.Name] == "", at+"name", "is the name of another record")
		_, known := memberOf(record.Resource, "")
		c.must(known, at+"resource", "is no resource whose records are created")
		for _, path := range slices.Sorted(maps.Keys(record.Values)) {
			to := at + "values/" + pointerOf.Replace(path)
			_, is := memberOf(record.Resource, path)
			c.must(!known || is, to, "is no member of "+record.Resource)
			c.must(utf8.RuneCountInString(record.Values[path]) <= mostValue, to,
				fmt.Sprintf("has more than %d characters", mostValue))
			if name, _, is := strings.Cut(strings.TrimPrefix(record.Values[path], "@"), "."); is &&
				strings.HasPrefix(record.Values[path], "@") {
				c.must(of[name] != "", to, "refers to no record before this one")
			}
		}
		of[record.Name] = record.Resource
	}
	count, columns := map[string]int{}, map[string]bool{}
	for i, column := range p.Columns[:min(len(p.Columns), mostMembers+1)] {
		at := fmt.Sprintf("columns/%d/", i)
		checkColumn(c, p, column, at, columns)
		name, path, _ := strings.Cut(column.Means, ".")
		kind, is := memberOf(of[name], path)
		c.must(is && path != "", at+"means", "must be a member of one of the records, such as "+
			cmp.Or(firstName(p), "holder")+".externalReference")
		count[column.Means]++
		c.must(count[column.Means] == 1 || kind == resource.Number, at+"means", "is the meaning of two columns")
		c.must(!column.Less || kind == resource.Number, at+"less", "is for numbers")
		c.must(!column.FillMerged || p.Format == reconciliation.XLSX, at+"fillMerged", "is for xlsx")
		c.must(len(column.Values) <= mostTypes, at+"values", fmt.Sprintf("has more than %d words", mostTypes))
	}
	c.must(len(p.Columns) <= mostMembers, "columns", fmt.Sprintf("has more than %d columns", mostMembers))
}

func firstName(p reconciliation.FileProfileTerms) string { return p.Records[0].Name }
