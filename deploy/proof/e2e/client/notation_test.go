package client_test

import (
	"archive/zip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestFilesOfEurope imports a file as a German spreadsheet writes it: windows-1252, days with dots, decimal commas.
// What the flags declare is shown in a dry run, what does not fit is refused with its cell, and the rejected rows are
// written as the input was, so that the hint can be pasted once they are mended.
func TestFilesOfEurope(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.write(t, "risks.csv", "lossDay;treatyReference;fnol;GrosslLossReserve\r\n"+
		"-;M\xfcller;03.04.2026;1.234,50\r\n-;B\xe4r;04.04.2026 10:30;1,5\r\n"+
		"-;Falsch;2026/04/05;7\r\n-;Falsch;05.04.2026;1.5\r\n")
	flags := []string{"--extensions", "--date-order", "dmy", "--decimal", "comma", "--encoding", "windows-1252"}
	with := func(file string, more ...string) result {
		command := []string{"import", "claimsBordereau", file}
		return s.run(t, slices.Concat(command, flags, more)...)
	}
	with("risks.csv", "--dry-run").want(t, 1, "2 fit, 2 do not",
		`"03.04.2026" is "2026-04-03T00:00:00Z"`, `"1.234,50" is 1234.50`)
	refused := with("risks.csv").want(t, 1, "2 created", "2 refused", "--date-order dmy --decimal comma")
	got := s.run(t, "list", "claimsBordereau", "-o", "json").want(t, 0).lines()
	slices.SortFunc(got, func(a, b string) int { return strings.Compare(withoutID(t, b), withoutID(t, a)) })
	for i, want := range []string{
		`"treatyReference":"Müller","fnol":"2026-04-03T00:00:00Z","GrosslLossReserve":1234.50`,
		`"treatyReference":"Bär","fnol":"2026-04-04T10:30:00Z","GrosslLossReserve":1.5`,
	} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("the records are %s, want %s", got, want)
		}
	}
	rejected := s.read(t, "risks.rejected.csv")
	for _, want := range []string{
		`has no year of four digits`, `is no amount as the profile declares it`, "2026/04/05", ";1.5\r\n",
	} {
		if !strings.Contains(rejected, want) {
			t.Errorf("the rejected rows lack %q:\n%s", want, rejected)
		}
	}
	s.write(t, "risks.rejected.csv",
		strings.NewReplacer("2026/04/05", "05.04.2026", ";1.5", ";1,5", "Falsch", "\xc4hnlich").Replace(rejected))
	_, hint, _ := strings.Cut(refused.stderr, "and then: ")
	s.shell(t, strings.TrimSpace(hint)).want(t, 0, "2 created")
	s.run(t, "list", "claimsBordereau", "--filter", "treatyReference=Ähnlich", "-o", "json").want(t, 0, "2026-04-05")

	with("risks.csv", "--encoding", "klingon").want(t, 2, "windows-1252")
	with("risks.csv", "--date-order", "dym").want(t, 2, "ymd, dmy or mdy")
	with("risks.csv", "--format", "ndjson").want(t, 2, "for tables")
	s.run(t, "import", "claimsBordereau", "risks.csv", "--extensions", "--rejected", "r.csv").
		want(t, 1, "0 created")
	if r := s.read(t, "r.csv"); !strings.Contains(r, "--encoding says") {
		t.Errorf("the reason does not name --encoding: %s", r)
	}

	s.run(t, "export", "claimsBordereau", "--bom", "--out", "marked.csv").want(t, 0)
	if !strings.HasPrefix(s.read(t, "marked.csv"), "\ufeffid,") {
		t.Error("the export does not begin with a byte order mark")
	}
	s.run(t, "export", "claimsBordereau", "--bom", "--out", "marked.xlsx").want(t, 2, "for csv")
}

// TestWorkbookThatUnpacks imports a workbook that is small and unpacks to more than is read. It is refused with the
// bound before it takes memory.
func TestWorkbookThatUnpacks(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	book := excelize.NewFile()
	if err := book.SaveAs(s.path("small.xlsx")); err != nil {
		t.Fatal(err)
	}
	small, err := zip.OpenReader(s.path("small.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	file, err := os.Create(s.path("bomb.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	bomb := zip.NewWriter(file)
	const rows = "xl/worksheets/sheet1.xml"
	for _, part := range small.File {
		if part.Name == rows {
			continue
		}
		if err := bomb.Copy(part); err != nil {
			t.Fatal(err)
		}
	}
	w, err := bomb.Create(rows)
	if err != nil {
		t.Fatal(err)
	}
	blanks := make([]byte, 1<<20)
	for range 300 {
		if _, err := w.Write(blanks); err != nil {
			t.Fatal(err)
		}
	}
	if err := bomb.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	s.run(t, "import", "vehicle", "bomb.xlsx").want(t, 1, "unpacks to more than it may: 256 MiB", "CSV")
}
