package table

import (
	"slices"
	"strconv"
	"testing"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/pkg/sheet/sheettest"
)

// TestLinesOfSeveralSheets writes more lines than a sheet has room for.
func TestLinesOfSeveralSheets(t *testing.T) {
	for lines, want := range map[int][]string{
		0: {linesSheet}, 3: {linesSheet}, 4: {linesSheet, "Lines 2"}, 7: {linesSheet, "Lines 2", "Lines 3"},
	} {
		book, err := NewWorkbook(false)
		if err != nil {
			t.Fatal(err)
		}
		out, err := book.lines(5, [][]any{{"0029"}, {"Certificate"}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			if err := out.Write([]any{"P" + strconv.Itoa(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		text, err := book.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		sheettest.WellFormed(t, text.Bytes())
		file, err := excelize.OpenReader(text)
		if err != nil {
			t.Fatal(err)
		}
		if is := file.GetSheetList(); !slices.Equal(is, want) {
			t.Errorf("%d lines are in the sheets %q, not %q", lines, is, want)
		}
		read := 0
		for _, sheet := range file.GetSheetList() {
			rows, err := file.GetRows(sheet)
			if err != nil || len(rows) < 2 || rows[0][0] != "0029" || rows[1][0] != "Certificate" {
				t.Fatalf("%d lines, sheet %s: %v, %v", lines, sheet, rows, err)
			}
			for _, row := range rows[2:] {
				if row[0] != "P"+strconv.Itoa(read) {
					t.Errorf("%d lines: line %d is %q", lines, read, row)
				}
				read++
			}
		}
		if read != lines {
			t.Errorf("%d of %d lines are there", read, lines)
		}
	}
}
