package profile_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"
)

// compound returns a compound file that lists some names.
func compound(names ...string) []byte {
	file := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 65_512)...) // a name is read in two pieces
	for _, name := range names {
		for _, unit := range utf16.Encode([]rune(name + "\x00")) {
			file = append(file, byte(unit), byte(unit>>8)) //nolint:gosec // the lower half
		}
	}
	return append(file, make([]byte, 100_000)...)
}

// archive returns an archive of empty files.
func archive(t *testing.T, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, name := range names {
		if _, err := to.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestFilesThatAreSomethingElse sends files that are neither CSV nor XLSX. Each is named as what it is.
func TestFilesThatAreSomethingElse(t *testing.T) {
	t.Parallel()
	fieldFile{"c14-encrypted.xlsx", declared("xlsx", premium...), []string{"The workbook has a password..."}}.check(t)
	const page = "\ufeff\r\n<HTML xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><table><tr><td>Policy"
	const of2003 = `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">`
	for name, c := range map[string]struct {
		file         []byte
		book, csvSay string
	}{
		"a password":     {compound("EncryptionInfo", "EncryptedPackage"), "has a password", "or one with"},
		"an old one":     {compound("Workbook"), "an older workbook (XLS)", "an older workbook (XLS)"},
		"a document":     {compound("WordDocument"), "a document of an older Office", "an older workbook (XLS)"},
		"a PDF":          {[]byte("%PDF-1.7\n%\x00"), "is a PDF", "is a PDF"},
		"a page":         {[]byte(page), "a page of HTML", "a page of HTML"},
		"one of 2003":    {[]byte(of2003), "a workbook of 2003", "a workbook of 2003"},
		"a binary book":  {archive(t, "xl/workbook.bin"), "XLSB", "format xlsx"},
		"of LibreOffice": {archive(t, "mimetype", "content.xml"), "ODS", "format xlsx"},
		"a letter":       {archive(t, "word/document.xml"), "DOCX", "format xlsx"},
		"an archive":     {archive(t, "a.txt"), "has no part xl/workbook.xml", "format xlsx"},
		"CSV":            {[]byte("Policy,Gross\n"), "CSV has the format csv", ""},
	} {
		got, _ := lines(declared("xlsx", premium...), c.file)
		if len(got) != 1 || !strings.Contains(got[0], c.book) {
			t.Errorf("%s as XLSX: %s", name, got)
		}
		if got, _ = lines(declared("csv", premium...), c.file); len(got) != 1 || !strings.Contains(got[0], c.csvSay) {
			t.Errorf("%s as CSV: %s", name, got)
		}
	}
}
