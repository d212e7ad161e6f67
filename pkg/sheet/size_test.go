package sheet_test

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"insurance.example/exchange/pkg/sheet"
)

// largest is how much memory the reading of a workbook may take besides what is in use.
const largest = 64 << 20

// million writes a workbook whose sheet has a number of rows, and opens it.
func million(t *testing.T, count int) (file *os.File, size int64) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "large.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	archive, whole := zip.NewWriter(file), book(t, "")
	parts, err := zip.NewReader(whole, whole.Size())
	if err != nil {
		t.Fatal(err)
	}
	const sheetPart = "xl/data.xml"
	for _, part := range parts.File {
		if part.Name != sheetPart {
			err = errors.Join(err, archive.Copy(part))
		}
	}
	part, failed := archive.Create(sheetPart)
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(part)
	fmt.Fprint(out, `<worksheet><sheetData>`)
	for i := range count {
		fmt.Fprintf(out, `<row><c t="inlineStr"><is><t>POL-%d</t></is></c><c><v>%d.5</v></c></row>`, i, i)
	}
	fmt.Fprint(out, `</sheetData></worksheet>`)
	if err := errors.Join(out.Flush(), archive.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return file, info.Size()
}

// inUse returns how much memory is in use once what is not is given back.
func inUse() uint64 {
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	return now.HeapInuse
}

// TestAMillionRows reads a workbook with as many rows as a sheet can have, and looks at the memory in use on the way.
// With -short it has a tenth of them.
func TestAMillionRows(t *testing.T) {
	count := 1 << 20
	if testing.Short() {
		count /= 10
	}
	file, size := million(t, count)
	before, rows := inUse(), 0
	if err := sheet.XLSX(file, size, sheet.Of{}, func(row sheet.Row) error {
		if rows++; row.Cells[0].Text != fmt.Sprintf("POL-%d", rows-1) {
			t.Fatalf("row %d is %v", rows, row)
		}
		if rows%(count/8) == 0 {
			if grown := int64(inUse()) - int64(before); grown > largest { //nolint:gosec // memory has fewer bytes
				t.Errorf("after %d rows it takes %d bytes", rows, grown)
			}
		}
		return nil
	}); err != nil || rows != count {
		t.Errorf("%d rows were read of %d (%v)", rows, count, err)
	}
}
