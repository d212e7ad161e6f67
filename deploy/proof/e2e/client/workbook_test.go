package client_test

import (
	"os"
	"slices"
	"testing"

	"github.com/xuri/excelize/v2"
)

//nolint:lll // a record is one line
const bordereau = `{"treatyReference":"QS-1","policyNumber":"P-1","fnol":"2026-01-02T03:04:05Z","GrosslLossReserve":1234567.50,"paid":0.1,"claimStatus":"open"}
{"treatyReference":"QS-1","policyNumber":"=1+1","GrosslLossReserve":12345678901234567.89,"paid":-100,"reinsurer":{"share":0.25}}
{"treatyReference":"QS-2","policyNumber":"P-3","GrosslLossReserve":1}
`

func TestWorkbook(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.pipe(t, bordereau, "import", "claimsBordereau", "-", "--format", "ndjson", "--concurrency", "1").
		want(t, 0, "3 created")
	s.run(t, "export", "claimsBordereau", "--filter", "treatyReference=QS-1", "--out", "ceded.xlsx").
		want(t, 0, "2 records exported")
	book, err := excelize.OpenFile(s.path("ceded.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("claimsBordereau", excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"id", "externalReference", "treatyReference", "policyNumber", "fnol", "GrosslLossReserve", "paid",
			"expectedRecovery", "claimStatus", "reinsurer.share"},
		{"", "", "QS-1", "P-1", "46024.12783564815", "1234567.5", "0.1", "", "open"},
		{"", "", "QS-1", "=1+1", "", "12345678901234567.89", "-100", "", "", "0.25"},
	}
	if len(rows) != len(want) {
		t.Fatalf("rows: %q", rows)
	}
	for i, row := range rows {
		if i > 0 && len(row[0]) != 36 {
			t.Errorf("row %d has the id %q", i, row[0])
		}
		if !slices.Equal(row[1:], want[i][1:]) {
			t.Errorf("row %d is %q, want %q", i, row, want[i])
		}
	}
	// A number is a numeric cell, unless it has more digits than a spreadsheet keeps.
	for cell, want := range map[string]excelize.CellType{
		"F2": excelize.CellTypeUnset, "F3": excelize.CellTypeInlineString, "D3": excelize.CellTypeInlineString,
	} {
		if is, err := book.GetCellType("claimsBordereau", cell); err != nil || is != want {
			t.Errorf("%s is of type %d, want %d (%v)", cell, is, want, err)
		}
	}
	if formula, err := book.GetCellFormula("claimsBordereau", "D3"); err != nil || formula != "" {
		t.Errorf("a text became the formula %q (%v)", formula, err)
	}
}

// TestExportThatFails exports over a file and fails. The file is unchanged, and there is no partial file.
func TestExportThatFails(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.write(t, "claims.csv", "as it was")
	s.run(t, "export", "claim", "--filter", "nothing=1", "--out", "claims.csv").want(t, 1, "nothing")
	if text := s.read(t, "claims.csv"); text != "as it was" {
		t.Errorf("the file is now %q", text)
	}
	entries, err := os.ReadDir(s.folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// TestPages exports more records than a page has. Each is in the file once.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.pipe(t, fleet(450, 0), "import", "vehicle", "-", "--format", "ndjson").want(t, 0, "450 created")
	for _, args := range [][]string{{"export", "vehicle"}, {"list", "vehicle", "--all"}} {
		all := s.run(t, args...).want(t, 0).lines()
		slices.Sort(all)
		if len(slices.Compact(all)) != 450 {
			t.Errorf("%s has %d different records, want 450", args, len(slices.Compact(all)))
		}
	}
	if n := len(s.run(t, "list", "vehicle", "--limit", "321").want(t, 0, "the first 321").lines()); n != 321 {
		t.Errorf("--limit 321 lists %d", n)
	}
	if n := len(s.run(t, "list", "productCatalog").want(t, 0).lines()); n != 65 {
		t.Errorf("the catalogue has %d lines", n)
	}
}
