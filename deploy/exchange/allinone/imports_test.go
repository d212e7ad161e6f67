package allinone

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"

	"insurance.example/exchange/deploy/exchange/client"
)

// importing imports files at an exchange.
type importing struct {
	*member
	count int
}

func newImporting(t *testing.T, settings ...string) *importing {
	t.Helper()
	s, _ := runOn(t, t.TempDir(), settings...)
	return &importing{member: s.as("")}
}

// importResult is what an import has done: the records that it made, in the order of the file and without their ids,
// what it said, and the file of refused rows.
type importResult struct {
	made      []string
	out, said string
	status    int
	rejected  string
}

// command runs a command of the client.
func (i *importing) command(in io.Reader, args ...string) (out, said string, status int) {
	i.t.Helper()
	var printed, told strings.Builder
	for _, command := range client.Commands(client.Surroundings{
		Environ: []string{"EXCHANGE_URL=" + i.base, "EXCHANGE_TOKEN=" + i.token}, In: in, Out: &printed, Err: &told,
	}) {
		if command.Name() == args[0] {
			command.SilenceErrors, command.SilenceUsage = true, true
			command.SetArgs(args[1:])
			status = client.Report(&told, command.ExecuteContext(i.t.Context()))
		}
	}
	return printed.String(), told.String(), status
}

// of imports a file, in a batch of its own unless the flags name one.
func (i *importing) of(in io.Reader, resource, file string, flags ...string) (r importResult) {
	i.t.Helper()
	i.count++
	r.rejected = filepath.Join(i.t.TempDir(), "rejected"+filepath.Ext(file))
	args := []string{"import", resource, file, "--rejected", r.rejected, "--batch", fmt.Sprint(i.count)}
	r.out, r.said, r.status = i.command(in, append(args, flags...)...)
	for line := range strings.Lines(r.out) {
		parts := strings.Split(line, "\t")
		if len(parts) < 2 {
			continue
		}
		record := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(i.want(200, "GET", "/"+resource+"/"+strings.TrimSpace(parts[1]), "").body),
			&record); err != nil {
			i.t.Fatal(err)
		}
		delete(record, "id")
		text, err := json.Marshal(record)
		if err != nil {
			i.t.Fatal(err)
		}
		r.made = append(r.made, string(text))
	}
	return r
}

// check compares what an import has made with what it must have made, and looks for words in what it said and in the
// file of refused rows.
func (i importResult) check(t *testing.T, name string, made []string, words ...string) {
	t.Helper()
	if !slices.Equal(i.made, made) {
		t.Errorf("%s: made\n%s\nwant\n%s\nit says %s", name, strings.Join(i.made, "\n"), strings.Join(made, "\n"),
			i.said)
	}
	all := i.said + tableText(i.rejected)
	for _, word := range words {
		if !strings.Contains(all, word) {
			t.Errorf("%s: it lacks %q:\n%s", name, word, all)
		}
	}
}

// tableText returns the text of a table; empty for a file that is not there.
func tableText(path string) string {
	if book, err := excelize.OpenFile(path); err == nil {
		rows, err := book.GetRows(book.GetSheetName(0))
		return fmt.Sprint(rows, err, book.Close())
	}
	text, _ := os.ReadFile(path)
	return string(text)
}

// TestFilesAsTheyCome imports files as others have sent them.
func TestFilesAsTheyCome(t *testing.T) {
	i := newImporting(t)
	vehicle := func(plate string) string {
		return fmt.Sprintf(`{"plateNumber":"EX %s","vin":"WVWZZZ1JZXW0000%[1]s"}`, plate)
	}
	for _, c := range []struct {
		resource, file, flags string
		made, words           []string
	}{
		{"vehicle", "i14-second.xlsx", "", nil, []string{"Row 1 has not one column", "--sheet says",
			"The sheets are Info, Data"}},
		{"vehicle", "i14-second.xlsx", "--sheet Data", []string{vehicle("20")}, nil},
		{"vehicle", "i14-second.xlsx", "--sheet Dat", nil, []string{`no sheet "Dat"; it has Info, Data`}},
		{"vehicle", "i15-hidden.xlsx", "", []string{vehicle("21")}, nil},
		{"vehicle", "i15-hidden.xlsx", "--sheet Lists",
			[]string{`{"plateNumber":"HIDDEN","vin":"WVWZZZ1JZXW0000ZZ"}`}, nil},
		{"vehicle", "i16-title.xlsx", "", nil, []string{"Row 1 has not one column", "--header-row which row"}},
		{"vehicle", "i16-title.xlsx", "--header-row 3", []string{vehicle("22")}, nil},
		{"vehicle", "i16-title.xlsx", "--header-row 2", nil, []string{"row 2, where --header-row says"}},
		{"vehicle", "i16-title.xlsx", "--header-row 9", nil, []string{"no row 9"}},
		{"vehicle", "i17-formula.xlsx", "", []string{vehicle("23")}, []string{
			"Cells that are formulas, taken by their stored values: 1.",
			"plateNumber, A3: is a formula without a stored value"}},
		{"vehicle", "i18-hiddenrow.xlsx", "", nil, []string{"1 rows that a spreadsheet hides (3)",
			"--hidden-rows what"}},
		{"vehicle", "i18-hiddenrow.xlsx", "--dry-run", nil, []string{"1 rows that a spreadsheet hides (3)"}},
		{"vehicle", "i18-hiddenrow.xlsx", "--hidden-rows read", []string{vehicle("25"), vehicle("26")},
			[]string{"Rows that were read, although hidden: 3."}},
		{"vehicle", "i18-hiddenrow.xlsx", "--hidden-rows skip", []string{vehicle("25")},
			[]string{"Rows that were left out, because hidden: 3."}},
		{"receipt", "r32b-filtered.xlsx", "--extensions", nil, []string{`not one column "receiptType", "paymentAmount"`}},
		{"property", "i35-noise.xlsx", "", []string{
			`{"address":{"postalCode":"N1"},"sumInsuredBuilding":100}`,
			`{"address":{"postalCode":"N2"},"sumInsuredBuilding":100}`,
			`{"address":{"postalCode":"N3"},"sumInsuredBuilding":1000}`,
		}, []string{"/sumInsuredBuilding must be"}},
		{"vehicle", "i39-rephead.xlsx", "", []string{
			`{"plateNumber":"A 3","vin":"WVWZZZ1JZXW000039"}`, `{"plateNumber":"A 4","vin":"WVWZZZ1JZXW000040"}`},
			[]string{"Rows that were left out, because the header is repeated there: 3."}},
		{"property", "i40-250000.csv", "", nil, []string{
			"sumInsuredBuilding, B2: can be a number with groups of digits", "sumInsuredContent, C3: can be",
			"--decimal comma or"}},
		{"property", "i40-250000.csv", "--decimal comma", []string{
			`{"address":{"postalCode":"K1"},"sumInsuredBuilding":250000,"sumInsuredContent":1500000}`,
			`{"address":{"postalCode":"K2"},"sumInsuredBuilding":250000,"sumInsuredContent":10000}`}, nil},
		{"driver", "ej-UTC.xlsx", "", []string{`{"driverDOB":"1980-01-15","name":"exceljs UTC"}`}, nil},
		{"driver", "ej-Europe-Berlin.xlsx", "", nil, []string{"dob, B2: has the time of day 23:00:00, and"}},
		{"driver", "ej-Asia-Shanghai.xlsx", "", nil, []string{"dob, B2: has the time of day 16:00:00"}},
		{"driver", "ej-America-New_York.xlsx", "", nil, []string{"dob, B2: has the time of day 05:00:00"}},
		{"vehicle", "c14-encrypted.xlsx", "", nil, []string{"has a password"}},
	} {
		i.of(nil, c.resource, filepath.Join("testdata", "imports", c.file), strings.Fields(c.flags)...).
			check(t, c.file+" "+c.flags, c.made, c.words...)
	}
}

// TestTextsAsTheyCome imports CSV as others have sent it, and what is no table.
func TestTextsAsTheyCome(t *testing.T) {
	i := newImporting(t)
	one, two := `{"plateNumber":"EX 1"}`, `{"plateNumber":"EX 2"}`
	for _, c := range []struct {
		name, text, flags string
		made, words       []string
	}{
		{"cr.csv", "plateNumber\rEX 1\rEX 2\r", "", []string{one, two}, nil},
		{"more.csv", "plateNumber,model\nEX 1,\nEX 2,,\nEX 3,250,000.00\n", "--extensions", []string{one, two},
			[]string{"C, C4: is in a column without a name", ",EX 3,250,000.00\n"}},
		{"headless.csv", "plateNumber,,\nEX 1,,\nEX 2,x,\n", "", []string{one},
			[]string{"B3: is in a column without a name"}},
		{"again.csv", "plateNumber;vin\nEX 1;\nplateNumber;vin;\nEX 2;\n", "", []string{one, two},
			[]string{"Rows that were left out, because the header is repeated there: 3."}},
		{"title.csv", "\"Fleet,\nof Alder\"\n\nvin;plateNumber\n;EX 1\n", "--header-row 3", []string{one}, nil},
		{"title.csv", "Fleet of Alder\nvin;plateNumber\n;EX 1\n", "", nil,
			[]string{"Row 1 has not one column", "--header-row says"}},
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
		i.of(nil, "vehicle", written(t, c.name, c.text), strings.Fields(c.flags)...).
			check(t, fmt.Sprintf("%s %.20q %s", c.name, c.text, c.flags), c.made, c.words...)
	}
}

// TestRejectedRowsHaveTheirEncoding imports UTF-16, which is found by its byte order mark, and then what was refused.
func TestRejectedRowsHaveTheirEncoding(t *testing.T) {
	i := newImporting(t)
	both := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	text, err := both.NewEncoder().String("plateNumber;vin\r\nÄ 1;\r\nÖ 2;V;x\r\n")
	if err != nil {
		t.Fatal(err)
	}
	first := i.of(nil, "vehicle", written(t, "wide.csv", text))
	first.check(t, "UTF-16", []string{`{"plateNumber":"Ä 1"}`})
	rejected, err := os.ReadFile(first.rejected)
	if err != nil {
		t.Fatal(err)
	}
	if rejected, err = both.NewDecoder().Bytes(rejected); err != nil ||
		!strings.HasSuffix(string(rejected), " two cells;Ö 2;V;x\r\n") {
		t.Errorf("the rejected rows are %q, %v", rejected, err)
	}
	i.of(nil, "vehicle", first.rejected).check(t, "UTF-16 again", nil, "1 records were refused")
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
	i := newImporting(t)
	for _, c := range []struct {
		resource, column string
		cell             styledCell
		want             string // the record, or why there is none
	}{
		{"property", "address.postalCode", styledCell{1234, "00000"}, `{"address":{"postalCode":"01234"}}`},
		{"property", "address.postalCode", styledCell{1234, "0"}, `{"address":{"postalCode":"1234"}}`},
		{"vehicle", "plateNumber", styledCell{123456789012.0, ""}, "A2: is a number that is shown with an exponent"},
		{"vehicle", "plateNumber", styledCell{12.0, "0.00E+00"}, "A2: is a number that is shown with an exponent"},
		{"vehicle", "plateNumber", styledCell{46037.0, "dd/mm/yyyy"}, "A2: is a date, and no text"},
		{"vehicle", "plateNumber", styledCell{46037.25, "dd/mm/yyyy"}, "A2: is a date, and no text"},
		{"driver", "driverDOB", styledCell{46037.0, "mmm-yy"}, `{"driverDOB":"2026-01-15"}`},
		{"driver", "driverDOB", styledCell{46036.99999, "dd/mm/yyyy"}, `{"driverDOB":"2026-01-15"}`},
		{"driver", "driverDOB", styledCell{46036.99, "dd/mm/yyyy"}, "A2: has the time of day 23:45:36"},
		{"driver", "driverDOB", styledCell{46037.0, ""}, "A2: is a number, and not formatted as a date"},
		{"driver", "driverDOB", styledCell{0.0, "dd/mm/yyyy"}, "A2: is shown as a date, and its number 0"},
		{"driver", "driverDOB", styledCell{1.0, "dd/mm/yyyy"}, "A2: is shown as a date, and its number 1"},
		{"driver", "driverDOB", styledCell{60.0, "dd/mm/yyyy"}, "A2: is shown as a date, and its number 60"},
		{"driver", "driverDOB", styledCell{0.25, "hh:mm"}, "A2: is a time without a day"},
		{"claimsBordereau", "fnol", styledCell{46037.0, "dd/mm/yyyy"}, `{"fnol":"2026-01-15T00:00:00Z"}`},
		{"claimsBordereau", "fnol", styledCell{46037.5, "dd/mm/yyyy"}, `{"fnol":"2026-01-15T12:00:00Z"}`},
		{"claimsBordereau", "paid", styledCell{46037.0, "dd/mm/yyyy"}, "A2: is a date, and no amount"},
		{"claimsBordereau", "paid", styledCell{12345678901234567.0, "0"}, "A2: is no number of up to 16 digits"},
		{"claimsBordereau", "paid", styledCell{1.234, ""}, `{"paid":1.234}`},
		{"property", "sumInsuredBuilding", styledCell{"1.234", ""}, "make the cell a number"},
		{"claimsBordereau", "paid", styledCell{33.0 / 100, ""}, `{"paid":0.33}`},
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
			i.of(nil, c.resource, file, "--extensions").check(t, name, []string{c.want})
			continue
		}
		first := i.of(nil, c.resource, file, "--extensions")
		first.check(t, name, nil, c.want)
		i.of(nil, c.resource, first.rejected, "--extensions").
			check(t, name+", not mended", nil, "1 records were refused")
	}
	file := workbook(t, []styledCell{{"plateNumber", ""}, {"vin", ""}}, []styledCell{{"EX 1", ""}},
		[]styledCell{{"EX 2", ""}, {"V", ""}, {"x", ""}})
	want := []string{`{"plateNumber":"EX 1"}`}
	i.of(nil, "vehicle", file).check(t, "one cell more", want, "C3: is in a column without a name")
	from, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	i.of(io.MultiReader(from), "vehicle", "-", "--format", "xlsx").check(t, "through a pipe", want)
}

// TestErrorsStayRefused imports a formula without a stored value and an error, and then what was refused, not mended.
func TestErrorsStayRefused(t *testing.T) {
	i := newImporting(t)
	from, err := zip.OpenReader(filepath.Join("testdata", "imports", "i17-formula.xlsx"))
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
	first := i.of(nil, "vehicle", written(t, "errors.xlsx", file.String()))
	first.check(t, "errors", nil, `plateNumber, A2: has the error "#N/A"`, "plateNumber, A3: is a formula without")
	i.of(nil, "vehicle", first.rejected).check(t, "not mended", nil, "plateNumber, B2: is a formula without",
		"plateNumber, B3: is a formula without")
}

// written writes a file of a test, and returns its name.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
