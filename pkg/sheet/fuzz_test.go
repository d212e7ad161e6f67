package sheet_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"insurance.example/exchange/pkg/sheet"
)

// packed returns an archive of some parts.
func packed(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, err := to.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}) // so that it can be changed
		if err == nil {
			_, err = part.Write([]byte(parts[name]))
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

// FuzzRead reads files of any bytes as CSV and as a workbook, and a sheet of any text within a workbook that is in
// order. Each is read, or refused with the reason.
func FuzzRead(f *testing.F) {
	const office = `"http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	around := map[string]string{
		"_rels/.rels": `<Relationships><Relationship Id="1" Type=` + office + `officeDocument" Target="b.xml"/>` +
			`</Relationships>`,
		"_rels/b.xml.rels": `<Relationships><Relationship Id="1" Type=` + office + `worksheet" Target="s.xml"/>` +
			`<Relationship Id="2" Type=` + office + `sharedStrings" Target="t.xml"/></Relationships>`,
		"b.xml": `<workbook><sheets><sheet name="A" r:id="1"/></sheets></workbook>`,
		"t.xml": `<sst><si><t>Policy</t><rPh><t>x</t></rPh></si></sst>`,
		"styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yy\ [h];@"/></numFmts><cellXfs>` +
			`<xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="11"/></cellXfs></styleSheet>`,
	}
	const rows = `<worksheet><sheetData><row r="1"><c t="s"><v>0</v></c></row><row><c r="A2" s="1"><f>1</f>` +
		`<v>46037.25</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2026-01-15</v></c><c t="inlineStr"><is><t>x</t></is>` +
		`</c></row></sheetData></worksheet>`
	whole := maps.Clone(around)
	whole["s.xml"] = rows
	for _, seed := range [][]byte{
		packed(f, whole), []byte(rows), []byte("Policy,Gross\r\nP,\"1,\n2\"\rQ,3\n"), []byte("\xff\xfeP\x00;\x00"),
		[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1E\x00"), []byte("%PDF-1.7"), []byte("\ufeff <html>"), nil,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		within := maps.Clone(around)
		within["s.xml"] = string(file)
		inBook := packed(t, within)
		for _, read := range []func(func(sheet.Row) error) error{
			func(do func(sheet.Row) error) error { return sheet.CSV(bytes.NewReader(file), ",", "utf-8", do) },
			func(do func(sheet.Row) error) error { return sheet.CSV(bytes.NewReader(file), ";", "utf-16", do) },
			func(do func(sheet.Row) error) error {
				return sheet.XLSX(bytes.NewReader(file), int64(len(file)), sheet.Of{}, do)
			},
			func(do func(sheet.Row) error) error {
				return sheet.XLSX(bytes.NewReader(inBook), int64(len(inBook)), sheet.Of{Merged: true}, do)
			},
		} {
			last := 0
			err := read(func(row sheet.Row) error {
				if row.Number <= last || len(row.Cells) > 500 {
					t.Errorf("row %d, after %d, has %d cells", row.Number, last, len(row.Cells))
				}
				last = row.Number
				for _, cell := range row.Cells {
					text, reason := cell.Shown()
					if text != "" && reason != "" || cell.Wrong != "" && reason != cell.Wrong {
						t.Errorf("%+v shows %q, %q", cell, text, reason)
					}
				}
				return nil
			})
			var wrong *sheet.WrongError
			if err != nil && !errors.As(err, &wrong) {
				t.Errorf("it is refused by %v", err)
			}
		}
	})
}
