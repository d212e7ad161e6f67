package allinone

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestAnImportSaysWhatItMade imports a table of which a row is refused, mends that row in the file of refused rows, and
// imports that with the command that was printed.
func TestAnImportSaysWhatItMade(t *testing.T) {
	i := newImporting(t)
	fleet := written(t, "fleet.csv", "\xa4;\n"+ // a title
		"\nplateNumber;vin;physical.doors\nEX 0;V0;5\nEX 1;;\n"+
		"'=M\xfc 2;"+strings.Repeat("V", 4001)+";4\n\nEX \xa4;V4;\n")
	args := []string{"--encoding", "iso-8859-15", "--header-row", "3"}
	run := func(file string, flags ...string) (out, said string, status int) {
		return i.command(nil, append([]string{"import", "vehicle", file}, flags...)...)
	}
	rejected := strings.Replace(fleet, ".csv", ".rejected.csv", 1)
	out, said, status := run(fleet, append(args, "--dry-run")...)
	if status != 1 || out != "4 records: 3 fit, 1 do not.\n" {
		t.Errorf("%d: %s%s", status, out, said)
	}
	wantWords(t, said, "Nothing was created", "A  plateNumber", `"V0" is "V0"`, "left out, because empty: 7.",
		"--encoding iso-8859-15 --header-row 3")
	if all := i.list("/vehicle"); len(all) > 0 {
		t.Fatalf("a dry run makes %v", all)
	}
	if all := i.want(200, "GET", "/x/import", "").body; strings.Count(all, `"state":"cancelled"`) != 1 {
		t.Errorf("after a dry run the imports are %s", all)
	}
	out, said, status = run(fleet, args...)
	lines := strings.Split(out, "\n")
	if status != 1 || len(lines) != 5 || lines[3] != "4 records: 3 created, 0 already there, 1 refused." {
		t.Fatalf("%d: %s%s", status, out, said)
	}
	for n, want := range []string{"4\t*\tEX 0", "5\t*\tEX 1", "8\t*\tEX €"} {
		parts := strings.Split(lines[n], "\t")
		i.want(200, "GET", "/vehicle/"+parts[1], "")
		if parts[1] = "*"; strings.Join(parts, "\t") != want {
			t.Errorf("line %d is %s, want %s", n, lines[n], want)
		}
	}
	text, err := os.ReadFile(rejected)
	if err != nil {
		t.Fatal(err)
	}
	if is := string(text); !strings.HasPrefix(is, ";\xa4;\n\nrejectedBecause;plateNumber;vin;physical.doors\n"+
		"vin, B6: has more than 4000 characters;'=M\xfc 2;V") || strings.Count(is, "\n") != 4 {
		t.Errorf("the refused rows are %.300q", is)
	}
	_, command, _ := strings.Cut(said, "exchange import vehicle "+rejected+" ")
	mended := strings.Replace(string(text), strings.Repeat("V", 4001), "V3", 1)
	if err := os.WriteFile(rejected, []byte(mended), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, said, _ := run(rejected, strings.Fields(command)...); !strings.Contains(out, "1 records: 1 created") {
		t.Errorf("%s%s", out, said)
	}
	if list := i.want(200, "GET", "/vehicle", "").body; !strings.Contains(list, `"plateNumber":"=Mü 2","vin":"V3"`) ||
		strings.Contains(list, "rejected") {
		t.Errorf("the vehicles are %s", list)
	}
	// The whole file once more, with the row mended there as well: all of it is there.
	whole := written(t, "fleet.csv", "plateNumber,vin,physical.doors\nEX 1,,\nEX 0,V0,5\n'=Mü 2,V3,4\nEX €,V4,\n")
	if out, said, _ = run(whole); !strings.Contains(out, "0 created, 4 already there") {
		t.Error(out, said)
	}
	wantWords(t, said, "--batch of its own")
	if out, said, _ = run(whole, "--batch", "june"); !strings.Contains(out, "4 created, 0 already there") {
		t.Error(out, said)
	}
}

// TestAFileIsTriedAgain imports a file whose rows name what is not there, and then the same file once it is there. The
// file of refused rows of the first import is gone after the second.
func TestAFileIsTriedAgain(t *testing.T) {
	i := newImporting(t)
	file := written(t, "wordings.csv", "lineOfBusiness,currency,wordingId\n1,EUR,ref:W\n")
	rejected := strings.Replace(file, ".csv", ".rejected.csv", 1)
	out, said, _ := i.command(nil, "import", "product", file)
	if wantWords(t, out+said+tableText(rejected), "1 refused", "/wording names no"); t.Failed() {
		return
	}
	i.want(201, "POST", "/policyWording", `{"name":"Standard","externalReference":"W"}`)
	if out, said, _ := i.command(nil, "import", "product", file); !strings.Contains(out, "1 created") {
		t.Error(out, said)
	}
	if text := tableText(rejected); text != "" {
		t.Errorf("the refused rows of before are %s", text)
	}
}

// TestAnImportSaysWhatWouldHelp imports what is refused because the file writes it in another way, or has a word that
// is no value.
func TestAnImportSaysWhatWouldHelp(t *testing.T) {
	i := newImporting(t)
	for _, c := range []struct{ resource, cells, flags, want string }{
		{"driver", "driverDOB\n03.04.1990\n", "", "--date-order says"},
		{"driver", "dob\n13/11/1990\n", "--date-order mdy", ""},
		{"driver", "dob\nsoon\n", "", "--date-order says"},
		{"pet", "age\n\"1,5\"\n", "", "--decimal comma"},
		{"pet", "age\nmuch\n", "--decimal comma", ""},
		{"pet", "petName\nZo\xeb\n", "", "--encoding says"},
		{"pet", "petKind\nunicorn\n", "", "allowed: cat, dog"},
	} {
		r := i.of(nil, c.resource, written(t, "some.csv", c.cells), strings.Fields(c.flags)...)
		if text := tableText(r.rejected); r.status != 1 || !strings.Contains(text, c.want) ||
			c.want == "" && (text == "" || strings.Contains(text, "--")) {
			t.Errorf("%q %s: the reason is %s; %s", c.cells, c.flags, text, r.said)
		}
	}
}

// TestUnknownColumnsMakeNothing imports a file with columns that nothing names: they are refused with what is near
// them, and the import is cancelled.
func TestUnknownColumnsMakeNothing(t *testing.T) {
	i := newImporting(t)
	file := written(t, "pets.csv", "id,petNme,petKind,colour\nX,Rex,cat,red\n")
	_, said, status := i.command(nil, "import", "pet", file)
	wantWords(t, said, `column 2, "petNme" (did you mean petName`, `column 4, "colour"`, "--extensions")
	if status != 2 {
		t.Errorf("the status is %d", status)
	}
	var all struct{ Imports []struct{ State string } }
	if err := json.Unmarshal([]byte(i.want(200, "GET", "/x/import", "").body), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Imports) != 1 || all.Imports[0].State != "cancelled" || len(i.list("/pet")) > 0 {
		t.Errorf("the imports are %+v", all)
	}
	i.of(nil, "pet", file, "--extensions").check(t, "own members",
		[]string{`{"colour":"red","petKind":"cat","petNme":"Rex"}`})
}

// TestAnImportByAProfile imports files by a profile of the caller's own, whose header is below a title, and by one that
// is shipped. The refused rows can be imported by the profile again.
func TestAnImportByAProfile(t *testing.T) {
	i := newImporting(t)
	i.want(200, "PUT", "/x/reconciliation/profile/fleet", `{"format":"csv","delimiter":";","encoding":"windows-1252",
		"headerRow":0,"findHeader":true,"decimalMark":",","sign":"minus","totals":{"rule":"none"},
		"records":[{"name":"holder","resource":"personal","values":{"idType":"passport","firstName":"A",
			"dob":"1990-01-01","address.city":"Bonn","address.country":"DE"}},
			{"name":"car","resource":"vehicle"}],
		"columns":[{"column":"Name","means":"holder.lastName"},{"column":"Passport","means":"holder.idNumber"},
			{"column":"Kennzeichen","means":"car.plateNumber"},{"column":"VIN","means":"car.vin","optional":true}]}`)
	file := written(t, "fleet.csv", "Flotte\n\nName;Passport;Kennzeichen;VIN\nM\xfcller;1;A 1;\nB\xe4r;2;A 2;V\x812\n")
	out, said, status := i.command(nil, "import", "vehicle", file, "--profile", "fleet")
	rejected := strings.Replace(file, ".csv", ".rejected.csv", 1)
	if status != 1 || !strings.Contains(out, "\tA 1\n2 rows: 1 created, 0 already there, 1 refused.") {
		t.Fatalf("%d: %s%s%s", status, out, said, tableText(rejected))
	}
	text := tableText(rejected)
	if wantWords(t, said, "--profile fleet"); !strings.HasPrefix(text,
		";Flotte\n\nrejectedBecause;Name;Passport;Kennzeichen;VIN\n") {
		t.Errorf("the refused rows are %q", text)
	}
	if err := os.WriteFile(rejected, []byte(strings.Replace(text, "V\x1a2", "V2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, said, _ := i.command(nil, "import", "vehicle", rejected, "--profile", "fleet"); !strings.Contains(out,
		"\tA 2\n1 rows: 1 created") {
		t.Error(out, said, tableText(rejected))
	}
	for _, c := range []struct{ resource, profile, want string }{
		{"pet", "fleet", "none that the profile makes"}, {"pet", "fleets", "There is no profile"},
	} {
		_, said, _ := i.command(nil, "import", c.resource, file, "--profile", c.profile)
		if !strings.Contains(said, c.want) {
			t.Error(said)
		}
	}
	motor := filepath.Join(t.TempDir(), "motor.xlsx")
	template := i.want(200, "GET", "/x/import/template/motor.xlsx", "")
	if err := os.WriteFile(motor, []byte(template.body), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said, status = i.command(nil, "import", "motorCoverage", motor, "--profile", "motor")
	if status != 0 || !strings.Contains(out, "\tPOL-") {
		t.Errorf("%s%s", out, said)
	}
}

// TestASheetByItsNumber imports the second sheet of a workbook by a profile. The file of refused rows is read by the
// same profile, so its rows are on its second sheet.
func TestASheetByItsNumber(t *testing.T) {
	i := newImporting(t)
	i.want(200, "PUT", "/x/reconciliation/profile/second", `{"format":"xlsx","sheetNumber":2,"headerRow":1,
		"decimalMark":".","sign":"minus","totals":{"rule":"none"},"records":[{"name":"car","resource":"vehicle"}],
		"columns":[{"column":"Kennzeichen","means":"car.plateNumber"},{"column":"VIN","means":"car.vin"}]}`)
	file := filepath.Join(t.TempDir(), "two.xlsx")
	book := excelize.NewFile()
	if _, err := book.NewSheet("Cars"); err != nil {
		t.Fatal(err)
	}
	rows := [][]any{{"Kennzeichen", "VIN"}, {"A 1", "V1"}, {"A 2", "V\u00ad2"}}
	for n, row := range rows {
		if err := book.SetSheetRow("Cars", fmt.Sprintf("A%d", n+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.SaveAs(file); err != nil {
		t.Fatal(err)
	}
	out, said, status := i.command(nil, "import", "vehicle", file, "--profile", "second")
	if status != 1 || !strings.Contains(out, "2 rows: 1 created, 0 already there, 1 refused.") {
		t.Fatalf("%d: %s%s", status, out, said)
	}
	rejected := strings.Replace(file, ".xlsx", ".rejected.xlsx", 1)
	book, err := excelize.OpenFile(rejected)
	if err != nil {
		t.Fatal(err)
	}
	if sheets := book.GetSheetList(); !slices.Equal(sheets, []string{"Sheet1", "Cars"}) ||
		book.GetSheetName(book.GetActiveSheetIndex()) != "Cars" {
		t.Errorf("the sheets are %q", sheets)
	}
	if err := book.SetCellValue("Cars", "C2", "V2"); err != nil {
		t.Fatal(err)
	}
	if err := book.Save(); err != nil {
		t.Fatal(err)
	}
	if out, said, _ := i.command(nil, "import", "vehicle", rejected, "--profile", "second"); !strings.Contains(out,
		"\tA 2\n1 rows: 1 created") {
		t.Error(out, said)
	}
}
