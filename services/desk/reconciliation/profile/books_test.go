package profile_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/reconciliation"
)

// The parts of a workbook with one sheet, as most writers call them.
const (
	rootPart, listPart   = "_rels/.rels", "xl/_rels/workbook.xml.rels"
	bookPart, tablePart  = "xl/workbook.xml", "xl/worksheets/sheet1.xml"
	textsPart, stylePart = "xl/sharedStrings.xml", "xl/styles.xml"
	office               = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// book returns a workbook with a sheet of some rows, such as `<row><c><v>1</v></c></row>`. Some of its parts are
// replaced, or added.
func book(t *testing.T, rows string, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		rootPart: relations(`Id="1" Type="` + office + `officeDocument" Target="xl/workbook.xml"`),
		listPart: relations(`Id="1" Type="`+office+`worksheet" Target="worksheets/sheet1.xml"`,
			`Id="2" Type="`+office+`styles" Target="styles.xml"`),
		bookPart:  sheets(``, `name="A" r:id="1"`),
		tablePart: "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
		stylePart: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\/mm\/yyyy\ hh:mm"/></numFmts>
			<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
	}
	maps.Copy(all, parts)
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		part, err := to.Create(name)
		if err == nil {
			_, err = part.Write([]byte(all[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func relations(of ...string) string {
	return "<Relationships><Relationship " + strings.Join(of, "/><Relationship ") + "/></Relationships>"
}

func sheets(properties string, of ...string) string {
	return `<workbook xmlns:r="x"><workbookPr ` + properties + `/><sheets><sheet ` + strings.Join(of, "/><sheet ") +
		`/></sheets></workbook>`
}

// table returns the rows of a sheet: a header of some names, and then those that are given.
func table(header string, rows ...string) string {
	var names strings.Builder
	for name := range strings.SplitSeq(header, ",") {
		names.WriteString("<c t=\"inlineStr\"><is><t>" + name + "</t></is></c>")
	}
	return "<row>" + names.String() + "</row><row>" + strings.Join(rows, "</row><row>") + "</row>"
}

// said is a cell with a text.
func said(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }

// TestPartsOfAWorkbook reads workbooks whose parts have other names than most, and whose cells are written in each way
// that there is.
func TestPartsOfAWorkbook(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"r13-xfd.xlsx", "r14-SharedStrings.xlsx"} {
		fieldFile{name, declared("xlsx", premium...), []string{"2 POL-1 2026-01-15 10.00"}}.check(t)
	}
	fieldFile{"i15-hidden.xlsx", declared("xlsx", "plateNumber=policyNumber", "vin=gross"),
		[]string{"2 B2: is no amount..."}}.check(t)
	const strict = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
	shared := `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="s"><v>2</v></c><c><v>5</v></c></row>`
	texts := `<sst><si><t>Policy</t></si><si><r><t>Gr</t></r><r><t>oss</t></r></si>
		<si><t>P</t><rPh sb="0" eb="1"><t>pee</t></rPh></si></sst>`
	plain := table("Policy,Gross", said("P")+`<c><v>5</v></c>`)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"parts elsewhere": {book(t, "", map[string]string{
			rootPart:           relations(`Id="9" Type="` + strict + `officeDocument" Target="/Other/A%20book.xml"`),
			"other/a book.xml": sheets("", `name="A" r:id="rA"`),
			"Other/_rels/A book.xml.rels": relations(`Id="rA" Type="`+strict+`worksheet" Target="../Data.XML"`,
				`Id="rB" Type="`+strict+`sharedStrings" Target="words.xml"`),
			"data.xml": "<x:worksheet><x:sheetData>" + strings.NewReplacer("</", "</x:", "<", "<x:").Replace(shared) +
				"</x:sheetData></x:worksheet>",
			"other/Words.xml": texts,
		}), "2 P 5.00"},
		"texts without a relation":    {book(t, shared, map[string]string{textsPart: texts}), "2 P 5.00"},
		"no relations of the package": {book(t, plain, map[string]string{rootPart: relations(`Id="1"`)}), "2 P 5.00"},
		"a chart first": {book(t, plain, map[string]string{
			bookPart: sheets("", `name="Chart" r:id="7"`, `name="A" r:id="1"`),
			listPart: relations(`Id="7" Type="`+office+`chartsheet" Target="chart.xml"`,
				`Id="1" Type="`+office+`worksheet" Target="worksheets/sheet1.xml"`),
		}), "2 P 5.00"},
		"hidden alone": {book(t, plain, map[string]string{
			bookPart: sheets("", `name="A" state="veryHidden" r:id="1"`),
		}), "The workbook has no table that is not hidden; it has A (hidden)."},
		"macros of another name": {book(t, plain, map[string]string{
			listPart: relations(`Id="1" Type="` + office + `vbaProject" Target="x.bin"`),
		}), "The workbook has macros..."},
		"rich, with how it is said": {book(t, table("Policy,Gross", `<c t="inlineStr"><is><r><t>P</t></r>
			<r><t>-1</t></r><rPh><t>x</t></rPh></is></c><c><v>5</v></c>`), nil), "2 P-1 5.00"},
		"what XML cannot hold": {book(t, table("_x0050_olicy_x000a_,Gross",
			said("P_x0020__x005F_x0041__xD83D__xDE00__xD83D_x")+
				`<c t="str"><f>1</f><v>_x0035_</v></c>`), nil), "2 P _x0041_\U0001F600_xD83D_x 5.00"},
		"styled empty cells": {book(t, table("Policy,Note,Gross", said("P")+
			`<c s="1"/><c><v>5</v></c><c s="1"/>`), nil), "2 P 5.00"},
		"an error that is mapped": {book(t, table("Policy,Gross", said("P")+`<c t="e"><v>#N/A</v></c>`), nil),
			`2 B2: has the error "#N/A" in place of a value`},
		"an error that is not": {book(t, table("Policy,Gross,Note", said("P")+
			`<c><v>5</v></c><c t="e"><v>#REF!</v></c>`), nil), "2 P 5.00"},
		"an error for a policy": {book(t, table("Policy,Gross", `<c t="e"><v>#REF!</v></c><c><v>5</v></c>`), nil),
			`2 A2: has the error "#REF!" in place of a value`},
		"a value of logic": {book(t, table("Policy,Gross", said("P")+`<c t="b"><v>1</v></c>`), nil),
			"2 B2: is no amount..."},
		"cut off": {book(t, "", map[string]string{tablePart: "<worksheet><sheetData>" + plain}),
			"The workbook cannot be read: EOF."},
	} {
		got, _ := lines(declared("xlsx", "Policy=policyNumber", "Gross=gross"), c.file)
		expect(t, name, got, []string{c.want})
	}
	dated := table("Policy,Date,Gross", said("P")+`<c s="1"><v>44575</v></c><c><v>5</v></c>`)
	got, _ := lines(declared("xlsx", "Policy=policyNumber", "Date=date", "Gross=gross"), book(t, dated,
		map[string]string{bookPart: sheets(`date1904="1"`, `name="A" r:id="1"`)}))
	expect(t, "since 1904", got, []string{"2 P 2026-01-15 5.00"})
}

// TestFormulas reads cells that are formulas by their stored values, which are counted where they are read.
func TestFormulas(t *testing.T) {
	t.Parallel()
	total := declared("xlsx", premium...)
	total.Totals = reconciliation.FileTotals{Rule: reconciliation.LastTotals}
	for _, f := range []struct {
		fieldFile
		count int
	}{
		{fieldFile{"r03-formula.xlsx", declared("xlsx", premium...), []string{"2 POL-1 2026-01-15 10.00"}}, 1},
		{fieldFile{"r04-formula-elsewhere.xlsx", declared("xlsx", premium...),
			[]string{"2 POL-1 2026-01-15 10.00"}}, 0},
		{fieldFile{"r05-formula-total.xlsx", total, []string{"2 POL-1 2026-01-15 10.00"}}, 1},
		{fieldFile{"i17-formula.xlsx", declared("xlsx", "vin=policyNumber", "plateNumber=gross"),
			[]string{"2 A2: has a mark between digits...", "3 A3: is a formula without a stored value..."}}, 1},
	} {
		if found := f.check(t); found.Formulas != f.count {
			t.Errorf("%s has %d formulas that were read, not %d", f.name, found.Formulas, f.count)
		}
	}
	for name, c := range map[string]struct{ cell, want string }{
		"a number":           {`<c><f>1+1</f><v>2</v></c>`, "2 P 2.00"},
		"shared":             {`<c><f t="shared" si="0"/><v>2</v></c>`, "2 P 2.00"},
		"an empty text":      {`<c t="str"><f>""</f><v></v></c>`, "2 B2: is empty..."},
		"no value":           {`<c><f>1+1</f></c>`, "2 B2: is a formula without..."},
		"an empty value":     {`<c><f>1+1</f><v></v></c>`, "2 B2: is a formula without..."},
		"a text, no value":   {`<c t="str"><f>1+1</f></c>`, "2 B2: is a formula without..."},
		"an error":           {`<c t="e"><f>1/0</f><v>#DIV/0!</v></c>`, "2 B2: has the error..."},
		"beyond the header":  {`<c><v>2</v></c><c><f>1+1</f></c>`, "2 C2: is in a column without a name..."},
		"empty and unmapped": {`<c><v>2</v></c><c t="str"><f>""</f><v/></c>`, "2 P 2.00"},
	} {
		got, _ := lines(declared("xlsx", "Policy=policyNumber", "Gross=gross"),
			book(t, table("Policy,Gross", said("P")+c.cell), nil))
		expect(t, name, got, []string{c.want})
	}
}
