package desk_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// workbook returns a workbook of two rows, changed by a function, and then its parts changed by another one.
func workbook(t *testing.T, change func(*excelize.File) error, parts func(name string, content []byte) []byte) string {
	t.Helper()
	book := excelize.NewFile()
	for cell, value := range map[string]any{"A1": "Policy", "B1": "Gross", "A2": "P", "B2": 100} {
		if err := book.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		if err := change(book); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := book.Write(&out); err != nil {
		t.Fatal(err)
	}
	if parts == nil {
		return out.String()
	}
	from, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	to := zip.NewWriter(&again)
	for _, of := range from.File {
		part, err := of.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		writePart(t, to, of.Name, parts(of.Name, content))
	}
	if added := parts("", nil); added != nil {
		writePart(t, to, string(added), []byte("x"))
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return again.String()
}

func writePart(t *testing.T, to *zip.Writer, name string, content []byte) {
	t.Helper()
	part, err := to.Create(name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// declared returns a workbook of which a part says that it unpacks to a number of bytes, whatever it unpacks to.
func declared(t *testing.T, name string, size uint64) string {
	t.Helper()
	whole := workbook(t, nil, nil) // another one may have another length
	from, err := zip.NewReader(strings.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, of := range from.File {
		packed, err := of.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		header := of.FileHeader
		if header.Name == name {
			header.UncompressedSize64 = size
		}
		part, err := to.CreateRaw(&header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(part, packed); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// added has a part added to a workbook.
func added(name string) func(string, []byte) []byte {
	return func(of string, content []byte) []byte {
		if of == "" {
			return []byte(name)
		}
		return content
	}
}

// replaced has a text of the sheet replaced.
func replaced(what, with string) func(string, []byte) []byte {
	return func(of string, content []byte) []byte {
		if strings.HasSuffix(of, "sheet1.xml") {
			return bytes.Replace(content, []byte(what), []byte(with), 1)
		}
		return content
	}
}

// TestBadFiles sends files that are no tables of values. Each is refused as a whole, with the reason, and takes no more
// memory than the reading of a file may.
func TestBadFiles(t *testing.T) {
	_, s := atNovember(t)
	const columns = `"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},
		{"column":"Gross","means":"gross"}]`
	s.Must(200, "PUT", profiles+"csv", `{`+plain+`,`+columns+`}`)
	s.Must(200, "PUT", profiles+"utf16", `{`+strings.Replace(plain, "utf-8", "utf-16", 1)+`,`+columns+`}`)
	s.Must(200, "PUT", profiles+"xlsx", `{"format":"xlsx","headerRow":1,"sign":"minus","decimalMark":".",
		"totals":{"rule":"none"},`+columns+`}`)
	s.Must(200, "PUT", profiles+"other", `{"format":"xlsx","sheet":"Other","headerRow":1,"sign":"minus",
		"totals":{"rule":"none"},`+columns+`}`)
	bomb := declared(t, "xl/worksheets/sheet1.xml", 300<<20)
	shared := declared(t, "xl/sharedStrings.xml", 40<<20)
	liar := declared(t, "xl/worksheets/sheet1.xml", 10)
	for name, c := range map[string]struct{ profile, file, reason string }{
		"empty":            {"csv", "\n", "no row 1"},
		"no header":        {"csv", "P,100\n", "has not one column"},
		"another mark":     {"csv", "Policy;Gross\nP;100\n", "is the delimiter"},
		"a header twice":   {"csv", "Policy,Gross,Gross\nP,1,2\n", "it has two"},
		"binary":           {"csv", "Policy,Gross\n\x7fELF\x00\x01\x02,1\n", "character 0"},
		"UTF-16 as UTF-8":  {"csv", "P\x00o\x00l\x00i\x00c\x00y\x00,\x00G\x00\n\x00", "character 0"},
		"no mark":          {"utf16", "P\x00,\x00", "byte order mark"},
		"quotes":           {"csv", "Policy,Gross\nP,\"1\"0\"\n", "line 2"},
		"10,000 columns":   {"csv", "Policy,Gross" + strings.Repeat(",", 10_000) + "\n", "10002 columns"},
		"a long cell":      {"csv", "Policy,Gross\n" + strings.Repeat("a", 200_000) + ",1\n", "more than 131068 bytes"},
		"CSV as a book":    {"xlsx", "Policy,Gross\nP,100\n", "no workbook"},
		"a book as CSV":    {"csv", workbook(t, nil, nil), ""},
		"no such sheet":    {"other", workbook(t, nil, nil), "no sheet"},
		"macros":           {"xlsx", workbook(t, nil, added("xl/vbaProject.bin")), "macros"},
		"links to others":  {"xlsx", workbook(t, nil, added("xl/externalLinks/externalLink1.xml")), "links to others"},
		"a part twice":     {"xlsx", workbook(t, nil, added("xl/workbook.xml")), "twice"},
		"a bomb":           {"xlsx", bomb, "unpacks to more"},
		"a bomb of texts":  {"xlsx", shared, "unpacks to more"},
		"a hidden bomb":    {"xlsx", liar, "cannot be read"},
		"not a text":       {"xlsx", workbook(t, nil, replaced("<v>0</v>", "<v>-1</v>")), "does not have"},
		"rows backwards":   {"xlsx", workbook(t, nil, replaced(`r="2"`, `r="1"`)), "after row 1"},
		"cells backwards":  {"xlsx", workbook(t, nil, replaced(`r="B2"`, `r="A2"`)), "where none can be"},
		"a column of 9999": {"xlsx", workbook(t, nil, replaced(`r="B2"`, `r="NTO2"`)), "column 9999"},
		"cut off":          {"xlsx", workbook(t, nil, replaced("</sheetData>", "<row><c>")), "cannot be read"},
	} {
		a := s.Do("POST", statements+"?profile="+c.profile, c.file, "Content-Type",
			map[bool]string{true: "text/csv", false: sheetMedia}[c.profile == "csv" || c.profile == "utf16"])
		if a.Status != 400 || a.Member("type") != "/problems/invalid-field" || !strings.Contains(a.Text, c.reason) {
			t.Errorf("%s: %d %.600s", name, a.Status, a.Text)
		}
	}
	if of := send(t, s, "xlsx", sheetMedia, workbook(t, nil, nil)); of.Rows != 1 || of.Quarantined != 0 {
		t.Errorf("a workbook in order: %+v", of)
	}
	s.Must(415, "POST", statements+"?profile=csv", "a", "Content-Type", "text/csv", "Content-Encoding", "gzip")
}

// endless is a body of many rows.
type endless struct{ sent int64 }

var someRows = strings.Repeat("P,100\n", 1000)

func (e *endless) Read(into []byte) (int, error) {
	n := copy(into, someRows)
	e.sent += int64(n)
	if e.sent > 1<<30 {
		return 0, io.EOF
	}
	return n, nil
}

// TestAFileOfAGigabyte sends one whose length is not declared. The exchange stops reading where a file may end.
func TestAFileOfAGigabyte(t *testing.T) {
	_, s := atNovember(t)
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},
		{"column":"Gross","means":"gross"}]}`)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	body := new(endless)
	request := httptest.NewRequestWithContext(t.Context(), "POST", statements+"?profile=p", body)
	request.ContentLength = -1
	request.Header.Set("Content-Type", "text/csv")
	a := s.Serve(request)
	runtime.ReadMemStats(&after)
	if a.Status != 413 || body.sent > 65<<20 {
		t.Errorf("%d after %d bytes: %s", a.Status, body.sent, a.Text)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Error(fmt.Sprint("it took ", grown, " bytes of memory"))
	}
}
