package profile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/reconciliation/match"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// declared returns how a file is read whose columns have the names of some meanings, such as "Policy=policyNumber".
func declared(format string, columns ...string) *reconciliation.FileProfileTerms {
	p := &reconciliation.FileProfileTerms{
		Format: format, HeaderRow: 1, DecimalMark: ".", DateOrder: reconciliation.DayFirst, Sign: reconciliation.Minus,
		Currency: "GBP", Totals: reconciliation.FileTotals{Rule: reconciliation.NoTotals},
	}
	if format == reconciliation.CSV {
		p.Delimiter, p.Encoding = ",", reconciliation.UTF8
	}
	for _, of := range columns {
		name, means, _ := strings.Cut(of, "=")
		p.Columns = append(p.Columns, reconciliation.FileColumn{Column: name, Means: means})
		if means == reconciliation.Type {
			p.Types = map[string]string{"NB": "new policy"}
		}
	}
	return p
}

// premium are the columns that most of the files have.
var premium = []string{"Policy=policyNumber", "Type=type", "Date=date", "Gross=gross"}

// lines returns the rows of a file as a person would note them: "2 POL-1 2026-01-15 10.00", and for one that cannot be
// read "3 D3: reason" with each cell; or else why the file cannot be read.
func lines(p *reconciliation.FileProfileTerms, file []byte) (all []string, found profile.Read) {
	found, err := profile.Entries(p, bytes.NewReader(file), int64(len(file)), func(e match.Entry) error {
		line := fmt.Sprint(e.Row)
		for _, cell := range e.Wrong {
			line += fmt.Sprintf(" %s: %s", cell.Cell, cell.Reason)
		}
		if len(e.Wrong) == 0 {
			line += " " + strings.Join(strings.Fields(strings.Join(append([]string{e.PolicyNumber, string(e.Date)},
				e.Amounts...), " ")), " ")
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		return []string{err.Error()}, found
	}
	return all, found
}

// fieldFile is a file of those that came, with how it is declared and its rows. A row that ends in "..." is compared up
// to there.
type fieldFile struct {
	name string
	p    *reconciliation.FileProfileTerms
	want []string
}

// check reads the file, and returns what was read besides its rows.
func (f fieldFile) check(t *testing.T) profile.Read {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", f.name))
	if err != nil {
		t.Fatal(err)
	}
	got, found := lines(f.p, file)
	expect(t, f.name, got, f.want)
	return found
}

// expect compares lines, of which a wanted one that ends in "..." is the beginning.
func expect(t *testing.T, name string, got, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(got, want string) bool {
		begin, part := strings.CutSuffix(want, "...")
		return got == want || part && strings.HasPrefix(got, begin)
	}) {
		t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestRowsWiderThanTheHeader reads rows of which a cell is in two parts. None of them is an item with a part of it.
func TestRowsWiderThanTheHeader(t *testing.T) {
	t.Parallel()
	grouped := declared("csv", "address.postalCode=policyNumber", "sumInsuredBuilding=gross")
	grouped.Delimiter = ";"
	grouped.DecimalMark = ""
	for _, f := range []fieldFile{
		{"c10-extra.csv", declared("csv", premium...), []string{"2 E2: is in a column without a name..."}},
		{"c25-thousands.csv", declared("csv", "Policy=policyNumber", "Date=date", "Gross=gross"),
			[]string{"2 POL-A183N-1G22T-1 2026-01-15 100.00", "3 D3: is in a column without a name..."}},
		{"i40-250000.csv", grouped, []string{"2 B2: can be read in two ways...", "3 B3: can be read in two ways..."}},
	} {
		f.check(t)
	}
	const beyond = ": is in a column without a name..."
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"empty cells beyond":  {"Policy,Gross\nP,100.00,, ,\n", []string{"2 P 100.00"}},
		"a name that is none": {"Policy,Gross,,Note\nP,1,234.50,x\nQ,5.00,,x\n", []string{"2 C2" + beyond, "3 Q 5.00"}},
		"an index before":     {",Policy,Gross\n0,P,100.00\n1,Q,1,234.50\n", []string{"2 P 100.00", "3 D3" + beyond}},
		"fewer cells":         {"Policy,Gross,Note\nP,100.00\n", []string{"2 P 100.00"}},
	} {
		got, _ := lines(declared("csv", "Policy=policyNumber", "Gross=gross"), []byte(c.file))
		expect(t, name, got, c.want)
	}
	numbered := declared("csv", "1=policyNumber", "2=gross")
	numbered.HeaderRow = 0
	got, _ := lines(numbered, []byte("P,1,234.50,x\nQ,5.00,x\nR,6.00,\nlone\n"))
	expect(t, "no header", got, []string{"1 D1" + beyond, "2 Q 5.00", "3 R 6.00", "4 A4: ends its row..."})
	marked := declared("csv", "Policy=policyNumber", "Gross=gross")
	marked.Totals = reconciliation.FileTotals{Rule: reconciliation.LastTotals}
	_, found := lines(marked, []byte("Policy,Gross\nP,1.00\nTotal,1,000.00\n"))
	if len(found.Totals) != 1 || found.Totals[0].Agrees || found.Totals[0].Stated != "" {
		t.Errorf("a total in two parts is read as %+v", found.Totals)
	}
}

// TestRowsShorterThanTheHeader reads rows of CSV that end early: nothing is guessed of what a file must have, nor of
// where it was cut off. In a workbook nobody sees whether a row ends.
func TestRowsShorterThanTheHeader(t *testing.T) {
	t.Parallel()
	p := declared("csv", "Policy=policyNumber", "Gross=gross", "Net=net", "Date=date")
	p.Columns[3].Optional = true
	const head, short = "Policy,Gross,Net,Date,Note\n", ": ends its row, which has "
	for name, c := range map[string]struct {
		file  string
		want  []string
		notes []string
	}{
		"cut off in a cell": {head + "P,1.00,1.00,02.01.2026,\nQ,2.00,2",
			[]string{"2 P 2026-01-02 1.00 1.00", "3 C3" + short + "3 of 5 cells; the file ends there..."}, nil},
		"cut off in a quote": {head + "P,1.00,1.00,02.01.2026,\nQ,\"2.00",
			[]string{`The file is not CSV: line 3...`}, nil},
		"ended by a return": {head + "P,1.00,1.00,02.01.2026\r", []string{"2 P 2026-01-02 1.00 1.00"}, nil},
		"whole without end": {head + "P,1.00,1.00,02.01.2026,x", []string{"2 P 2026-01-02 1.00 1.00"}, nil},
		"parted in two": {head + "P,1.00\n,1.00,02.01.2026,\n",
			[]string{"2 B2" + short + "2 of 5 cells...", "3 A3: is empty..."}, nil},
		"without separators": {head + "P,1.00,1.00\nQ,2.00,2.00,,\nR,3.00,3.00\n",
			[]string{"2 P 1.00 1.00", "3 Q 2.00 2.00", "4 R 3.00 3.00"}, []string{"short-rows 2,4"}},
		"without a note":   {head + "P,1.00,1.00,02.01.2026\n", []string{"2 P 2026-01-02 1.00 1.00"}, nil},
		"names at the end": {"Policy,Gross,Net,,\nP,1.00,1.00\n", []string{"2 P 1.00 1.00"}, nil},
	} {
		for _, lineEnd := range []string{"\n", "\r\n"} {
			got, read := lines(p, []byte(strings.ReplaceAll(c.file, "\n", lineEnd)))
			expect(t, name, got, c.want)
			if got := notes(read); !slices.Equal(got, c.notes) {
				t.Errorf("%s has the notes %q", name, got)
			}
		}
	}
	in := declared("xlsx", "Policy=policyNumber", "Gross=gross", "Date=date")
	got, _ := lines(in, book(t, table("Policy,Gross,Date", said("P")+"<c><v>10</v></c>"), nil))
	expect(t, "a workbook", got, []string{"2 P 10.00"})
}

// TestNamesOfColumns finds columns whose names differ from the declared ones in what nobody sees.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	breaks := slices.Clone(premium)
	breaks[3] = "Gross Premium=gross"
	fieldFile{"r11-headerbreak.xlsx", declared("xlsx", breaks...), []string{"2 POL-1 2026-01-15 10.00"}}.check(t)
	fieldFile{"r12-headernbsp.xlsx", declared("xlsx", premium...), []string{"2 POL-1 2026-01-15 10.00"}}.check(t)
	for name, c := range map[string]struct{ header, want string }{
		"case":            {"POLICY,gross prämie", "2 P 5.00"},
		"composed":        {"Policy,Gross Pra\u0308mie", "2 P 5.00"},
		"blanks":          {"\u00a0Policy ,\"Gross\r\n  Prämie\"", "2 P 5.00"},
		"two by case":     {"Policy,Gross Prämie,GROSS PRÄMIE", `Row 1 has not one column "Gross Prämie" (it has...`},
		"one that is not": {"Policy,Gros Prämie", `Row 1 has not one column "Gross Prämie" (near it: Gros...`},
	} {
		got, _ := lines(declared("csv", "Policy=policyNumber", "Gross Prämie=gross"), []byte(c.header+"\nP,5.00\n"))
		expect(t, name, got, []string{c.want})
	}
	got, _ := lines(declared("xlsx", "Policy=policyNumber", "Net=net"), book(t, table("Policy,Gross", said("P")), nil))
	expect(t, "a workbook", got, []string{`Row 1 has not one column "Net". Is it the header?`})
	p := declared("csv", "Gross=gross", "GROSS=net", "Policy=policyNumber")
	var refused *problem.Error
	if err := profile.Check(*p, nil, nil); !errors.As(err, &refused) || len(refused.Violations) != 1 ||
		refused.Violations[0].Pointer != "/columns/1/column" {
		t.Errorf("a column with two meanings, by its case, is %+v", refused)
	}
}

// TestLinesThatEndWithACarriageReturn reads files of programs that end lines so.
func TestLinesThatEndWithACarriageReturn(t *testing.T) {
	t.Parallel()
	p := declared("csv", "Policy=policyNumber", "Gross=gross")
	fieldFile{"c20-mac-unmapped.csv", p, []string{"2 POL-A183N-1G22T-1 100.00", "3 POL-KSJKW-8YAJA-X 250.00"}}.check(t)
	for name, file := range map[string]string{
		"both": "Policy,Gross\r\nP,1.00\rQ,2.00\r\n", "at the end": "Policy,Gross\rP,1.00\rQ,2.00\r",
		"in quotes": "Policy,Gross,Note\rP,1.00,\"a\rb \"\"c\"\"\"\rQ,2.00,\r",
		"between reads": "Policy,Gross,Note\r\nP,1.00," + strings.Repeat("x", 4096-
			len("Policy,Gross,Note\r\nP,1.00,\r")) +
			"\r\nQ,2.00,\r\n",
	} {
		got, _ := lines(p, []byte(file))
		expect(t, name, got, []string{"2 P 1.00", "3 Q 2.00"})
	}
}

// TestRowsAreNumberedAsASpreadsheetDoes reads CSV whose rows have several lines, or are empty.
func TestRowsAreNumberedAsASpreadsheetDoes(t *testing.T) {
	t.Parallel()
	second := declared("csv", premium...)
	second.HeaderRow = 2
	fieldFile{"c03-preamble.csv", second, []string{"3 POL-1 2026-01-15 10.00"}}.check(t)
	fieldFile{"c03b-blank.csv", second, []string{"3 POL-1 2026-01-15 10.00"}}.check(t)
	fieldFile{"c04-multiline.csv", declared("csv", premium...), []string{
		"2 POL-1 2026-01-15 10.00", "3 C3: is no day of the calendar in the declared order (line 5)",
	}}.check(t)
	got, _ := lines(declared("csv", "Policy=policyNumber", "Gross=gross"),
		[]byte("\"Policy\",Note,Gross\r\n\r\n\"P\",\"a\r\n\r\nb\",1.00\r\n"+
			"\r\n\r\nQ,,2,00\r\nR,\"\n\",x"))
	expect(t, "empty lines", got, []string{"3 P 1.00", "6 D6: is in a column...", "7 C7: is no amount..."})
}

// TestManyRows reads as many rows as a statement may have, and one more.
func TestManyRows(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 1} {
		p := declared(reconciliation.CSV, "Policy=policyNumber", "Gross=gross")
		got, _ := lines(p, []byte("Policy,Gross\n"+strings.Repeat("P,1\n", 250_000+more)))
		if refused := got[0] == "The file has more than 250000 rows. Divide it."; refused != (more > 0) ||
			!refused && len(got) != 250_000 {
			t.Errorf("%d rows more: %d were read, the first %q", more, len(got), got[0])
		}
	}
}
