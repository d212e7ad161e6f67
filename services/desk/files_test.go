package desk_test

import (
	"testing"

	"github.com/xuri/excelize/v2"

	shown "insurance.example/exchange/contracts/reconciliation"
)

// TestAPartOfAnAmountMatchesNothing sends a row whose amount is in two cells, because its mark has no quotes. The first
// part is the amount of a record of the same policy.
func TestAPartOfAnAmountMatchesNothing(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 250, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},
		{"column":"Gross","means":"gross"}]}`)
	of := send(t, s, "p", "text/csv", "Policy,Gross\nP,250,000.00\n")
	run, items := compared(t, s, of.ID, "")
	if of.Quarantined != 1 || run.Outcomes[shown.Quarantined] != 1 || run.Outcomes[shown.MissingThere] != 1 ||
		run.Outcomes[shown.Matched] != 0 {
		t.Fatalf("%+v with %+v", run.Outcomes, items)
	}
	if cell := items[0].Cells[0]; cell.Cell != "C2" || cell.Theirs != "000.00" || cell.Reason == "" {
		t.Errorf("the cell beyond the header is %+v", cell)
	}
}

// TestFormulasAreTold sends a workbook with a formula: its stored value is taken, and both answers count it.
func TestFormulasAreTold(t *testing.T) {
	_, s := atNovember(t)
	s.Must(200, "PUT", profiles+"p", `{"format":"xlsx","headerRow":1,"sign":"minus","totals":{"rule":"none"},
		"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},{"column":"Gross","means":"gross"}]}`)
	file := workbook(t, func(f *excelize.File) error {
		return f.SetCellFormula("Sheet1", "B2", "=99+1")
	}, replaced("</f>", "</f><v>100</v>"))
	var tried shown.FileTrial
	read(t, s.Must(200, "POST", statements+":try?profile=p", file, "Content-Type", sheetMedia), &tried)
	if of := send(t, s, "p", sheetMedia, file); of.Formulas != 1 || of.Quarantined != 0 || tried.Formulas != 1 {
		t.Errorf("%+v, tried as %+v", of, tried)
	}
}
