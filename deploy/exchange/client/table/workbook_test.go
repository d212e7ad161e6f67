package table

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/resource"
)

// TestAmountsInAWorkbookHaveAFormat writes amounts and another number, and reads what a spreadsheet shows of them.
func TestAmountsInAWorkbookHaveAFormat(t *testing.T) {
	document, err := openapi.Document(valuesets.Published(), "", openapi.Amounts{Unit: "minor", Currency: "GBP"})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := resource.Read(document)
	if err != nil {
		t.Fatal(err)
	}
	claim, _ := catalog.Find("claim")
	motor, _ := catalog.Find("motorCoverage")
	columns := Of(claim)
	if head := columns.Head("reserve"); head != "reserve (minor GBP)" {
		t.Errorf("the head of reserve is %q", head)
	}
	if head := columns.Head("liabilityShare"); head != "liabilityShare" {
		t.Errorf("what is no amount has the head %q", head)
	}
	var file bytes.Buffer
	sheet, err := newSheetWriter(&file, Layout{Sheet: "claim", Header: []string{"a", "b", "c"}, Records: 1}, columns)
	if err != nil {
		t.Fatal(err)
	}
	var cells []any
	for _, c := range []struct {
		columns       Columns
		column, value string
	}{
		{columns, "reserve", "1234567"}, {Of(motor), "grossWrittenPremium", "1234.5"},
		{columns, "liabilityShare", "1234567"},
	} {
		sheet.columns = c.columns
		cell, err := sheet.Value(Cell{Column: c.column, Value: jsontext.Value(c.value)})
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, cell)
	}
	if err := sheet.Write(cells); err != nil {
		t.Fatal(err)
	}
	if err := sheet.End(nil); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]string{"A2": "1,234,567", "B2": "1,234.50", "C2": "1234567"} {
		if got, err := book.GetCellValue("claim", cell); err != nil || got != want {
			t.Errorf("%s shows %q, want %q (%v)", cell, got, want, err)
		}
	}
}
