package profile_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// terms say how a file is read.
type terms = reconciliation.FileProfileTerms

// with returns how a file is read with something else declared.
func with(p *terms, of ...func(*terms)) *terms {
	for _, declare := range of {
		declare(p)
	}
	return p
}

// seeksHeader declares that the header is sought.
func seeksHeader(p *terms) { p.FindHeader, p.HeaderRow = true, 0 }

// notes returns what was noted of a file, each as "kind 3,5".
func notes(found profile.Read) (all []string) {
	for _, note := range found.Notes {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s", note.Kind, strings.Join(note.Places, ","))))
		if note.Count < len(note.Places) {
			all = append(all, fmt.Sprintf("%d of them", note.Count))
		}
	}
	slices.Sort(all)
	return all
}

// noted reads a file of those that came, and compares what was noted of it.
func noted(t *testing.T, f fieldFile, want ...string) {
	t.Helper()
	if got := notes(f.check(t)); !slices.Equal(got, want) {
		t.Errorf("%s has the notes %q, want %q", f.name, got, want)
	}
}

// TestAHeaderIsFoundByItsNames reads files in which the header stands below something, has names of others, or two
// rows.
func TestAHeaderIsFoundByItsNames(t *testing.T) {
	t.Parallel()
	noted(t, fieldFile{"r09-title.xlsx", with(declared("xlsx", premium...), seeksHeader),
		[]string{"4 POL-1 2026-01-15 10.00"}})
	names := func() *terms {
		p := with(declared("csv", "Policy=policyNumber", "Gross=gross"), seeksHeader)
		p.Columns[0].Synonyms = []string{"Policy No", "Certificate"}
		return p
	}
	far := strings.Repeat("x\n", 50)
	for name, c := range map[string]struct{ file, want string }{
		"a synonym":           {"Title\nCERTIFICATE,gross\nP,5.00\n", "3 P 5.00"},
		"the name before it":  {"Policy,Certificate,Gross\nP,C,5.00\n", "2 P 5.00"},
		"two synonyms":        {"Policy No,Certificate,Gross\nP,C,5.00\n", "...it has two: A1 and B1..."},
		"a near name":         {"Title\nPolcy,Gross\nP,5.00\n", "...Row 2, which names most...near it: Polcy..."},
		"in the fiftieth row": {far[2:] + "Policy,Gross\nP,5.00\n", "51 P 5.00"},
		"behind it":           {far + "Policy,Gross\nP,5.00\n", "None of the first 50 rows..."},
		"none":                {"", "None of the first 50 rows is the header."},
	} {
		got, _ := lines(names(), []byte(c.file))
		for _, some := range strings.Split(c.want, "...") {
			if len(got) != 1 || !strings.Contains(got[0], some) {
				t.Errorf("%s: got %q, want %q", name, got, c.want)
			}
		}
	}
	double := with(declared("csv", "Policy=policyNumber", "Premium Gross=gross", "Premium Net=net"),
		func(p *terms) { p.HeaderRow, p.HeaderRows = 2, 2 })
	got, read := lines(double, []byte("Title\n,Premium,Premium,x\nPolicy,Gross,Net,y\nP,5.00,4.00,1\n"+
		",Premium,Premium\nPolicy,Gross,Net\nQ,6.00,5.00\n"))
	expect(t, "two rows", got, []string{"4 P 5.00 4.00", "7 Q 6.00 5.00"})
	if got := notes(read); !slices.Equal(got, []string{"repeated-headers 5,6"}) {
		t.Errorf("two rows have the notes %q", got)
	}
	double.Format, double.Delimiter, double.Encoding, double.HeaderRow = "xlsx", "", "", 1
	got, _ = lines(double, book(t, "", map[string]string{tablePart: `<worksheet><sheetData><row><c/>` +
		said("Premium") +
		`</row><row>` + said("Policy") + said("Gross") + said("Net") + `</row><row>` + said("P") +
		`<c><v>5</v></c><c><v>4</v></c></row></sheetData><mergeCells><mergeCell ref="B1:C1"/></mergeCells>` +
		`</worksheet>`}))
	expect(t, "two rows, merged", got, []string{"3 P 5.00 4.00"})
}

// TestAFileInAnotherEncoding reads files in an encoding that is not declared, and is told in which they can be read.
func TestAFileInAnotherEncoding(t *testing.T) {
	t.Parallel()
	for encoding, file := range map[string]string{
		"windows-1252": "Policy;Pr\xe4mie\nP;5\n", "utf-8": "Policy;Prämie\nP;5\n",
		"utf-16": "\xff\xfeP\x00o\x00l\x00i\x00c\x00y\x00;\x00P\x00r\x00\xe4\x00m\x00i\x00e\x00\n\x00" +
			"P\x00;\x005\x00",
		"utf-16be": "\x00P\x00o\x00l\x00i\x00c\x00y\x00;\x00P\x00r\x00\xe4\x00m\x00i\x00e\x00\n\x00P\x00;\x005",
	} {
		for _, declaredIn := range []string{"utf-8", "windows-1252", "utf-16be"} {
			p := declared("csv", "Policy=policyNumber", "Prämie=gross")
			p.Delimiter, p.Encoding = ";", declaredIn
			got, _ := lines(p, []byte(file))
			if declaredIn == encoding {
				expect(t, encoding, got, []string{"2 P 5.00"})
				continue
			}
			if !strings.HasSuffix(got[0], " In the encoding "+encoding+" it has these columns.") {
				t.Errorf("a file in %s, read as %s: %q", encoding, declaredIn, got)
			}
		}
	}
	p := declared("csv", "Policy=policyNumber", "Net=gross")
	got, _ := lines(p, []byte("Policy,Gross\nP,5\n"))
	expect(t, "no encoding", got, []string{
		`Row 1 has not one column "Net". Is it the header, and is the delimiter ","?`,
	})
}

// TestWhichSheet reads a sheet by its place.
func TestWhichSheet(t *testing.T) {
	t.Parallel()
	two := book(t, table("Policy,Gross", said("P")+`<c><v>5</v></c>`), map[string]string{
		bookPart: sheets("", `name="Notes" r:id="2"`, `name="2026" state="hidden" r:id="1"`),
	})
	for place, want := range map[int]string{
		2: "2 P 5.00", 1: "The workbook has no table as its sheet 1; it has Notes (no table), 2026 (hidden).",
		3: "The workbook has no table as its sheet 3...",
	} {
		p := with(declared("xlsx", "Policy=policyNumber", "Gross=gross"),
			func(p *terms) { p.SheetNumber = place })
		got, _ := lines(p, two)
		expect(t, fmt.Sprint(place), got, []string{want})
	}
}

// TestHiddenRows reads files of which a spreadsheet hides a part. Nothing of one is an item unless it is declared what
// is done with that.
func TestHiddenRows(t *testing.T) {
	t.Parallel()
	first, second := "2 POL-A183N-1G22T-1 100.00", "3 POL-KSJKW-8YAJA-X 250.00"
	const refused = "The file has 1 rows that a spreadsheet hides (3). Show them..."
	for rule, c := range map[string]struct{ want, notes []string }{
		"": {[]string{refused}, nil}, "refuse": {[]string{refused}, nil},
		"read": {[]string{first, second}, []string{"hidden-rows-read 3"}},
		"skip": {[]string{first}, []string{"hidden-rows-skipped 3"}},
	} {
		p := with(declared("xlsx", "Policy=policyNumber", "Gross=gross"),
			func(p *terms) { p.HiddenRows = rule })
		f := fieldFile{"r32b-filtered.xlsx", p, c.want}
		if found := f.check(t); c.notes != nil && !slices.Equal(notes(found), c.notes) {
			t.Errorf("hidden rows that are %q have the notes %q", rule, notes(found))
		}
	}
	file := book(t, "", map[string]string{tablePart: `<worksheet><cols><col min="2" max="3" hidden="1"/>` +
		`<col min="5" max="16384" hidden="true"/></cols><sheetData>` + table("Policy,Note,Gross", said("P")+
		`<c/><c><v>5</v></c>`) + `</sheetData></worksheet>`})
	got, read := lines(declared("xlsx", "Policy=policyNumber", "Gross=gross"), file)
	expect(t, "hidden columns", got, []string{"2 P 5.00"})
	if got := notes(read); !slices.Equal(got, []string{"hidden-columns B,C"}) {
		t.Errorf("hidden columns have the notes %q", got)
	}
}

// TestMergedCells reads a column whose cells stand over several rows.
func TestMergedCells(t *testing.T) {
	t.Parallel()
	file := book(t, "", map[string]string{tablePart: `<worksheet><sheetData>` + table("Policy,Gross,Note",
		said("P")+`<c><v>5</v></c>`+said("n"), `<c/><c><v>6</v></c>`, said("Q")+`<c><v>7</v></c>`,
		`<c/><c><v>8</v></c>`) +
		`</sheetData><mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="C2:D9"/></mergeCells></worksheet>`})
	p := declared("xlsx", "Policy=policyNumber", "Gross=gross")
	p.Columns[0].FillMerged = true
	got, _ := lines(p, file)
	expect(t, "filled", got, []string{"2 P 5.00", "3 P 6.00", "4 Q 7.00",
		"5 A5: is empty, so that the row names nothing"})
	dated := declared("xlsx", "Policy=policyNumber", "Date=date", "Gross=gross")
	dated.Columns[0].FillMerged = true
	got, _ = lines(dated, book(t, "", map[string]string{tablePart: `<worksheet><sheetData>` + table("Policy,Date,Gross",
		said("P")+said("15/01/2026")+`<c><v>5</v></c>`, `<c/><c/><c><v>6</v></c>`) +
		`</sheetData><mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="B2:B3"/></mergeCells></worksheet>`}))
	expect(t, "one column filled", got, []string{"2 P 2026-01-15 5.00", "3 P 6.00"})
	p.Columns[0].FillMerged = false
	got, _ = lines(p, file)
	expect(t, "as they are", got, []string{"2 P 5.00", "3 A3: is empty...", "4 Q 7.00", "5 A5: is empty..."})
}

// TestTotalsOfPagesAndSections compares each row of totals with the sum that it stands for.
func TestTotalsOfPagesAndSections(t *testing.T) {
	t.Parallel()
	marked := func(word, section string) *terms {
		return with(declared("xlsx", premium...), func(p *terms) {
			p.Totals = reconciliation.FileTotals{Rule: "marked", Column: "Policy", Word: word, SectionWord: section}
		})
	}
	totals := func(found profile.Read) (all string) {
		for _, of := range found.Totals {
			all += fmt.Sprintf("%s %s=%s %v;", of.Cell, of.Stated, of.Sum, of.Agrees)
		}
		return all
	}
	pages := fieldFile{"r20-pages.xlsx", marked("Grand total", "Page total"), []string{
		"2 POL-1 2026-01-15 10.00", "3 POL-2 2026-01-15 10.00", "6 POL-3 2026-01-15 10.00"}}
	want := "D4 20.0000=20.00 true;D7 10.0000=10.00 true;D8 30.0000=30.00 true;"
	if got := totals(pages.check(t)); got != want {
		t.Errorf("pages have the totals %s, want %s", got, want)
	}
	noted(t, pages, "repeated-headers 5")
	sections := fieldFile{"r21-sections.xlsx", marked("Grand Total:", "Total"), []string{
		"2 POL-1 2026-01-15 10.00", "3 POL-2 2026-01-15 20.00", "8 POL-3 2026-01-15 5.00"}}
	want = "D4 30.0000=30.00 true;D9 5.0000=5.00 true;D10 35.0000=35.00 true;"
	if got := totals(sections.check(t)); got != want {
		t.Errorf("sections have the totals %s, want %s", got, want)
	}
	noted(t, sections, "empty-rows 5", "repeated-headers 7", "text-below-totals 6")

	below := declared("csv", "Policy=policyNumber", "Date=date", "Gross=gross")
	below.Totals = reconciliation.FileTotals{Rule: "marked", Column: "Policy", Word: "Total"}
	got, _ := lines(below, []byte("Policy,Date,Gross\nP,,5.00\nTotal,,5.00\nend,,\nQ,15/01/2026,\n"))
	expect(t, "a row without an amount below totals", got, []string{
		"2 P 5.00", "5 C5: is empty, so that the row has no amount",
	})

	last := declared("csv", "Policy=policyNumber", "Gross=gross")
	last.Totals.Rule = "last"
	for name, c := range map[string]struct {
		file        string
		want, notes []string
	}{
		"text below": {"Policy,Gross\nP,5.00\n,5.00\n\nPrinted by us\nPage 1\n", []string{"2 P 5.00"},
			[]string{"empty-rows 4", "text-below-totals 5,6"}},
		"text between": {"Policy,Gross\nP,5.00\nSection\nQ,6.00\n,11.00\n",
			[]string{"2 P 5.00", "3 A3: ends its row...", "4 Q 6.00"}, nil},
		"no totals":      {"Policy,Gross\n", nil, []string{"no-totals-compared"}},
		"text alone":     {"Policy,Gross\nEnd of list\n", nil, []string{"no-totals-compared"}},
		"two currencies": {"Policy,Gross\nP,5.00\n,5.00\n", []string{"2 P 5.00"}, nil},
	} {
		got, read := lines(last, []byte(c.file))
		expect(t, name, got, c.want)
		if got := notes(read); !slices.Equal(got, c.notes) {
			t.Errorf("%s has the notes %q, want %q", name, got, c.notes)
		}
	}
}

// TestAmountsAsTheyAreWritten reads amounts with signs of currencies, words for nothing, more digits than a currency
// has, and in several columns.
func TestAmountsAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	p := declared("xlsx", premium...)
	p.GroupingMark, p.Strip, p.Nil = ",", []string{"£", "GBP", "EUR"}, []string{"-", "NIL"}
	want := []string{"2 POL-1 2026-01-15 1234.50"}
	for row, amount := range []string{
		"1234.50", "1234.50", "", "0.00", "0.00", "", "", "", "", "-5.00", "", "", "", "0.00",
	} {
		line := fmt.Sprintf("%d D%d: is no amount as the profile declares it", row+3, row+3)
		if amount != "" {
			line = fmt.Sprintf("%d POL-1 2026-01-15 %s", row+3, amount)
		}
		want = append(want, line)
	}
	want[3] = "5 D5: is in EUR, and the row is in GBP"
	want[6], want[11] = `8 D8: has no digits alone behind "."`, `13 D13: has no digits alone behind "."`
	fieldFile{"r16-text.xlsx", p, want}.check(t)

	two := 2
	fieldFile{"r15-unrounded.xlsx", with(declared("xlsx", premium...), func(p *terms) {
		p.RoundTo = &two
	}), []string{"2 POL-1 2026-01-15 104.13", "3 POL-1 2026-01-15 33.33", "4 POL-1 2026-01-15 100.00",
		"5 POL-1 2026-01-15 110.00"}}.check(t)
	for written, want := range map[string]string{
		"-£1.005": "-1.01", "£-1.005": "-1.01", "\u22121.005 gbp": "-1.01", "1.0049999999999999": "1.00", "£": "",
		"£5 GBP": "", "5.00 -": "", "(5.00)": "", "NIL": "0.00", "£-": "0.00",
	} {
		p := with(declared("csv", "Policy=policyNumber", "Gross=gross"), func(p *terms) {
			p.RoundTo, p.Strip, p.Nil = &two, []string{"£", "GBP"}, []string{"-", "nil"}
		})
		got, _ := lines(p, []byte("Policy,Gross\nP,"+written+"\n"))
		line := "2 P " + want
		if want == "" {
			line = "2 B2: ..."
		}
		expect(t, written, got, []string{line})
	}
	inner := with(declared("csv", "Policy=policyNumber", "Gross=gross"), func(p *terms) {
		p.Sign, p.Strip = reconciliation.Parentheses, []string{"£"}
	})
	got, _ := lines(inner, []byte("Policy,Gross\nP,(£5.00)\nQ,£(6.00)\nR,£7.00\n"))
	expect(t, "parentheses", got, []string{"2 P -5.00", "3 Q -6.00", "4 R 7.00"})

	split := declared("csv", "Policy=policyNumber", "AP=gross", "RP=gross")
	split.Columns[2].Less = true
	split.Totals = reconciliation.FileTotals{Rule: "last"}
	got, read := lines(split, []byte("Policy,AP,RP\nP,10.00,\nQ,,4.00\nR,3.00,1.50\nS,x,y\nT,,\n,13.00,5.50\n"))
	expect(t, "two columns", got, []string{
		"2 P 10.00", "3 Q -4.00", "4 R 1.50",
		"5 B5: is no amount as the profile declares it C5: is no amount as the profile declares it",
		"6 B6: is empty, so that the row has no amount",
	})
	if len(read.Totals) != 1 || !read.Totals[0].Agrees || read.Totals[0].Stated != "7.5000" {
		t.Errorf("two columns have the totals %+v", read.Totals)
	}
}

// TestDatesInTheDeclaredForms reads dates as texts in each form.
func TestDatesInTheDeclaredForms(t *testing.T) {
	t.Parallel()
	pivot := 70
	of := func(cut string, forms ...string) *terms {
		return with(declared("xlsx", premium...), func(p *terms) {
			p.DateOrder, p.DateForms, p.YearPivot, p.TimeOfDay = "", forms, &pivot, cut
		})
	}
	want := []string{}
	for row := 2; row <= 14; row++ {
		want = append(want, fmt.Sprintf("%d POL-1 2026-01-15 10.00", row))
	}
	want[11] = "13 C13: is no date in a form..."
	want[8], want[9] = "10 C10: is no date in a form...", "11 C11: is no date in a form..."
	fieldFile{"r17-dates.xlsx", of("cut", "d-mmm-yyyy", "d mmm yyyy", "dd/mm/yy", "dd/mm/yyyy", "m/dd/yyyy",
		"dd/mm/yyyy hh:mm", "yyyy-mm-dd hh:mm:ss", "yyyy-mm-ddThh:mm:ss", "yyyymmdd", "dd.mm.yyyy"), want}.check(t)

	for written, c := range map[string]struct{ form, want string }{
		"3. März 2026": {"d. mmm yyyy", "2026-03-03"}, "3. Ma\u0308rz 2026": {"d. mmm yyyy", "2026-03-03"},
		"03-MRZ-26": {"dd-mmm-yy", "2026-03-03"}, "1 Okt. 70": {"d mmm yy", "1970-10-01"},
		"1 dez 69": {"d mmm yy", "2069-12-01"}, "1 Ma 2026": {"d mmm yyyy", ""}, "1 Marz 2026": {"d mmm yyyy", ""},
		"31 juni 2026": {"d mmm yyyy", ""}, "1 Janx 2026": {"d mmm yyyy", ""}, "29.02.2026": {"dd.mm.yyyy", ""},
		"1.2.2026": {"dd.mm.yyyy", ""}, "20260230": {"yyyymmdd", ""},
	} {
		p := of("", c.form)
		p.Format, p.Delimiter, p.Encoding = "csv", ",", "utf-8"
		got, _ := lines(p, []byte("Policy,Type,Date,Gross\nP,NB,"+written+",5.00\n"))
		line := "2 P " + c.want + " 5.00"
		if c.want == "" {
			line = "2 C2: is no date in a form that the profile declares (" + c.form + ")"
		}
		expect(t, written, got, []string{line})
	}
	rows := `<row>` + said("Policy") + said("Date") + said("Gross") + `</row>` + `<row>` + said("P") +
		`<c s="2"><v>46037.25</v></c><c><v>5</v></c></row><row>` + said("Q") + said("03/04/2026") +
		`<c><v>5</v></c></row>` +
		`<row>` + said("R") + said("03/04/2026 10:00") + `<c><v>5</v></c></row>`
	for cut, want := range map[string][]string{
		"cut": {"2 P 2026-01-15 5.00", "3 B3: can be read in two ways by the forms that the profile declares",
			"4 R 2026-04-03 5.00"},
		"": {"2 B2: has the time of day 06:00:00...", "3 B3: can be read in two ways...", "4 B4: has a time of day..."},
	} {
		p := of(cut, "dd/mm/yyyy", "mm/dd/yyyy", "dd/mm/yyyy hh:mm")
		p.Columns = declared("xlsx", "Policy=policyNumber", "Date=date", "Gross=gross").Columns
		got, _ := lines(p, book(t, rows, nil))
		expect(t, "time of day "+cut, got, want)
	}
}

// TestWordsOfTypes reads words of types in any case of their letters.
func TestWordsOfTypes(t *testing.T) {
	t.Parallel()
	fieldFile{"c32-typed.csv", declared("csv", "Policy=policyNumber", "Type=type", "Gross=gross"),
		[]string{"2 POL-A183N-1G22T-1 100.00", "3 POL-KSJKW-8YAJA-X 250.00"}}.check(t)
	p := declared("csv", premium...)
	p.Types = map[string]string{"NB": "new policy", "nb": "policy renewal"}
	got, _ := lines(p, []byte("Policy,Type,Date,Gross\nP,NB,,1\nQ,Nb,,1\n"))
	expect(t, "two cases", got, []string{"2 P 1.00", "3 B3: is no type that the profile has"})
}

// TestWhatAProfileCannotDeclare refuses what is no form of a file, each at its pointer.
func TestWhatAProfileCannotDeclare(t *testing.T) {
	t.Parallel()
	five, pivot := 5, 101
	for pointer, declare := range map[string]func(*terms){
		"/headerRow":            func(p *terms) { p.FindHeader = true },
		"/headerRows":           func(p *terms) { p.HeaderRows = 3 },
		"/sheetNumber":          func(p *terms) { p.Sheet, p.SheetNumber = "A", 1 },
		"/hiddenRows":           func(p *terms) { p.HiddenRows = "show" },
		"/strip/1":              func(p *terms) { p.Strip = []string{"£", "1"} },
		"/nil/0":                func(p *terms) { p.Nil = []string{" "} },
		"/roundTo":              func(p *terms) { p.RoundTo = &five },
		"/dateForms":            func(p *terms) { p.DateForms = []string{"d/m/yyyy"} },
		"/timeOfDay":            func(p *terms) { p.TimeOfDay = "keep" },
		"/yearPivot":            func(p *terms) { p.YearPivot = &pivot },
		"/columns/0/less":       func(p *terms) { p.Columns[0].Less = true },
		"/columns/1/fillMerged": func(p *terms) { p.Columns[1].FillMerged = true },
		"/columns/1/synonyms/0": func(p *terms) { p.Columns[1].Synonyms = []string{"POLICY"} },
		"/totals/sectionWord": func(p *terms) {
			p.Totals = reconciliation.FileTotals{Rule: "marked", Column: "Policy", Word: "Total", SectionWord: "total"}
		},
	} {
		p := with(declared("xlsx", "Policy=policyNumber", "Gross=gross"), declare)
		var refused *problem.Error
		if err := profile.Check(*p, nil, nil); !errors.As(err, &refused) || refused.Violations[0].Pointer != pointer {
			t.Errorf("%s: %+v", pointer, refused)
		}
	}
	for _, written := range []string{"dmyyyy", "yyyy", "dd/mm/yyyy hh:mm dd", "dd_mm_yyyy", "hh:mm dd/mm/yyyy",
		"dd/dd/yyyy"} {
		p := with(declared("xlsx", "Policy=policyNumber", "Gross=gross"),
			func(p *terms) { p.DateOrder, p.DateForms = "", []string{written} })
		var refused *problem.Error
		if err := profile.Check(*p, nil, nil); !errors.As(err, &refused) ||
			refused.Violations[0].Pointer != "/dateForms/0" {
			t.Errorf("the form %s: %+v", written, refused)
		}
	}
	whole := with(declared("xlsx", premium...), seeksHeader, func(p *terms) {
		two, pivot := 2, 70
		p.HeaderRows, p.HiddenRows, p.Strip, p.Nil, p.RoundTo = 2, "skip", []string{"£"}, []string{"-"}, &two
		p.DateOrder, p.DateForms, p.YearPivot, p.TimeOfDay = "", []string{"dd-mmm-yy"}, &pivot, "cut"
		p.Columns = append(p.Columns, reconciliation.FileColumn{Column: "RP", Means: "gross", Less: true})
	})
	if err := profile.Check(*whole, []string{"new policy"}, nil); err != nil {
		t.Errorf("%+v is refused: %v", reflect.Indirect(reflect.ValueOf(whole)), err)
	}
}
