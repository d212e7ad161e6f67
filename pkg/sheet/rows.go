package sheet

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// rows calls a function with each row of a sheet.
func (b *book) rows(sheet string, do func(Row) error) error {
	row := Row{}
	return b.each(sheet, mostUnpacked, func(tokens *xml.Decoder, of xml.StartElement) error {
		if of.Name.Local == "col" && isTrue(attribute(of, "hidden")) {
			first, _ := strconv.Atoi(attribute(of, "min"))
			last, _ := strconv.Atoi(attribute(of, "max"))
			for column := max(1, first); column <= min(last, mostColumns); column++ {
				row.HiddenColumns = append(row.HiddenColumns, column)
			}
		}
		if of.Name.Local != "row" {
			return nil
		}
		number := row.Number + 1
		if given := attribute(of, "r"); given != "" {
			var err error
			if number, err = strconv.Atoi(given); err != nil || number <= row.Number {
				return wrong("The sheet has a row %q after row %d.", given, row.Number)
			}
		}
		if number > mostRows {
			return wrong("The sheet has more than %d rows. Divide it.", mostRows)
		}
		row.Number, row.Hidden, row.Cells = number, isTrue(attribute(of, "hidden")), row.Cells[:0]
		if err := b.cells(tokens, &row); err != nil || len(row.Cells) == 0 {
			return err
		}
		if err := b.fill(&row); err != nil {
			return err
		}
		return do(row)
	})
}

// cells reads the cells of a row that was begun. Empty ones, which may have a style, are none.
func (b *book) cells(tokens *xml.Decoder, row *Row) error {
	column := 0
	for {
		token, err := next(tokens)
		if err != nil {
			return err
		}
		switch of := token.(type) {
		case xml.EndElement:
			if of.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if of.Name.Local != "c" {
				continue
			}
			if column, err = columnOf(of, column+1, row.Number); err != nil {
				return err
			}
			cell, err := b.cell(tokens, of, Place(column, row.Number))
			if err != nil {
				return err
			}
			if !cell.Filled() {
				continue
			}
			if column > mostColumns {
				return wrong("Row %d has a column %d; a file may have %d.", row.Number, column, mostColumns)
			}
			for len(row.Cells) < column-1 {
				row.Cells = append(row.Cells, Cell{})
			}
			row.Cells = append(row.Cells, cell)
		}
	}
}

// columnOf returns the number of the column of a cell that may be the first to be in some column.
func columnOf(of xml.StartElement, first, row int) (int, error) {
	given := attribute(of, "r")
	if given == "" {
		return first, nil
	}
	column, at, is := placed(given)
	if !is || at != row || column < first {
		return 0, wrong("Row %d of the sheet has a cell %q where none can be.", row, given)
	}
	return column, nil
}

// placed returns the numbers of the column and the row of a cell that is named as F12, and whether it is.
func placed(name string) (column, row int, is bool) {
	name = strings.ToUpper(name)
	of := strings.TrimRight(name, "0123456789")
	if len(of) > 3 || len(name)-len(of) > 7 {
		return 0, 0, false
	}
	for _, letter := range of {
		column = column*letters + int(letter-'A'+1)
	}
	row, _ = strconv.Atoi(name[len(of):])
	return column, row, Place(column, row) == name
}

// cell reads a cell that was begun.
func (b *book) cell(tokens *xml.Decoder, of xml.StartElement, place string) (Cell, error) {
	var value []byte
	inline, within, stored, formula := "", false, false, false
	for ended := false; !ended; {
		token, err := next(tokens)
		if err != nil {
			return Cell{}, err
		}
		switch part := token.(type) {
		case xml.StartElement:
			within = part.Name.Local == "v"
			stored, formula = stored || within, formula || part.Name.Local == "f"
			if part.Name.Local == "is" {
				if inline, err = textWithin(tokens, "is"); err != nil {
					return Cell{}, err
				}
			}
		case xml.CharData:
			if within {
				value = append(value, part...)
			}
		case xml.EndElement:
			within, ended = false, part.Name.Local == "c"
		}
	}
	// A formula that comes to an empty text has its value stored as that; others are written without any.
	if formula && inline == "" && len(value) == 0 && (!stored || attribute(of, "t") != "str") {
		return Cell{Formula: true, Wrong: "is a formula without a stored value: open the workbook in a spreadsheet, " +
			"and save it again"}, nil
	}
	cell, err := b.value(of, string(value), inline, place)
	cell.Formula = formula
	return cell, err
}

// value returns a cell with a value as it is kept.
func (b *book) value(of xml.StartElement, value, inline, place string) (Cell, error) {
	kind := attribute(of, "t")
	if value == "" && kind != "inlineStr" {
		return Cell{}, nil
	}
	switch kind {
	case "s":
		at, err := strconv.Atoi(value)
		if err != nil || at < 0 || at >= len(b.shared) {
			return Cell{}, wrong("The cell %s names a text that the workbook does not have.", place)
		}
		return Cell{Text: b.shared[at]}, nil
	case "inlineStr":
		return Cell{Text: inline}, nil
	case "n", "":
		in := format{general: true}
		if style, err := strconv.Atoi(attribute(of, "s")); err == nil && style >= 0 && style < len(b.formats) {
			in = b.formats[style]
		}
		return b.numberOf(strings.TrimSpace(value), in), nil
	case "d":
		return dateOf(strings.TrimSpace(value)), nil
	case "e":
		return Cell{Text: value, Wrong: fmt.Sprintf("has the error %q in place of a value", value)}, nil
	case "b":
		return Cell{Text: map[bool]string{true: "TRUE", false: "FALSE"}[value == "1"]}, nil
	default:
		return Cell{Text: unescaped(value)}, nil
	}
}
