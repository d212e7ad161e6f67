package client

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/deploy/exchange/client/table"
)

// mostDigits is how many digits a number in a workbook keeps.
const mostDigits = 15

// writeXLSX writes a workbook with one sheet. Every text is a text cell, whatever it looks like: none becomes a formula.
func (s *spool) writeXLSX(w io.Writer, sheet string) (err error) {
	book := excelize.NewFile()
	defer func() { err = errors.Join(err, book.Close()) }()
	if err := book.SetSheetName(book.GetSheetName(0), sheet); err != nil {
		return err
	}
	header := s.columns.Header(s.occurring)
	if err := writeHeader(book, sheet, header); err != nil {
		return err
	}
	number := 1
	for row, err := range s.rows() {
		if err != nil {
			return err
		}
		number++
		for i, column := range header {
			cell, has := row[column]
			if !has {
				continue
			}
			if err := setCell(book, sheet, i+1, number, cell); err != nil {
				return fmt.Errorf("record %d, %s: %w", number-1, column, err)
			}
		}
	}
	return book.Write(w)
}

// writeHeader writes the names of the columns, in bold, where they stay in sight.
func writeHeader(book *excelize.File, sheet string, header []string) error {
	bold, err := book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	if err := book.SetSheetRow(sheet, "A1", &header); err != nil {
		return err
	}
	if err := book.SetRowStyle(sheet, 1, 1, bold); err != nil {
		return err
	}
	return book.SetPanes(sheet, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
}

func setCell(book *excelize.File, sheet string, column, row int, cell table.Cell) error {
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return err
	}
	text := table.Plain(cell.Value)
	switch kind := cell.Value.Kind(); {
	case kind == jsontext.KindNumber && digits(text) <= mostDigits:
		return book.SetCellDefault(sheet, name, text) // the digits as they are, not by way of a float64
	case kind == jsontext.KindTrue, kind == jsontext.KindFalse:
		return book.SetCellBool(sheet, name, kind == jsontext.KindTrue)
	case len(utf16.Encode([]rune(text))) > excelize.TotalCellChars:
		return fmt.Errorf("a cell of a workbook holds %d characters; export as csv or ndjson", excelize.TotalCellChars)
	default:
		return book.SetCellStr(sheet, name, text)
	}
}

// digits counts the significant digits of a JSON number, zeros at its end among them.
func digits(number string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return len(strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0"))
}
