package client

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/deploy/exchange/client/resource"
)

// mostUnpacked is the size to which a workbook may unpack. A sheet is read row by row from a temporary file, but a
// workbook can say in a few bytes that it has millions of cells, or that one cell is a gigabyte.
const mostUnpacked = 256 << 20

// xlsx yields the records of a sheet as csv does for a file. Cells with dates become days, or instants in UTC.
func (s source) xlsx(r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		book, err := excelize.OpenReader(r, excelize.Options{UnzipSizeLimit: mostUnpacked})
		if err != nil {
			if strings.HasPrefix(err.Error(), "unzip size exceeds") {
				err = fmt.Errorf("it unpacks to more than %d MiB; save it as CSV, or divide it", mostUnpacked>>20)
			}
			yield(row{}, fmt.Errorf("it is no workbook that can be read (XLSX): %w", err))
			return
		}
		err = s.rows(book, yield)
		if err = errors.Join(err, book.Close()); err != nil {
			yield(row{}, err)
		}
	}
}

func (s source) rows(book *excelize.File, yield func(row, error) bool) error {
	s.layout.sheet = book.GetSheetName(0)
	if slices.Contains(book.GetSheetList(), s.sheet) {
		s.layout.sheet = s.sheet
	}
	properties, err := book.GetWorkbookProps()
	if err != nil {
		return err
	}
	since1904 := properties.Date1904 != nil && *properties.Date1904
	lines, err := book.Rows(s.layout.sheet)
	if err != nil {
		return err
	}
	defer lines.Close()
	var reader *rowReader
	for number := 1; lines.Next(); number++ {
		cells, err := lines.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return err
		}
		if strings.Join(cells, "") == "" {
			continue
		}
		if reader == nil {
			if reader, err = s.newRowReader(cells); err != nil {
				return fmt.Errorf("row %d: %w", number, err)
			}
			s.layout.header = reader.header
			continue
		}
		// Empty cells at the end of a row are not in the file.
		for len(cells) < len(reader.header)+min(1, reader.reason+1) {
			cells = append(cells, "")
		}
		cells = reader.without(cells)
		for i := range min(len(cells), len(reader.header)) {
			cells[i] = fromSheet(s.columns.Kind(reader.header[i]), cells[i], since1904)
		}
		next := reader.row(cells)
		next.line = number
		if !yield(next, nil) {
			return nil
		}
	}
	if err := lines.Error(); err != nil {
		return err
	}
	if reader == nil {
		return fmt.Errorf("the sheet %q has no header", s.layout.sheet)
	}
	return nil
}

// fromSheet returns the value of a cell as it would be written in CSV. A workbook keeps dates as numbers of days,
// flags as 0 and 1, and numbers as binary fractions, which it writes with 17 digits.
func fromSheet(kind resource.Kind, raw string, since1904 bool) string {
	value, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return raw
	}
	switch kind {
	case resource.Date, resource.DateTime:
		at, err := excelize.ExcelDateToTime(value, since1904)
		if err != nil {
			return raw
		}
		if kind == resource.Date {
			return at.Format(time.DateOnly)
		}
		return at.Round(time.Millisecond).UTC().Format(time.RFC3339Nano)
	case resource.Flag:
		if raw == "0" || raw == "1" {
			return map[string]string{"0": "false", "1": "true"}[raw]
		}
	case resource.Number, resource.Free:
		if short := strconv.FormatFloat(value, 'g', -1, 64); digits(raw) > mostDigits && digits(raw) <= 17 &&
			digits(short) <= mostDigits {
			return short
		}
	}
	return raw
}
