package client

import (
	"cmp"
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

// xlsx yields the lines of a sheet of a workbook, as csv does those of a file: the sheet that has the name of the
// resource, or else the first.
func (t *tableReader) xlsx(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		book, err := excelize.OpenReader(r, excelize.Options{UnzipSizeLimit: mostUnpacked})
		if err != nil {
			if strings.HasPrefix(err.Error(), "unzip size exceeds") {
				err = fmt.Errorf("it unpacks to more than %d MiB; save it as CSV, or divide it", mostUnpacked>>20)
			}
			yield(line{}, fmt.Errorf("it is no workbook that can be read (XLSX): %w", err))
			return
		}
		err = t.linesOf(book, yield)
		if err = errors.Join(err, book.Close()); err != nil {
			yield(line{}, err)
		}
	}
}

func (t *tableReader) linesOf(book *excelize.File, yield func(line, error) bool) error {
	t.layout.sheet = book.GetSheetName(0)
	if slices.Contains(book.GetSheetList(), t.resource.Name) {
		t.layout.sheet = t.resource.Name
	}
	properties, err := book.GetWorkbookProps()
	if err != nil {
		return err
	}
	since1904 := properties.Date1904 != nil && *properties.Date1904
	t.value = func(kind resource.Kind, cell string) string { return fromSheet(kind, cell, since1904) }
	lines, err := book.Rows(t.layout.sheet)
	if err != nil {
		return err
	}
	defer lines.Close()
	width := 0 // of the header
	for number := 1; lines.Next(); number++ {
		cells, err := lines.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return err
		}
		width = cmp.Or(width, len(cells))
		// Empty cells at the end of a row are not in the file.
		for len(cells) < width {
			cells = append(cells, "")
		}
		if !yield(line{cells: cells, number: number}, nil) {
			return nil
		}
	}
	return lines.Error()
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
