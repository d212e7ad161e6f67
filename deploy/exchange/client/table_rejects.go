package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
)

// refusedRow is why a row is refused, and what was made of it before.
type refusedRow struct {
	wrong []intake.ImportWrong
	made  []intake.ImportRecord
}

// reject writes the rows that are refused to a file in the form of the input, below its header and what is above that,
// each with the reason. The reason comes first, so that in a row with too many cells all cells keep their order.
func (t *tableImport) reject(ctx context.Context) (err error) {
	if t.own != nil {
		if err := t.file.headBefore(t.own, t.first); err != nil {
			return err
		}
	}
	catalog, err := t.caller.inForce(ctx)
	if err != nil {
		return err
	}
	of, _ := catalog.Find(t.resource.Name)
	file, err := os.OpenFile(t.rejected, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	form := t.file.layout
	form.Widths = map[string]int{reasonName: table.Widest}
	var out table.Writer
	next := 1
	err = t.file.each(func(row sheet.Row) (err error) {
		refused, is := t.refused[row.Number]
		above := row.Number <= t.file.headerRow
		switch {
		case !is && !above:
			return nil
		case out != nil:
		case row.Number == t.file.headerRow:
			form.Above, next = row.Number-1, row.Number+1
			form.Header = append([]string{reasonName}, slices.DeleteFunc(slices.Clone(t.file.header),
				func(name string) bool { return name == reasonName })...)
			out, err = table.NewWriter(t.format == asXLSX, file, form, table.Of(t.resource))
			return err
		default:
			if out, err = table.NewWriter(t.format == asXLSX, file, form, table.Of(t.resource)); err != nil {
				return err
			}
		}
		for ; above && next < row.Number; next++ {
			if err := out.Write(nil); err != nil {
				return err
			}
		}
		next++
		var first []any
		switch {
		case row.Number == t.file.headerRow:
			first = []any{reasonName}
		case t.file.headerRow > 0 && above:
			first = []any{nil}
		case t.file.headerRow > 0:
			first = []any{t.reasons(of, row, refused)}
		}
		return out.Write(append(first, t.cells(out, row)...))
	})
	if out == nil {
		return err
	}
	return out.End(err)
}

// cells returns the cells of a row as they were sent, without the reason why it was refused before.
func (t *tableImport) cells(out table.Writer, row sheet.Row) (all []any) {
	from := row.Cells
	for len(from) > len(t.file.header) && !from[len(from)-1].Filled() {
		from = from[:len(from)-1]
	}
	for n, cell := range from {
		switch {
		case n < len(t.file.header) && t.file.header[n] == reasonName:
		case !cell.Filled():
			all = append(all, nil)
		default:
			all = append(all, out.Copied(cell))
		}
	}
	return all
}

// reasons says why a row is refused, and what was made of it all the same.
func (t *tableImport) reasons(of resource.Resource, row sheet.Row, refused refusedRow) string {
	var all []string
	for _, record := range refused.made {
		all = append(all, fmt.Sprintf("%s %s is there", record.Resource, record.ID))
	}
	for _, w := range refused.wrong {
		number := columnNumber(strings.TrimRight(w.Cell, "0123456789"))
		var cell sheet.Cell
		if number > 0 && number <= len(row.Cells) {
			cell = row.Cells[number-1]
		}
		switch {
		case w.Record == "":
			all = append(all, fmt.Sprintf("%s, %s: %s%s", t.file.nameOf(number), w.Cell, w.Reason,
				t.advice(number, cell)))
		case t.profile != "":
			all = append(all, strings.TrimSpace(w.Record+w.Pointer+" "+w.Reason))
		default:
			v := violation{Reason: w.Reason, allowed: memberWords(of.Sent, w.Pointer, cell.Text)}
			all = append(all, strings.TrimSpace(w.Pointer+" "+v.words()))
		}
	}
	return strings.Join(all, "; ")
}

// advice names the option that says how a cell is written that cannot be read.
func (t *tableImport) advice(number int, cell sheet.Cell) string {
	at := slices.IndexFunc(t.head.Columns, func(c intake.ImportColumn) bool { return columnNumber(c.Column) == number })
	if t.own != nil || at < 0 || cell.Kind != sheet.Text || cell.Wrong != "" {
		return ""
	}
	switch form := t.head.Columns[at].Form; {
	case !utf8.ValidString(cell.Text):
		return "; --encoding says in which encoding the file is"
	case strings.HasPrefix(form, "date") && t.dateOrder == "":
		return "; --date-order says in which order days are written"
	case form == "number" && t.format == asXLSX:
		return "; make the cell a number"
	case form == "number" && t.decimal == "":
		return "; --decimal comma or --decimal point says how numbers are written"
	}
	return ""
}
