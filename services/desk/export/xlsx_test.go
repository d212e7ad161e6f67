package export

import (
	"crypto/sha256"
	"fmt"
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
		file := excelize.NewFile()
		if err := file.SetSheetName("Sheet1", linesSheet); err != nil {
			t.Fatal(err)
		}
		bold, err := file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
		if err != nil {
			t.Fatal(err)
		}
		out := &lineSheets{workbook: &workbook{file: file, bold: bold}, most: 5,
			headers: [][]any{{"0029"}, {"Certificate"}}}
		if err := out.next(); err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			if err := out.write([]any{"P" + strconv.Itoa(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		text, err := file.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		sheettest.WellFormed(t, text.Bytes())
		if file, err = excelize.OpenReader(text); err != nil {
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

// TestLayoutsStay compares the columns with those in which versions were approved. Others are a new layout beside them.
func TestLayoutsStay(t *testing.T) {
	for kind, want := range map[string]string{
		"claims":  "7c804c51ad3b72fc9ecc4a9b69a21fb155c41031ea49e3cc7dc28219a652ddb6",
		"premium": "5412346ecede566c87fba04388c1a8c801d608788b51d654efafd5a7d9f36e03",
	} {
		text, err := layouts.ReadFile("columns/" + kind + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if is := fmt.Sprintf("%x", sha256.Sum256(text)); is != want {
			t.Errorf("the columns of %s in the layouts up to %d are changed: their digest is %s", kind, Newest, is)
		}
	}
}
