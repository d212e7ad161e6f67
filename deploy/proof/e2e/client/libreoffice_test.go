package client_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/sheet"
)

// TestExportsOpenInSpreadsheets exports periods of the seeded year as CSV and as workbooks, and compares the two, cell
// by cell, as LibreOffice and excelize read the workbooks. In the last period, a policyholder has a name that begins
// like a formula, and a receipt is paid back. What LibreOffice reads of the workbooks to fill in is compared as well.
func TestExportsOpenInSpreadsheets(t *testing.T) {
	t.Parallel()
	office, err := trial.Installed("soffice", "workbooks are tested in LibreOffice", "libreoffice-calc-nogui")
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t, "EXCHANGE_TEST_CLOCK=2026-01-05T09:00:00Z")
	s.run(t, "seed", "--size", "7", "--year").want(t, 0)
	c, policy := s.tester(t), s.motorPolicy(t, "=1+1")
	c.Put(t, "/x/contract/SEED1-MOTOR/policy/"+policy, nil).Want(t, 200)
	paid := c.Create(t, "receipt", trial.Record{"policyNumber": policy, "receiptType": "new policy",
		"paymentAmount": 5, "premiumPaymentMethod": "cash"})
	c.Post(t, "/receipt/"+paid.Text("id")+":refund", trial.Record{"receiptType": "other"}).Want(t, 201)
	bordereaux{c}.december(t)
	lines := map[string]int{"SEED1-MOTOR premium 2026-05": 4, "SEED1-MOTOR premium 2026-12": 5,
		"SEED1-PROPERTY claims 2026-08": 1, "SEED1-TRAVEL premium 2026-Q3": 6}
	for period := range lines {
		for _, form := range []string{".csv", ".xlsx"} {
			s.run(t, append(append([]string{"bordereau", "export", "--layout", "crs5.2", "--out", period + form},
				strings.Fields(period)...), "1")...).want(t, 0)
		}
	}
	forms := s.templates(t, c)
	s.convert(t, office)
	for _, name := range forms {
		s.compareTemplate(t, name)
	}
	for period, want := range lines {
		rows, err := csv.NewReader(strings.NewReader(s.read(t, period+".csv"))).ReadAll()
		if err != nil || len(rows) != 1+want {
			t.Fatalf("%s has the rows %q (%v)", period, rows, err)
		}
		columns := columnsOf(t, strings.Fields(period)[1])
		compareCells(t, period+" in LibreOffice", columns, rows, s.inLibreOffice(t, period+"-Lines.csv"))
		compareCells(t, period+" in excelize", columns, rows, inExcelize(t, s.path(period+".xlsx")))
		control := fmt.Sprint(s.inLibreOffice(t, period+"-Control.csv"))
		path := strings.ReplaceAll(period, " ", "/")
		if digest := (bordereaux{c}).period(t, path).Versions[0].Digest; !strings.Contains(control, digest) {
			t.Errorf("%s: the sheet of the sums lacks the digest %s: %s", period, digest, control)
		}
	}
	last := s.read(t, "SEED1-MOTOR premium 2026-12-Lines.csv")
	for _, cell := range []string{"\t\"'=1+1 Lee\"\t", "\t-5\t"} {
		if !strings.Contains(last, cell) {
			t.Errorf("December lacks the cell %q: %s", cell, last)
		}
	}
}

// templates writes the workbook to fill in of each form, and returns the names of the forms.
func (s *shell) templates(t *testing.T, c *trial.Client) (names []string) {
	t.Helper()
	var all intake.ImportTemplates
	if err := json.Unmarshal(c.Get(t, "/x/import/template").Want(t, 200).Body, &all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all.Templates {
		s.write(t, f.Name+".xlsx", string(c.Get(t, f.Workbook, "Accept", "*/*").Want(t, 200).Body))
		names = append(names, f.Name)
	}
	return names
}

// compareTemplate compares the header and the example row of a workbook to fill in with what LibreOffice reads. What is
// no text is a number, a day, or TRUE or FALSE.
func (s *shell) compareTemplate(t *testing.T, name string) {
	t.Helper()
	rows, book := s.inLibreOffice(t, name+"-"+name+".csv"), strings.NewReader(s.read(t, name+".xlsx"))
	if err := sheet.XLSX(book, book.Size(), sheet.Of{}, func(row sheet.Row) error {
		for i, cell := range row.Cells {
			is, isText := rows[row.Number-1][i], cell.Kind == sheet.Text && cell.Text != "TRUE" && cell.Text != "FALSE"
			if is.value != cell.Text || cell.Filled() && is.isText != isText {
				t.Errorf("%s: LibreOffice reads %+v in %s, and not %+v", name, is, sheet.Place(i+1, row.Number), cell)
			}
		}
		return nil
	}); err != nil || len(rows) != 2 {
		t.Errorf("%s: LibreOffice reads %d rows (%v)", name, len(rows), err)
	}
}

// convert has LibreOffice write the sheets of all workbooks as texts: a tab between cells, quotes around those that are
// texts, and numbers with all of their digits.
func (s *shell) convert(t *testing.T, office string) {
	t.Helper()
	books, err := filepath.Glob(s.path("*.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	const tab, quote, utf8, quoteTexts, bareNumbers, allSheets = "9", "34", "76", "true", "true", "-1"
	form := "csv:Text - txt - csv (StarCalc):" + strings.Join([]string{tab, quote, utf8, "1", "", "0", quoteTexts,
		bareNumbers, "false", "false", "false", allSheets}, ",")
	command := exec.CommandContext(t.Context(), office, append([]string{"--headless", "--norestore",
		"-env:UserInstallation=file://" + t.TempDir(), "--convert-to", form, "--outdir", s.folder}, books...)...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "LC_ALL=C.UTF-8")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

// column is a column of an export, as the table of the desk has it.
type column struct {
	CR   string `yaml:"cr"`
	Name string `yaml:"name"`
	Kind string `yaml:"kind"`
}

func columnsOf(t *testing.T, kind string) (columns []column) {
	t.Helper()
	text, err := os.ReadFile("../../../../services/desk/export/columns/" + kind + ".yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &columns)
	}
	if err != nil {
		t.Fatal(err)
	}
	return columns
}

// sheetCell is a cell as a spreadsheet has it. A number and a day are no texts.
type sheetCell struct {
	value  string
	isText bool
}

// is reports whether a cell of a kind is what the export as CSV has. LibreOffice writes a day as Americans do, and
// excelize returns it as a workbook keeps it: as the number of days since the end of 1899.
func (c sheetCell) is(kind, want string) bool {
	number, isNumber := new(big.Rat).SetString(c.value)
	wanted, isWanted := new(big.Rat).SetString(want)
	switch {
	case want == "":
		return c.value == ""
	case kind == "number" && isWanted:
		return !c.isText && isNumber && number.Cmp(wanted) == 0
	case kind == "date":
		day, err := time.Parse("01/02/2006", c.value)
		if isNumber && number.IsInt() {
			day, err = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(number.Num().Int64())), nil
		}
		return !c.isText && err == nil && day.Format(time.DateOnly) == want
	}
	return c.isText && c.value == want
}

// compareCells compares a workbook with the rows of the same export as CSV. Above the names of the columns it has their
// numbers.
func compareCells(t *testing.T, what string, columns []column, rows [][]string, sheet [][]sheetCell) {
	t.Helper()
	if len(sheet) != 1+len(rows) || len(rows[0]) != len(columns) {
		t.Fatalf("%s: there are %d rows for %d, and %d columns for %d", what, len(sheet), len(rows), len(rows[0]),
			len(columns))
	}
	for i, of := range columns {
		for n, row := range sheet {
			want, kind := of.CR, "text"
			if n > 0 {
				want = rows[n-1][i]
			}
			if n > 1 {
				kind = of.Kind
			}
			cell := sheetCell{}
			if i < len(row) {
				cell = row[i]
			}
			if !cell.is(kind, want) {
				t.Errorf("%s: %s of row %d, a %s, is %+v; want %q", what, of.Name, n+1, kind, cell, want)
			}
		}
		if rows[0][i] != of.Name {
			t.Errorf("%s: column %d is named %q, and %q in the table", what, i+1, rows[0][i], of.Name)
		}
	}
}

// inLibreOffice reads a sheet that LibreOffice has written.
func (s *shell) inLibreOffice(t *testing.T, name string) (rows [][]sheetCell) {
	t.Helper()
	for _, line := range lines(s.read(t, name)) {
		var row []sheetCell
		for text := range strings.SplitSeq(line, "\t") {
			within, isText := strings.CutPrefix(text, `"`)
			within = strings.ReplaceAll(strings.TrimSuffix(within, `"`), `""`, `"`)
			row = append(row, sheetCell{within, isText})
		}
		rows = append(rows, row)
	}
	return rows
}

// inExcelize reads the lines of a workbook.
func inExcelize(t *testing.T, path string) (rows [][]sheetCell) {
	t.Helper()
	const sheet = "Lines"
	book, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	raw, err := book.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, texts := range raw {
		row := make([]sheetCell, len(texts))
		for i, text := range texts {
			place, err := excelize.CoordinatesToCellName(i+1, n+1)
			if err != nil {
				t.Fatal(err)
			}
			kind, err := book.GetCellType(sheet, place)
			if err != nil {
				t.Fatal(err)
			}
			row[i] = sheetCell{text, kind == excelize.CellTypeInlineString || kind == excelize.CellTypeSharedString}
		}
		rows = append(rows, row)
	}
	return rows
}
