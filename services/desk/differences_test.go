package desk_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	shown "insurance.example/exchange/contracts/reconciliation"
)

// TestDifferencesAreAFile reads what is not matched as CSV and as a workbook: both have the same rows, one for each
// cell that differs or cannot be read, and one for each row and record alone with its amount.
func TestDifferencesAreAFile(t *testing.T) {
	w, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,100.00\n=Q,7\nR,x\nP,251.50\n")
	if run.Outcomes[shown.Mismatch] != 1 || run.Items != 4 {
		t.Fatalf("%+v", items)
	}
	for _, item := range items {
		if item.Outcome == shown.MissingHere {
			s.Must(200, "POST", fmt.Sprint(runs, "/", run.ID, "/items/", item.Number, ":dispute"),
				`{"reason":"not ours"}`)
		}
	}
	differ := items[slices.IndexFunc(items, func(of shown.RunItem) bool { return of.Outcome == shown.Mismatch })]
	path := runs + "/" + run.ID + "/items"
	a := s.Must(200, "GET", path, "", "Accept", "text/csv")
	if of := a.Header.Get("Content-Type"); !strings.HasPrefix(of, "text/csv") || a.Header.Get("Vary") != "Accept" ||
		!strings.Contains(a.Header.Get("Content-Disposition"), ".csv") {
		t.Errorf("%v", a.Header)
	}
	got, err := csv.NewReader(strings.NewReader(a.Text)).ReadAll()
	if err != nil || len(got) != 4 || got[2][10] == "" {
		t.Fatalf("%v %q", err, got)
	}
	want := [][]string{
		{"Row", "Policy", "Line Id", "Date", "Cell", "Column", "File", "Record", "Difference", "Outcome", "Reason",
			"Decision"},
		{"5", "P", differ.LineID, "2026-11-10", "B5", "gross", "251.50", "250.00", "1.50", "mismatch", "", ""},
		{"4", "R", "", "2026-12-01", "B4", "gross", "x", "", "", "quarantined", got[2][10], ""},
		{"3", "'=Q", "", "2026-12-01", "B3", "gross", "7.00", "", "7.00", "missingHere", "not ours", "disputed"},
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("row %d is %q, not %q", i, got[i], want[i])
		}
	}
	book, err := excelize.OpenReader(strings.NewReader(s.Must(200, "GET", path, "", "Accept", sheetMedia).Text))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("Lines", excelize.Options{RawCellValue: true})
	if err != nil || len(rows) != len(want) || rows[1][6] != "251.5" || rows[3][1] != "'=Q" {
		t.Errorf("%v %q", err, rows)
	}
	if kind, err := book.GetCellType("Lines", "I2"); err != nil || kind == excelize.CellTypeSharedString ||
		kind == excelize.CellTypeInlineString {
		t.Errorf("a difference is of the type %v: %v", kind, err)
	}

	// A record that is missing there has its amount; a file of one outcome has no others.
	w.record("P", "new policy", 30, "")
	var receipts shown.Run
	read(t, s.Must(201, "POST", runs, `{"statement":"`+run.Statement+`","against":{"contract":"C","kind":"premium",
		"period":"2026-11","receipts":true}}`), &receipts)
	short := send(t, s, "p", "text/csv", "Policy,Gross\nS,1\n")
	read(t, s.Must(201, "POST", runs, `{"statement":"`+short.ID+`","against":{"contract":"C","kind":"premium",
		"period":"2026-12","receipts":true}}`), &receipts)
	a = s.Must(200, "GET", runs+"/"+receipts.ID+"/items?outcome=missingThere", "", "Accept", "text/csv")
	got, err = csv.NewReader(strings.NewReader(a.Text)).ReadAll()
	if err != nil || len(got) != 2 || got[1][7] != "30.00" || got[1][8] != "-30.00" || got[1][9] != shown.MissingThere {
		t.Errorf("%v %q", err, got)
	}

	for accept, media := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/json": "application/json",
		"text/html": "application/json",
	} {
		of := s.Must(200, "GET", path, "", "Accept", accept).Header.Get("Content-Type")
		if !strings.HasPrefix(of, media) {
			t.Errorf("Accept %q: %s", accept, of)
		}
	}
	s.Must(400, "GET", path+"?limit=5", "", "Accept", "text/csv")
	s.Must(400, "GET", path+"?outcome=x", "", "Accept", "text/csv")
	a = s.Must(404, "GET", runs+"/"+short.ID+"/items", "", "Accept", "text/csv")
	if a.Header.Get("Content-Disposition") != "" {
		t.Errorf("%v", a.Header)
	}
}
