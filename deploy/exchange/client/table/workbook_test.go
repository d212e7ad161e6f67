package table

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/pkg/sheet/sheettest"
)

// TestInstantsAreAsAClockShowsThem writes instants in the time zone of a workbook: as dates, and as texts where the
// clock shows them twice.
func TestInstantsAreAsAClockShowsThem(t *testing.T) {
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	claim, _ := resourceOf(t, "claim")
	out, err := newSheetWriter(io.Discard, Layout{Sheet: "claim", Header: []string{"a"}, Zone: london}, Of(claim))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"2026-07-01T08:00:00Z": "2026-07-01T09:00:00", "2026-01-01T08:00:00.5+01:00": "2026-01-01T07:00:00.5",
		"2026-10-25T00:30:00Z": "", "2026-06-30T23:00:00.5Z": "",
	} {
		cell, err := out.Value(Cell{Column: "lossDate", Value: jsontext.Value(`"` + text + `"`)})
		if err != nil {
			t.Fatal(err)
		}
		is := ""
		if styled, dated := cell.(excelize.Cell); dated {
			is = styled.Value.(time.Time).Format("2006-01-02T15:04:05.999")
		}
		if is != want || is == "" && cell != text {
			t.Errorf("%s is %v, want %s", text, cell, want)
		}
	}
}

// resourceOf returns a resource whose amounts have a unit.
func resourceOf(t *testing.T, name string) (resource.Resource, bool) {
	t.Helper()
	document, err := openapi.Document(valuesets.Published(), "", openapi.Amounts{Unit: "minor", Currency: "GBP"})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := resource.Read(document)
	if err != nil {
		t.Fatal(err)
	}
	return catalog.Find(name)
}

// TestAmountsInAWorkbookHaveAFormat writes amounts and another number, and reads what a spreadsheet shows of them.
func TestAmountsInAWorkbookHaveAFormat(t *testing.T) {
	claim, _ := resourceOf(t, "claim")
	motor, _ := resourceOf(t, "motorCoverage")
	columns := Of(claim)
	if head := columns.Head("reserve"); head != "reserve (minor GBP)" {
		t.Errorf("the head of reserve is %q", head)
	}
	if head := columns.Head("liabilityShare"); head != "liabilityShare" {
		t.Errorf("what is no amount has the head %q", head)
	}
	var file bytes.Buffer
	out, err := newSheetWriter(&file, Layout{Sheet: "claim", Header: []string{"a", "b", "c"}, Records: 1}, columns)
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
		out.columns = c.columns
		cell, err := out.Value(Cell{Column: c.column, Value: jsontext.Value(c.value)})
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, cell)
	}
	if err := out.Write(cells); err != nil {
		t.Fatal(err)
	}
	if err := out.End(nil); err != nil {
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

// TestWorkbooksHoldEveryText writes texts that XML cannot hold, and ones that look like what stands for these: as
// values of records, as names of columns, and as cells of a file that go back. It reads them.
func TestWorkbooksHoldEveryText(t *testing.T) {
	claim, _ := resourceOf(t, "claim")
	columns, texts := Of(claim), sheettest.Texts(t, 5000)
	var file bytes.Buffer
	out, err := NewWriter(true, &file, Layout{Sheet: "claim", Header: []string{"\x01_x0041_", "b\uFFFE"}}, columns)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"\x01_x0041_", "b\uFFFE"}}
	for _, text := range texts {
		value, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		cell := Cell{Column: "circumstances", Value: value}
		to, err := out.Value(cell)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Write([]any{to, out.Copied(sheet.Cell{Kind: sheet.Text, Text: text})}); err != nil {
			t.Fatal(err)
		}
		want = append(want, []string{columns.Text(cell), text})
	}
	if err := out.End(nil); err != nil {
		t.Fatal(err)
	}
	sheettest.WellFormed(t, file.Bytes())
	rows := sheettest.Rows(t, file.Bytes())
	if len(rows) != len(want) {
		t.Fatalf("%d rows are read of %d", len(rows), len(want))
	}
	for i, row := range rows {
		if !slices.Equal(row, want[i]) {
			t.Fatalf("%q is read as %q", want[i], row)
		}
	}
}
