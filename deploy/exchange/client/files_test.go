package client_test

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/deploy/exchange/client"
)

// importResult is what an import has done: the records that it sent, what it said, and the file of rejected records.
type importResult struct {
	sent           []string
	said, rejected string
}

// importOf imports a file at an exchange that creates each record, one after the other.
func importOf(t *testing.T, in io.Reader, resource, file string, flags ...string) (i importResult) {
	t.Helper()
	i.rejected = filepath.Join(t.TempDir(), "rejected"+filepath.Ext(file))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.Method == http.MethodGet { // of a dry run
			if _, err := w.Write(openapi.Published()); err != nil {
				t.Error(err)
			}
			return
		}
		i.sent = append(i.sent, string(body))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":"x"}`)
	}))
	defer server.Close()
	var said strings.Builder
	for _, command := range client.Commands(client.Surroundings{
		Environ: []string{"EXCHANGE_URL=" + server.URL, "EXCHANGE_TOKEN=token"}, In: in, Out: io.Discard, Err: &said,
	}) {
		if command.Name() == "import" {
			command.SilenceErrors, command.SilenceUsage = true, true
			command.SetArgs(append([]string{resource, file, "--concurrency", "1", "--rejected", i.rejected}, flags...))
			client.Report(&said, command.ExecuteContext(t.Context()))
		}
	}
	i.said = said.String()
	return i
}

// check compares what an import has sent with what it must have sent, and looks for words in what it said and in the
// file of rejected records.
func (i importResult) check(t *testing.T, name string, sent []string, words ...string) {
	t.Helper()
	if !slices.Equal(i.sent, sent) {
		t.Errorf("%s: sent\n%s\nwant\n%s\nit says %s", name, strings.Join(i.sent, "\n"), strings.Join(sent, "\n"),
			i.said)
	}
	all := i.said
	if book, err := excelize.OpenFile(i.rejected); err == nil {
		rows, err := book.GetRows(book.GetSheetName(0))
		all += fmt.Sprint(rows, err, book.Close())
	} else if text, err := os.ReadFile(i.rejected); err == nil {
		all += string(text)
	}
	for _, word := range words {
		if !strings.Contains(all, word) {
			t.Errorf("%s: it lacks %q:\n%s", name, word, all)
		}
	}
}

// TestFilesAsTheyCome imports files as others have sent them.
func TestFilesAsTheyCome(t *testing.T) {
	t.Parallel()
	vehicle := func(plate string) string {
		return fmt.Sprintf(`{"plateNumber":"EX %s","vin":"WVWZZZ1JZXW0000%[1]s"}`, plate)
	}
	for _, c := range []struct {
		resource, file, flags string
		sent, words           []string
	}{
		{"vehicle", "i14-second.xlsx", "", nil, []string{`sheet "Info"`, "--sheet.", "the sheets are Info, Data"}},
		{"vehicle", "i14-second.xlsx", "--sheet Data", []string{vehicle("20")}, nil},
		{"vehicle", "i14-second.xlsx", "--sheet Dat", nil, []string{`no sheet "Dat"; it has Info, Data`}},
		{"vehicle", "i15-hidden.xlsx", "", []string{vehicle("21")}, nil},
		{"vehicle", "i15-hidden.xlsx", "--sheet Lists",
			[]string{`{"plateNumber":"HIDDEN","vin":"WVWZZZ1JZXW0000ZZ"}`}, nil},
		{"vehicle", "i16-title.xlsx", "", nil, []string{"row 1: ", "say --header-row", "Fleet list 2026"}},
		{"vehicle", "i16-title.xlsx", "--header-row 3", []string{vehicle("22")}, nil},
		{"vehicle", "i16-title.xlsx", "--header-row 2", nil, []string{"row 2, where --header-row says"}},
		{"vehicle", "i16-title.xlsx", "--header-row 9", nil, []string{"no row 9"}},
		{"vehicle", "i17-formula.xlsx", "", []string{vehicle("23")}, []string{
			"Cells that are formulas, taken by their stored values: 1.",
			"row 3 cannot be read: plateNumber, A3: is a formula without a stored value"}},
		{"vehicle", "i18-hiddenrow.xlsx", "", nil, []string{"are hidden or filtered (1: row 3);", "--hidden-rows"}},
		{"vehicle", "i18-hiddenrow.xlsx", "--dry-run", nil, []string{"hidden or filtered (1: row 3);"}},
		{"vehicle", "i18-hiddenrow.xlsx", "--hidden-rows read", []string{vehicle("25"), vehicle("26")},
			[]string{"Read, although hidden: row 3."}},
		{"vehicle", "i18-hiddenrow.xlsx", "--hidden-rows skip", []string{vehicle("25")},
			[]string{"Left out, because hidden: row 3."}},
		{"receipt", "r32b-filtered.xlsx", "--extensions", nil, []string{"hidden or filtered (1: row 3);"}},
		{"property", "i35-noise.xlsx", "", []string{
			`{"address":{"postalCode":"N1"},"sumInsuredBuilding":100}`,
			`{"address":{"postalCode":"N2"},"sumInsuredBuilding":100}`,
			`{"address":{"postalCode":"N3"},"sumInsuredBuilding":1000}`,
			`{"address":{"postalCode":"N4"},"sumInsuredBuilding":250000.4}`}, nil},
		{"vehicle", "i39-rephead.xlsx", "", []string{
			`{"plateNumber":"A 3","vin":"WVWZZZ1JZXW000039"}`, `{"plateNumber":"A 4","vin":"WVWZZZ1JZXW000040"}`},
			[]string{"Left out, because the header is repeated there: row 3."}},
		{"property", "i40-250000.csv", "", nil, []string{
			"line 2 cannot be read: sumInsuredBuilding, B2: \"\"250.000\"\" can be 250000, or 250 with digits behind",
			"line 3 cannot be read: ", "sumInsuredContent, C3: \"\"10.000\"\" can be 10000", "--decimal comma or"}},
		{"property", "i40-250000.csv", "--decimal comma", []string{
			`{"address":{"postalCode":"K1"},"sumInsuredBuilding":250000,"sumInsuredContent":1500000}`,
			`{"address":{"postalCode":"K2"},"sumInsuredBuilding":250000,"sumInsuredContent":10000}`}, nil},
		{"driver", "ej-UTC.xlsx", "", []string{`{"dob":"1980-01-15","name":"exceljs UTC"}`}, nil},
		{"driver", "ej-Europe-Berlin.xlsx", "", nil, []string{"dob, B2: has the time of day 23:00:00, and"}},
		{"driver", "ej-Asia-Shanghai.xlsx", "", nil, []string{"dob, B2: has the time of day 16:00:00"}},
		{"driver", "ej-America-New_York.xlsx", "", nil, []string{"dob, B2: has the time of day 05:00:00"}},
		{"vehicle", "c14-encrypted.xlsx", "", nil, []string{"has a password"}},
	} {
		importOf(t, nil, c.resource, filepath.Join("testdata", c.file), strings.Fields(c.flags)...).
			check(t, c.file+" "+c.flags, c.sent, c.words...)
	}
}

// TestTextsAsTheyCome imports CSV as others have sent it, and what is no table.
func TestTextsAsTheyCome(t *testing.T) {
	t.Parallel()
	one, two := `{"plateNumber":"EX 1"}`, `{"plateNumber":"EX 2"}`
	for _, c := range []struct {
		name, text, flags string
		sent, words       []string
	}{
		{"cr.csv", "plateNumber\rEX 1\rEX 2\r", "", []string{one, two}, nil},
		{"more.csv", "plateNumber,model\nEX 1,\nEX 2,,\nEX 3,250,000.00\n", "--extensions", []string{one, two},
			[]string{"line 4 cannot be read: C4: the column has no name", ",EX 3,250,000.00\n"}},
		{"headless.csv", "plateNumber,,\nEX 1,,\nEX 2,x,\n", "", []string{one}, []string{"B3: the column has no name"}},
		{"again.csv", "plateNumber;vin\nEX 1;\nplateNumber;vin;\nEX 2;\n", "", []string{one, two},
			[]string{"Left out, because the header is repeated there: row 3."}},
		{"title.csv", "\"Fleet,\nof Alder\"\n\nvin;plateNumber\n;EX 1\n", "--header-row 3", []string{one}, nil},
		{"title.csv", "Fleet of Alder\nvin;plateNumber\n;EX 1\n", "", nil, []string{"line 1: ", "say --header-row"}},
		{"bad.csv", "plateNumber\nEX 1\"\"x\n", "", nil, []string{"The file is not CSV: line 2, column 5"}},
		{"excel.csv", "sep=;\nplateNumber;vin\nEX 1;\n", "", nil, []string{"say --header-row 2"}},
		{"excel.csv", "sep=;\nplateNumber;vin\nEX 1;\n", "--header-row 2", []string{one}, nil},
		{"book.csv", "PK\x03\x04", "", nil, []string{"The file is a workbook (XLSX)"}},
		{"printed.csv", "%PDF-1.7\n", "", nil, []string{"The file is a PDF."}},
		{"page.xls", "<html><table><tr><td>plateNumber</td></tr></table>", "", nil, []string{"is a page of HTML"}},
		{"old.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600) +
			"W\x00o\x00r\x00k\x00b\x00o\x00o\x00k\x00\x00\x00", "", nil, []string{"is an older workbook (XLS)"}},
		{"text.xlsx", "plateNumber\nEX 1\n", "", nil, []string{"CSV has the format csv."}},
		{"a.csv", "plateNumber\nEX 1\n", "--sheet Data", nil, []string{"for workbooks"}},
		{"a.ndjson", "{}", "--header-row 2", nil, []string{"for tables"}},
		{"a.csv", "plateNumber\nEX 1\n", "--header-row -1", nil, []string{"1 or more"}},
		{"a.csv", "plateNumber\nEX 1\n", "", []string{one}, nil},
	} {
		importOf(t, nil, "vehicle", written(t, c.name, c.text), strings.Fields(c.flags)...).
			check(t, fmt.Sprintf("%s %.20q %s", c.name, c.text, c.flags), c.sent, c.words...)
	}
}

// TestRejectedRowsHaveTheirEncoding imports UTF-16, which is found by its byte order mark, and then what was refused.
func TestRejectedRowsHaveTheirEncoding(t *testing.T) {
	t.Parallel()
	both := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	text, err := both.NewEncoder().String("plateNumber;vin\r\nÄ 1;\r\nÖ 2;V;x\r\n")
	if err != nil {
		t.Fatal(err)
	}
	first := importOf(t, nil, "vehicle", written(t, "wide.csv", text))
	first.check(t, "UTF-16", []string{`{"plateNumber":"Ä 1"}`})
	rejected, err := os.ReadFile(first.rejected)
	if err != nil {
		t.Fatal(err)
	}
	if rejected, err = both.NewDecoder().Bytes(rejected); err != nil ||
		!strings.HasSuffix(string(rejected), " two cells;Ö 2;V;x\r\n") {
		t.Errorf("the rejected rows are %q, %v", rejected, err)
	}
	importOf(t, nil, "vehicle", first.rejected).check(t, "UTF-16 again", nil, "1 records were refused")
}

// workbook writes a workbook with a sheet of some rows, each cell with the format of its value, and returns its name.
func workbook(t *testing.T, rows ...[]styledCell) string {
	t.Helper()
	book := excelize.NewFile()
	for y, row := range rows {
		for x, cell := range row {
			format := cmp.Or(cell.format, "General")
			style, err := book.NewStyle(&excelize.Style{CustomNumFmt: &format})
			if err != nil {
				t.Fatal(err)
			}
			place, err := excelize.CoordinatesToCellName(x+1, y+1)
			if err != nil {
				t.Fatal(err)
			}
			if err := book.SetCellValue("Sheet1", place, cell.value); err != nil {
				t.Fatal(err)
			}
			if err := book.SetCellStyle("Sheet1", place, place, style); err != nil {
				t.Fatal(err)
			}
		}
	}
	name := filepath.Join(t.TempDir(), "made.xlsx")
	if err := book.SaveAs(name); err != nil {
		t.Fatal(err)
	}
	return name
}

type styledCell struct {
	value  any
	format string
}

// TestCellsAsTheyAreShown imports cells of workbooks by their formats. What cannot be taken is refused with its cell,
// and again where the file of rejected records is imported before it is mended.
func TestCellsAsTheyAreShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		resource, column string
		cell             styledCell
		want             string // the record, or why there is none
	}{
		{"personal", "address.postalCode", styledCell{1234, "00000"}, `{"address":{"postalCode":"01234"}}`},
		{"personal", "address.postalCode", styledCell{1234, "0"}, `{"address":{"postalCode":"1234"}}`},
		{"personal", "idNumber", styledCell{123456789012.0, ""}, "A2: is a number that is shown with an exponent"},
		{"personal", "idNumber", styledCell{12.0, "0.00E+00"}, "A2: is a number that is shown with an exponent"},
		{"personal", "idNumber", styledCell{46037.0, "dd/mm/yyyy"}, "A2: is a date, and no text"},
		{"personal", "idNumber", styledCell{46037.25, "dd/mm/yyyy"}, "A2: is a date, and no text"},
		{"driver", "driverDOB", styledCell{46037.0, "mmm-yy"}, `{"driverDOB":"2026-01-15"}`},
		{"driver", "driverDOB", styledCell{46036.99999, "dd/mm/yyyy"}, `{"driverDOB":"2026-01-15"}`},
		{"driver", "driverDOB", styledCell{46036.99, "dd/mm/yyyy"}, "A2: has the time of day 23:45:36"},
		{"driver", "driverDOB", styledCell{46037.0, ""}, "A2: is a number, and not formatted as a date"},
		{"driver", "driverDOB", styledCell{0.0, "dd/mm/yyyy"}, "A2: is shown as a date, and its number 0"},
		{"driver", "driverDOB", styledCell{1.0, "dd/mm/yyyy"}, "A2: is shown as a date, and its number 1"},
		{"driver", "driverDOB", styledCell{60.0, "dd/mm/yyyy"}, "A2: is shown as a date, and its number 60"},
		{"driver", "driverDOB", styledCell{0.25, "hh:mm"}, "A2: is a time without a day"},
		{"claim", "lossDate", styledCell{46037.0, "dd/mm/yyyy"}, `{"lossDate":"2026-01-15T00:00:00Z"}`},
		{"claim", "lossDate", styledCell{46037.5, "dd/mm/yyyy"}, `{"lossDate":"2026-01-15T12:00:00Z"}`},
		{"claim", "reserve", styledCell{46037.0, "dd/mm/yyyy"}, "A2: is a date, and no number"},
		{"claim", "reserve", styledCell{12345678901234567.0, "0"}, "A2: is a number of more than 15 digits"},
		{"claim", "reserve", styledCell{1.234, ""}, `{"reserve":1.234}`},
		{"claim", "reserve", styledCell{"1.234", ""}, "make the cell a number"},
		{"claim", "reserve", styledCell{33.0 / 100, ""}, `{"reserve":0.33}`},
		{"driver", "isPrimaryDriver", styledCell{true, ""}, `{"isPrimaryDriver":true}`},
		{"driver", "isPrimaryDriver", styledCell{0, ""}, `{"isPrimaryDriver":false}`},
		{"driver", "branch", styledCell{12, "0000"}, `{"branch":"0012"}`},
		{"driver", "branch", styledCell{12.5, ""}, `{"branch":12.5}`},
		{"driver", "branch", styledCell{1.5e-7, "0.0E+00"}, `{"branch":0.00000015}`},
		{"driver", "branch", styledCell{46037.5, "dd/mm/yyyy"}, `{"branch":"2026-01-15T12:00:00Z"}`},
	} {
		name := fmt.Sprint(c)
		file := workbook(t, []styledCell{{c.column, ""}}, []styledCell{c.cell})
		if strings.HasPrefix(c.want, "{") {
			importOf(t, nil, c.resource, file, "--extensions").check(t, name, []string{c.want})
			continue
		}
		first := importOf(t, nil, c.resource, file, "--extensions")
		first.check(t, name, nil, "row 2 cannot be read: ", c.want)
		importOf(t, nil, c.resource, first.rejected, "--extensions").
			check(t, name+", not mended", nil, "row 2 cannot be read: ")
	}
	file := workbook(t, []styledCell{{"plateNumber", ""}, {"vin", ""}}, []styledCell{{"EX 1", ""}},
		[]styledCell{{"EX 2", ""}, {"V", ""}, {"x", ""}})
	want := []string{`{"plateNumber":"EX 1"}`}
	importOf(t, nil, "vehicle", file).check(t, "one cell more", want, "C3: the column has no name")
	from, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	importOf(t, io.MultiReader(from), "vehicle", "-", "--format", "xlsx").check(t, "through a pipe", want)
}

// TestErrorsStayRefused imports a formula without a stored value and an error, and then what was refused, not mended.
func TestErrorsStayRefused(t *testing.T) {
	t.Parallel()
	from, err := zip.OpenReader(filepath.Join("testdata", "i17-formula.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var file strings.Builder
	to := zip.NewWriter(&file)
	for _, part := range from.File {
		text, err := fs.ReadFile(from, part.Name)
		if err != nil {
			t.Fatal(err)
		}
		written, err := to.Create(part.Name)
		if err == nil {
			_, err = io.WriteString(written, strings.Replace(string(text),
				`<c r="A2" t="str"><f>&quot;EX &quot;&amp;23</f><v>EX 23</v></c>`,
				`<c r="A2" t="e"><v>#N/A</v></c>`, 1))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	first := importOf(t, nil, "vehicle", written(t, "errors.xlsx", file.String()))
	first.check(t, "errors", nil, `plateNumber, A2: has the error "#N/A"`, "plateNumber, A3: is a formula without")
	importOf(t, nil, "vehicle", first.rejected).check(t, "not mended", nil, "plateNumber, B2: is a formula without",
		"plateNumber, B3: is a formula without")
}

// TestWorkbooksComeBack exports records as workbooks and CSV, and imports them: they are as before.
func TestWorkbooksComeBack(t *testing.T) {
	t.Parallel()
	sent := []string{
		`{"description":"  ","lossDate":"2026-01-02T03:04:05.123Z","reserve":7}`,
		`{"description":"_x0041_ and _x000D_","lossDate":"2026-12-31T23:59:59Z"}`,
		`{"description":"a\r\nb","lossDate":"2026-12-31T23:59:59.999Z"}`,
		`{"description":"=1+1","lossDate":"2026-01-01T00:00:00.5Z"}`,
		`{"description":"0123","lossDate":"2026-01-01T00:00:01Z"}`,
	}
	for _, ending := range []string{".xlsx", ".csv"} {
		file := filepath.Join(t.TempDir(), "out"+ending)
		if _, said := call(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "[%s]", strings.Join(sent, ","))
		}, "export", "claim", "--out", file); !strings.Contains(said, "5 records exported") {
			t.Fatal(said)
		}
		importOf(t, nil, "claim", file).check(t, ending, sent)
	}
}

// TestDaysForInstants has a day refused where an instant must be, with the flag that takes it.
func TestDaysForInstants(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"i62-pol.csv", "i62b-pol.csv"} {
		file := filepath.Join("testdata", name)
		importOf(t, nil, "cyberLiabilityCoverage", file, "--dry-run").
			check(t, name, nil, "/inceptionDate", "import reads it with --date-order ymd")
		got := importOf(t, nil, "cyberLiabilityCoverage", file, "--date-order", "ymd")
		if len(got.sent) == 0 || !strings.Contains(got.sent[0], `"inceptionDate":"2026-01-01T00:00:00Z"`) {
			t.Errorf("%s: sent %q; %s", name, got.sent, got.said)
		}
	}
}
