package template

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/pkg/sheet/table"
)

// The sheets of a workbook, beside the table, which is named as the form.
const (
	columnsSheet = "Columns"
	valuesSheet  = "Values"
)

// The widths of columns, in characters.
const (
	narrowest = 10
	widest    = 60
	// arrow is the room that the arrow of a filter needs.
	arrow = 3
)

// book is a workbook on its way.
type book struct {
	*excelize.File
	form    Form
	columns []column
	// bold is the style of headers, folded that of long texts, and kinds those of cells of some kinds.
	bold, folded int
	kinds        map[resource.Kind]int
	// lists are the lists of values that are too long to be within a column's validation, in the sheet of values.
	lists []list
}

// list is a list of values, with the name of the first column that has it.
type list struct {
	column string
	values []string
}

// Write writes a workbook to fill in: the table with an example row, what its columns are, and the values that are too
// many for the table. The same form has the same bytes. Errors: those of w, problem.Unavailable.
func Write(w io.Writer, f Form, catalog *resource.Catalog) error {
	columns, err := f.columns(catalog)
	if err != nil {
		return err
	}
	b := &book{File: excelize.NewFile(), form: f, columns: columns}
	defer func() { _ = b.Close() }() // it only removes the temporary file
	for _, part := range []func() error{b.styles, b.table, b.explanation, b.values} {
		if err := part(); err != nil {
			return err
		}
	}
	return table.Pack(w, b.File)
}

func (b *book) styles() (err error) {
	style := func(of excelize.Style) (number int) {
		if err == nil {
			number, err = b.NewStyle(&of)
		}
		return number
	}
	day, instant := "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
	const text = 49 // the format in which nothing that is typed becomes a number
	b.bold = style(excelize.Style{Font: &excelize.Font{Bold: true}})
	b.folded = style(excelize.Style{Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	b.kinds = map[resource.Kind]int{
		resource.Text: style(excelize.Style{NumFmt: text}),
		resource.Date: style(excelize.Style{CustomNumFmt: &day}),
		// An instant is written as a text. What is typed in its place may be a date.
		resource.DateTime: style(excelize.Style{CustomNumFmt: &instant}),
	}
	b.kinds[resource.List] = b.kinds[resource.Text]
	return err
}

// table writes the sheet to fill in. Its columns have their formats below the example row, too, so that a number that
// is typed where a text belongs keeps its zeros.
func (b *book) table() error {
	if err := b.SetSheetName("Sheet1", b.form.Name); err != nil {
		return err
	}
	header, row := make([]string, len(b.columns)), make([]any, len(b.columns))
	for i, c := range b.columns {
		var err error
		if row[i], err = c.cell(); err != nil {
			return err
		}
		letters, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		if style, is := b.kinds[c.member.Kind]; is {
			if err := b.SetColStyle(b.form.Name, letters, style); err != nil {
				return err
			}
		}
		if err := b.validate(c, letters); err != nil {
			return err
		}
		header[i] = c.Column
	}
	if err := b.head(b.form.Name, header, func(i int) int {
		text, _ := row[i].(string)
		return max(utf8.RuneCountInString(header[i])+arrow, utf8.RuneCountInString(text))
	}); err != nil {
		return err
	}
	example := sheet.Cells(row)
	if err := b.SetSheetRow(b.form.Name, "A2", &example); err != nil {
		return err
	}
	last, err := excelize.CoordinatesToCellName(len(b.columns), 2)
	if err != nil {
		return err
	}
	return b.AutoFilter(b.form.Name, "A1:"+last, nil)
}

// head writes the header of a sheet: bold, and always in sight. width returns the width of a column.
func (b *book) head(of string, names []string, width func(i int) int) error {
	header := sheet.Cells(names)
	if err := b.SetSheetRow(of, "A1", &header); err != nil {
		return err
	}
	for i := range names {
		letters, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		if err := b.SetCellStyle(of, letters+"1", letters+"1", b.bold); err != nil {
			return err
		}
		if err := b.SetColWidth(of, letters, letters, float64(min(widest, max(narrowest, width(i))))); err != nil {
			return err
		}
	}
	return b.SetPanes(of, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
}

// validate offers the values of a column, and refuses others. A list may have several of them, which no validation can
// check.
func (b *book) validate(c column, letters string) error {
	if c.member.Values == nil {
		return nil
	}
	offer := excelize.NewDataValidation(true)
	offer.SetSqref(fmt.Sprintf("%s2:%s%d", letters, letters, excelize.TotalRows))
	if short(c.member.Values) {
		if err := offer.SetDropList(c.member.Values); err != nil {
			return err
		}
	} else {
		at, err := excelize.ColumnNumberToName(b.listOf(c))
		if err != nil {
			return err
		}
		offer.SetSqrefDropList(fmt.Sprintf("%s!$%s$2:$%s$%d", valuesSheet, at, at, 1+len(c.member.Values)))
	}
	if c.member.Kind != resource.List {
		offer.SetError(excelize.DataValidationErrorStyleStop, "Not a value of the exchange",
			"The sheet "+columnsSheet+" says which values the column may have.")
	}
	return b.AddDataValidation(b.form.Name, offer)
}

// short reports whether values have room within a validation, where commas are between them.
func short(values []string) bool {
	all := strings.Join(values, ",")
	return utf8.RuneCountInString(all) <= excelize.MaxFieldLength && strings.Count(all, ",") < len(values) &&
		!strings.Contains(all, `"`)
}

// listOf returns the number of the column of the sheet of values that has those of a column.
func (b *book) listOf(c column) int {
	i := slices.IndexFunc(b.lists, func(l list) bool { return slices.Equal(l.values, c.member.Values) })
	if i < 0 {
		i = len(b.lists)
		b.lists = append(b.lists, list{c.Column, c.member.Values})
	}
	return i + 1
}

// explanation writes the sheet that says what each column is.
func (b *book) explanation() error {
	if _, err := b.NewSheet(columnsSheet); err != nil {
		return err
	}
	names := []string{"Column", "Record", "Resource", "Member", "Required", "Cells", "Values", "Description"}
	for i, c := range b.columns {
		values := strings.Join(c.member.Values, "; ")
		if c.member.Values != nil && !short(c.member.Values) {
			at, err := excelize.ColumnNumberToName(b.listOf(c))
			if err != nil {
				return err
			}
			values = fmt.Sprintf("%d values, in column %s of the sheet %s", len(c.member.Values), at, valuesSheet)
		}
		row := sheet.Cells([]string{c.Column, c.record.Name, c.record.Resource, c.member.Path, c.required(), c.cells(),
			values, c.member.Description})
		first, last := fmt.Sprint("A", i+2), fmt.Sprint("H", i+2)
		if err := b.SetSheetRow(columnsSheet, first, &row); err != nil {
			return err
		}
		if err := b.SetCellStyle(columnsSheet, first, last, b.folded); err != nil {
			return err
		}
	}
	widths := []int{30, 14, 26, 28, 24, 36, 40, 60}
	return b.head(columnsSheet, names, func(i int) int { return widths[i] })
}

// values writes the sheet of the lists that are too long for a validation.
func (b *book) values() error {
	if len(b.lists) == 0 {
		return nil
	}
	if _, err := b.NewSheet(valuesSheet); err != nil {
		return err
	}
	names := make([]string, len(b.lists))
	for i, l := range b.lists {
		names[i] = l.column
		first, err := excelize.CoordinatesToCellName(i+1, 2)
		if err != nil {
			return err
		}
		values := sheet.Cells(l.values)
		if err := b.SetSheetCol(valuesSheet, first, &values); err != nil {
			return err
		}
	}
	return b.head(valuesSheet, names, func(i int) int {
		longest := utf8.RuneCountInString(names[i])
		for _, value := range b.lists[i].values {
			longest = max(longest, utf8.RuneCountInString(value))
		}
		return longest
	})
}
