package client

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
)

// What --hidden-rows says of rows that are not shown.
const (
	readHidden = "read"
	skipHidden = "skip"
)

// xlsx calls a function with the rows of a sheet of a workbook. Rows that are not shown are refused before the first,
// unless it was said what is done with them.
func (t *tableReader) xlsx(r io.Reader, do func(sheet.Row) error) (err error) {
	file, size, end, err := atHand(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if t.sheets, err = sheet.Sheets(file, size); err != nil {
		return err
	}
	t.layout.sheet = t.sheet
	first := slices.IndexFunc(t.sheets, func(of sheet.Sheet) bool { return of.Table && !of.Hidden })
	if t.sheet == "" && first >= 0 {
		t.layout.sheet = t.sheets[first].Name
	}
	if t.hiddenRows == "" {
		if err := t.refuseHidden(file, size); err != nil {
			return err
		}
	}
	return sheet.XLSX(file, size, sheet.Of{Name: t.layout.sheet}, do)
}

// refuseHidden returns an error if the sheet has rows below the header that are not shown.
func (t *tableReader) refuseHidden(file io.ReaderAt, size int64) error {
	hidden, below := places{}, false
	if err := sheet.XLSX(file, size, sheet.Of{Name: t.layout.sheet}, func(row sheet.Row) error {
		if below && row.Hidden {
			hidden.add(row.Number)
		}
		below = below || t.heads(row)
		return nil
	}); err != nil || hidden.count == 0 {
		return err
	}
	return usage("rows of the sheet %q are hidden or filtered (%d: %s); say --hidden-rows read to import them too, or "+
		"--hidden-rows skip to leave them out", t.layout.sheet, hidden.count, hidden)
}

// atHand returns a file that can be read at any place, and its size. What is no file is copied to a temporary one,
// which end removes.
func atHand(r io.Reader) (file io.ReaderAt, size int64, end func() error, err error) {
	if of, is := r.(*os.File); is {
		if info, err := of.Stat(); err == nil && info.Mode().IsRegular() {
			return of, info.Size(), func() error { return nil }, nil
		}
	}
	of, err := os.CreateTemp("", "exchange-import-*.xlsx")
	if err != nil {
		return nil, 0, nil, err
	}
	end = func() error { return errors.Join(of.Close(), os.Remove(of.Name())) }
	if size, err = io.Copy(of, r); err != nil {
		return nil, 0, nil, errors.Join(err, end())
	}
	return of, size, end, nil
}

// fromSheet returns the value of a cell of a workbook as it is written in CSV in a column of a kind, and why it cannot
// be taken. A workbook keeps days as numbers, and says by the format of a cell which numbers are days.
func fromSheet(kind resource.Kind, cell sheet.Cell) (text, reason string) {
	if cell.Wrong != "" {
		return "", cell.Wrong
	}
	dated := kind == resource.Date || kind == resource.DateTime
	switch {
	case cell.Kind == sheet.Number && dated:
		return "", "is a number, and not formatted as a date"
	case cell.Kind == sheet.Number && kind == resource.Number:
		return cell.Decimal()
	case kind == resource.Number && (cell.Kind == sheet.Day || cell.Kind == sheet.Moment):
		return "", "is a date, and no number"
	case cell.Kind == sheet.Number && kind == resource.Free:
		if text, reason := cell.Shown(); reason == "" {
			return text, ""
		}
		return cell.Decimal()
	case kind == resource.Flag && cell.Kind == sheet.Number && (cell.Text == "0" || cell.Text == "1"):
		return map[string]string{"0": "false", "1": "true"}[cell.Text], ""
	case cell.Kind == sheet.Day && kind == resource.DateTime:
		return cell.Text + "T00:00:00Z", ""
	case cell.Kind == sheet.Moment && kind == resource.Date:
		_, time, _ := strings.Cut(cell.Text, "T")
		return "", fmt.Sprintf("has the time of day %s, and a date has none", time)
	case cell.Kind == sheet.Moment && (kind == resource.DateTime || kind == resource.Free):
		return cell.Text + "Z", ""
	case cell.Kind == sheet.Day && (kind == resource.Date || kind == resource.Free):
		return cell.Text, ""
	}
	return cell.Shown()
}

// mostPlaces is how many rows are named in a message.
const mostPlaces = 10

// places are the numbers of rows that are to be named.
type places struct {
	first []int
	count int
}

func (p *places) add(number int) {
	if p.count++; len(p.first) < mostPlaces {
		p.first = append(p.first, number)
	}
}

// String names the rows, such as "row 3" and "rows 3, 5 and 12 more".
func (p places) String() string {
	words := "row "
	if p.count > 1 {
		words = "rows "
	}
	for i, number := range p.first {
		if i > 0 {
			words += ", "
		}
		words += strconv.Itoa(number)
	}
	if more := p.count - len(p.first); more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}
