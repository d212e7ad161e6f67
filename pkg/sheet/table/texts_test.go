package table

import (
	"bytes"
	"slices"
	"testing"

	"insurance.example/exchange/pkg/sheet/sheettest"
)

// TestWorkbooksHoldEveryText writes texts that XML cannot hold, and ones that look like what stands for these, as names
// of columns and in cells, and reads them back.
func TestWorkbooksHoldEveryText(t *testing.T) {
	t.Parallel()
	const width, count = 40, 10_000
	texts := sheettest.Texts(t, count)
	rows := slices.Collect(slices.Chunk(texts[:len(texts)/width*width], width))
	columns := make([]Column, width)
	for i, name := range rows[0] {
		columns[i].Name = name
	}
	var file bytes.Buffer
	if err := XLSX.Write(&file, columns, func(row func([]string) error) error {
		for _, texts := range rows[1:] {
			if err := row(texts); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	sheettest.WellFormed(t, file.Bytes())
	read := sheettest.Rows(t, file.Bytes())
	if len(read) != len(rows) || !slices.Equal(read[0], rows[0]) {
		t.Fatalf("%d rows of %d are below %q; want %q", len(read), len(rows), read[0], rows[0])
	}
	for i, texts := range rows[1:] {
		for j, text := range texts {
			if is := read[1+i][j]; is != Neutral(text) {
				t.Fatalf("%q is read as %q", Neutral(text), is)
			}
		}
	}
}
