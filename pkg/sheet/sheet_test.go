package sheet_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/sheet"
)

// book returns a workbook with a hidden sheet, and one of some rows with the styles General, a date with a time, and a
// number with an exponent.
func book(t *testing.T, rows string) *bytes.Reader {
	t.Helper()
	const office = `"http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	return bytes.NewReader(packed(t, map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="x"><sheets><sheet name="Lists" state="hidden" r:id="2"/>` +
			`<sheet name="Chart" r:id="9"/><sheet name="Data" r:id="1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="1" Type=` + office +
			`worksheet" Target="data.xml"/><Relationship Id="2" Type=` + office + `worksheet" Target="lists.xml"/>` +
			`</Relationships>`,
		"xl/data.xml":  "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
		"xl/lists.xml": "<worksheet/>",
		"xl/styles.xml": `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="11"/></cellXfs>` +
			`</styleSheet>`,
	}))
}

// read returns the cells of the rows of a workbook, of each what is asked for, with its row, and the error.
func read(t *testing.T, rows string, of func(sheet.Row, sheet.Cell) string) (all []string, err error) {
	t.Helper()
	from := book(t, rows)
	err = sheet.XLSX(from, from.Size(), sheet.Of{}, func(row sheet.Row) error {
		for _, cell := range row.Cells {
			all = append(all, fmt.Sprint(row.Number, " ", of(row, cell)))
		}
		return nil
	})
	return all, err
}

// TestManyRows reads rows of CSV beyond those that a spreadsheet has, and refuses them in a workbook.
func TestManyRows(t *testing.T) {
	t.Parallel()
	count := 0
	if err := sheet.CSV(strings.NewReader(strings.Repeat("P\n", 1<<20+1)), ",", "utf-8",
		func(sheet.Row) error { count++; return nil }); err != nil || count != 1<<20+1 {
		t.Errorf("%d rows were read, then %v", count, err)
	}
	all, err := read(t, `<row r="1048576"><c><v>1</v></c></row><row><c><v>2</v></c></row>`,
		func(sheet.Row, sheet.Cell) string { return "" })
	var wrong *sheet.WrongError
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Error(), "more than 1048576 rows") || len(all) != 1 {
		t.Errorf("%d rows were read of a workbook, then %v", len(all), err)
	}
}

// TestSheets lists the sheets of a workbook, and says of rows whether they are hidden.
func TestSheets(t *testing.T) {
	t.Parallel()
	from := book(t, "")
	sheets, err := sheet.Sheets(from, from.Size())
	if got := fmt.Sprint(sheets); err != nil || got != "[Lists (hidden) Chart (no table) Data]" {
		t.Errorf("the sheets are %s, %v", got, err)
	}
	all, err := read(t, `<row><c><v>1</v></c></row><row hidden="1"><c><v>2</v></c></row>`+
		`<row hidden="true"><c><v>3</v></c></row><row hidden="0"><c><v>4</v></c></row>`,
		func(row sheet.Row, _ sheet.Cell) string { return fmt.Sprint(row.Hidden) })
	if want := []string{"1 false", "2 true", "3 true", "4 false"}; err != nil || !slices.Equal(all, want) {
		t.Errorf("the rows are %q, %v", all, err)
	}
}

// TestDigits takes numbers in as many digits as a spreadsheet keeps.
func TestDigits(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		`<c><v>100.00000000000001</v></c>`:        "100 ",
		`<c><v>99.999999999999986</v></c>`:        "100 ",
		`<c><v>0.10000000000000001</v></c>`:       "0.1 ",
		`<c s="2"><v>1.5E-7</v></c>`:              "0.00000015 ",
		`<c><v>-1.0E+3</v></c>`:                   "-1000 ",
		`<c><v>100000000000000000000</v></c>`:     "100000000000000000000 ",
		`<c><v>12345678901234567</v></c>`:         " is a number of more than 15 digits",
		`<c><v>1.7976931348623157E+308</v></c>`:   " is a number of more than 15 digits",
		`<c s="1"><v>46037</v></c>`:               " is no number",
		`<c t="str"><v>5</v></c>`:                 " is no number",
		`<c t="e"><v>#N/A</v></c>`:                ` has the error "#N/A"`,
		`<c><f>1+1</f></c>`:                       " is a formula without a stored value",
		`<c t="n"><v>1234567890.12345678</v></c>`: "1234567890.12346 ",
	} {
		all, err := read(t, "<row>"+cell+"</row>", func(_ sheet.Row, of sheet.Cell) string {
			digits, reason := of.Decimal()
			return digits + " " + reason
		})
		if err != nil || len(all) != 1 || !strings.HasPrefix(all[0], "1 "+want) {
			t.Errorf("%s is %q, want %q (%v)", cell, all, want, err)
		}
	}
}

// TestTimesAndTexts reads instants to the millisecond, those beside a midnight, and characters by their numbers.
func TestTimesAndTexts(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		`<c s="1"><v>46024.12783564815</v></c>`:                 "2026-01-02T03:04:05",
		`<c s="1"><v>46024.127837071756</v></c>`:                "2026-01-02T03:04:05.123",
		`<c s="1"><v>46024.999988425923</v></c>`:                "2026-01-02T23:59:59",
		`<c s="1"><v>46024.9999884259</v></c>`:                  "2026-01-02T23:59:59",
		`<c s="1"><v>46024.0000115741</v></c>`:                  "2026-01-02T00:00:01",
		`<c s="1"><v>46024.99999</v></c>`:                       "2026-01-03",
		`<c t="d"><v>2026-01-02T23:59:59Z</v></c>`:              "2026-01-02T23:59:59",
		`<c t="inlineStr"><is><t>a_x000D_b_x0041_</t></is></c>`: "a\rbA",
		`<c t="str"><v>_x005F_x0041__xD800_</v></c>`:            "_x0041__xD800_",
	} {
		all, err := read(t, "<row>"+cell+"</row>",
			func(_ sheet.Row, of sheet.Cell) string { return of.Text + of.Wrong })
		if err != nil || len(all) != 1 || all[0] != "1 "+want {
			t.Errorf("%s is %q, want %q (%v)", cell, all, want, err)
		}
	}
}

// TestEscapesAreAsSpreadsheetsWriteThem packs texts that are escaped, and looks at what is in the part then.
func TestEscapesAreAsSpreadsheetsWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x01b": "a_x0001_b", "a\r\nb": "a_x000D_\nb", "\x7f\uFFFE\uFFFF": "_x007F__xFFFE__xFFFF_",
		"_x0041_": "_x005F_x0041_", "_x0041\r": "_x005F_x0041_x000D_", "_xd83d__xDE00_": "_x005F_xd83d__x005F_xDE00_",
		"_x005F_x0041_": "_x005F_x005F_x005F_x0041_", "\uFFFD\t\n_x_X0041_ 😀": "\uFFFD\t\n_x_X0041_ 😀",
	} {
		var file bytes.Buffer
		to := sheet.NewPacker(&file)
		part, err1 := to.Create("part.xml")
		_, err2 := part.Write([]byte(sheet.Escaped(text)))
		if err := errors.Join(err1, err2, to.Close()); err != nil {
			t.Fatal(err)
		}
		in, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := fs.ReadFile(in, "part.xml"); string(is) != want || err != nil {
			t.Errorf("%q is written as %q, want %q (%v)", text, is, want, err)
		}
	}
}
