package client_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

func TestUnknownColumns(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.write(t, "pets.csv", "petNme,petKind,colour\nRex,cat,red\n")
	s.run(t, "import", "pet", "pets.csv").want(t, 2, `column 1, "petNme" (did you mean petName`, `column 3, "colour"`,
		"--extensions")
	s.write(t, "none.csv", "Rex,cat\nTom,cat\n")
	s.run(t, "import", "pet", "none.csv").want(t, 1, "has not one column", "--header-row")
	if n := len(s.run(t, "list", "pet").want(t, 0).lines()); n != 0 {
		t.Errorf("%d pets were created", n)
	}
	s.write(t, "pets.csv", "petName,petKind,colour\nRex,cat,red\n")
	s.run(t, "import", "pet", "pets.csv", "--extensions").want(t, 0, "1 created")
	s.run(t, "list", "pet").want(t, 0, `"colour":"red"`)
}

// TestDelimiters imports files with several delimiters. The client finds the delimiter in the header, or takes it
// from the flag, and writes rejected rows with the same one.
func TestDelimiters(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for name, c := range map[string]struct {
		delimiter string
		args      []string
	}{"comma": {",", nil}, "semicolon": {";", nil}, "tab": {"\t", nil}, "given": {
		";", []string{"--delimiter", "semicolon"},
	}} {
		s.write(t, name+".csv",
			strings.ReplaceAll("petName|petKind|age\n\"Rex, of; the\thill\"|cat|3\nTom|cat|old\n", "|", c.delimiter))
		s.run(t, append([]string{"import", "pet", name + ".csv", "--batch", name}, c.args...)...).
			want(t, 1, "1 created, 0 already there, 1 refused")
		want := strings.Join([]string{"", "Tom", "cat", "old\n"}, c.delimiter)
		if rejected := s.read(t, name+".rejected.csv"); !strings.HasSuffix(rejected, want) ||
			!strings.Contains(rejected, "age, C3: is no amount") {
			t.Errorf("%s: rejected is %q, want the end %q", name, rejected, want)
		}
	}
	if n := strings.Count(s.run(t, "list", "pet").want(t, 0).stdout, `"Rex, of; the\thill"`); n != 4 {
		t.Errorf("there are %d pets of the name, want 4", n)
	}
	s.run(t, "import", "pet", "comma.csv", "--delimiter", "pipe").want(t, 2, "comma, semicolon or tab")
}

// TestDryRun tries an import without creating records. It reports what the document does not allow, with the allowed
// values, and has the exchange check claims.
func TestDryRun(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.write(t, "pets.csv", "petName,petKind,age\nRex,cat,3\nTom,unicorn,3\nTim,cat,old\n")
	s.run(t, "import", "pet", "pets.csv", "--dry-run").want(t, 1, "3 records: 1 fit, 2 do not",
		"Nothing was created", "is not checked")
	for _, words := range []string{"/petKind ", "allowed: cat, dog", "age, C4: is no amount"} {
		if rejected := strings.ReplaceAll(s.read(t, "pets.rejected.csv"), `""`,
			`"`); !strings.Contains(rejected, words) {
			t.Errorf("rejected lacks %q: %s", words, rejected)
		}
	}
	s.write(t, "people.ndjson", "{\"firstName\":\"Ada\"}\n")
	s.run(t, "import", "personal", "people.ndjson", "--dry-run").want(t, 1)
	if rejected := s.read(t, "people.rejected.ndjson"); !strings.Contains(rejected, "required") ||
		!strings.Contains(rejected, "idNumber") {
		t.Errorf("rejected: %s", rejected)
	}
	s.write(t, "claims.ndjson", `{"policyNumber":"none","lossDate":"2026-01-01T00:00:00Z","claimType":"other"}`)
	s.run(t, "import", "claim", "claims.ndjson", "--dry-run").want(t, 1, "tried by the exchange")
	if rejected := s.read(t, "claims.rejected.ndjson"); !strings.Contains(rejected, "policy not found") {
		t.Errorf("rejected: %s", rejected)
	}
	for _, resource := range []string{"pet", "personal", "claim"} {
		if n := len(s.run(t, "list", resource).want(t, 0).lines()); n != 0 {
			t.Errorf("%d %s were created", n, resource)
		}
	}
}

// TestFormulas exports texts that a spreadsheet would take for formulas. No text becomes one, and an import reads
// each text as it was. Numbers stay numbers.
func TestFormulas(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	const properties = `{"latitude":"-33.86","longitude":"=HYPERLINK(\"http://x\")","sumInsuredBuilding":-5}
{"latitude":"'=1+1","longitude":"@x","address":{"city":"+44 20","state":"'quoted'","building":"\tx"}}
`
	s.pipe(t, properties, "import", "property", "-", "--format", "ndjson", "--concurrency", "1").want(t, 0, "2 created")
	s.run(t, "export", "property", "--out", "properties.csv").want(t, 0)
	text := s.read(t, "properties.csv")
	for _, cell := range []string{`,-33.86,`, `"'=HYPERLINK(`, `,-5,`, `,''=1+1,`, `,'@x,`, `,'+44 20,`,
		`,'quoted',`, `"""\tx"""`} {
		if !strings.Contains(text, cell) {
			t.Errorf("the export lacks %s: %s", cell, text)
		}
	}
	s.run(t, "import", "property", "properties.csv").want(t, 0, "2 created")
	comesBack(t, s.run(t, "list", "property").want(t, 0).lines())
}

// TestWorkbookRoundTrip imports an exported workbook: dates stay dates, and rejected rows are written as a workbook.
func TestWorkbookRoundTrip(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	const drivers = `{"name":"=Ada","driverDOB":"1990-12-10","licence":{"licenceNumber":"007","expiryDate":"2040-01-01"},"isPrimaryDriver":true}
{"name":"42","isPrimaryDriver":false,"convictions":[{"points":3}],"score":12.5,"tag":"12","tame":true}
{"name":"old","driverDOB":"1850-02-03"}
`
	s.pipe(t, drivers, "import", "driver", "-", "--format", "ndjson", "--concurrency", "1").want(t, 0, "3 created")
	s.run(t, "export", "driver", "--out", "drivers.xlsx").want(t, 0)
	s.run(t, "import", "driver", "drivers.xlsx", "--extensions").want(t, 0, "3 created")
	comesBack(t, s.run(t, "list", "driver").want(t, 0).lines())

	s.write(t, "pets.csv", "petName,petKind,age\nRex,cat,3\n")
	book, err := excelize.OpenFile(s.path("drivers.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	for cell, value := range map[string]any{"C2": "Zoe", "D3": "yesterday"} {
		if err := book.SetCellValue("driver", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.SaveAs(s.path("changed.xlsx")); err != nil {
		t.Fatal(err)
	}
	s.run(t, "import", "driver", "changed.xlsx", "--extensions").want(t, 1, "1 created, 1 already there, 1 refused")
	rejected, err := excelize.OpenFile(s.path("changed.rejected.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer rejected.Close()
	why, err := rejected.GetCellValue("driver", "A2")
	if err != nil || !strings.Contains(why, "driverDOB, D3") {
		t.Errorf("the reason is %q (%v)", why, err)
	}
	if err := rejected.SetCellValue("driver", "E2", "1991-01-01"); err != nil {
		t.Fatal(err)
	}
	if err := rejected.Save(); err != nil {
		t.Fatal(err)
	}
	s.run(t, "import", "driver", "changed.rejected.xlsx", "--extensions").want(t, 0, "1 records: 1 created")
}

// TestRejectedLines imports lines that are no records. They are in the file of rejected records, and can be imported
// once they are corrected.
func TestRejectedLines(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.write(t, "pets.ndjson", "{\"petName\":\"Rex\"}\nnot json\n{\"petName\":7}\n")
	s.run(t, "import", "pet", "pets.ndjson").want(t, 1, "1 created, 0 already there, 2 refused",
		"exchange import pet pets.rejected.ndjson")
	mended := strings.NewReplacer(`"not json"`, `"{\"petName\":\"Tom\"}"`, `"petName":7`, `"petName":"Tim"`).
		Replace(s.read(t, "pets.rejected.ndjson"))
	s.write(t, "pets.rejected.ndjson", mended)
	s.run(t, "import", "pet", "pets.rejected.ndjson").want(t, 0, "2 created")
	all := s.run(t, "list", "pet").want(t, 0).stdout
	for _, name := range []string{"Rex", "Tom", "Tim"} {
		if !strings.Contains(all, `"petName":"`+name+`"`) {
			t.Errorf("%s is not there: %s", name, all)
		}
	}
	if strings.Contains(all, "rejected") {
		t.Errorf("a reason was sent: %s", all)
	}
	if _, err := os.Stat(s.path("pets.rejected-2.ndjson")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of rejected records was made without any: %v", err)
	}
}

// TestTablesFit writes tables to a pipe. They are no wider than 120 columns, unless the columns were asked for, and
// what was left out is named.
func TestTablesFit(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "14").want(t, 0)
	for _, resource := range []string{"motorCoverage", "claim", "personal", "receipt", "premiumBordereau"} {
		listed := s.run(t, "list", resource, "-o", "table").want(t, 0, "Not shown for want of room: ")
		lines := strings.Split(strings.TrimSpace(listed.stdout), "\n")
		if len(lines) < 3 {
			t.Errorf("the table of %s has %d lines", resource, len(lines))
		}
		for _, line := range lines {
			if width := utf8.RuneCountInString(line); width > 120 {
				t.Errorf("a line about %s has %d columns: %s", resource, width, line)
			}
		}
	}
	s.run(t, "list", "motorCoverage", "-o", "table", "--columns",
		"id,policyNumber,policyholderId,inceptionDate,expiryDate,status,grossWrittenPremium").
		want(t, 0, "grossWrittenPremium")
}
