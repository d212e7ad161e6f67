package profile_test

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// files is how many files the corpus has.
const files = 3600

// TestCorpus reads files of each shape, made with what they say: none of their rows is read as something else. With
// -short it reads a sample.
func TestCorpus(t *testing.T) {
	t.Parallel()
	numbers := make([]int, files)
	for i := range numbers {
		numbers[i] = i
	}
	for _, i := range chance.Sample(numbers, 12) {
		f := &specimen{Rand: rand.New(rand.NewPCG(uint64(i), 40)), number: i}
		f.make()
		write := f.csv
		if f.p.Format == "xlsx" {
			write = func() []byte { return f.xlsx(t) }
		}
		file := write()
		got, read := lines(f.p, file)
		sound := slices.EqualFunc(got, f.want, func(got, want string) bool {
			begin, wrong := strings.CutSuffix(want, "...")
			return got == want || wrong && strings.HasPrefix(got, begin)
		})
		if !sound {
			t.Errorf("file %d, read by %+v:\n%s\n got %s\nwant %s", i, *f.p, strings.ToValidUTF8(string(file), "?"),
				strings.Join(got, "\n     "), strings.Join(f.want, "\n     "))
		}
		for _, total := range read.Totals {
			if !total.Agrees {
				t.Errorf("file %d: the total %+v does not agree", i, total)
			}
		}
		if got := notes(read); !slices.Equal(got, f.notes) {
			t.Errorf("file %d has the notes %q, want %q", i, got, f.notes)
		}
		f.imported(t, file, got)
	}
}

// imported reads the file as one that is imported: what a statement has of it, an import has. A number of it may have
// more digits than an amount, and none is 0.
func (m *specimen) imported(t *testing.T, file []byte, stated []string) {
	t.Helper()
	p := *m.p
	p.Records, p.Columns = []reconciliation.FileRecord{{Name: "r", Resource: "r"}}, slices.Clone(p.Columns)
	for i := range p.Columns {
		p.Columns[i].Means = "r." + p.Columns[i].Means
	}
	const policy, gross, date = "r.policyNumber", "r.gross", "r.date"
	kinds := map[string]resource.Kind{policy: resource.Text, gross: resource.Number, date: resource.Date}
	as := profile.Members{Kind: func(means string) resource.Kind { return kinds[means] }, Zone: time.UTC}
	at := 0
	_, err := profile.Rows(&p, as, bytes.NewReader(file), int64(len(file)), func(of profile.Row) error {
		line := fmt.Sprintf("%d %s %s %s", of.Row, textOf(of, policy), textOf(of, date), textOf(of, gross))
		for _, cell := range of.Wrong {
			line = fmt.Sprintf("%d %s: %s", of.Row, cell.Cell, cell.Reason)
		}
		if at >= len(stated) || stated[at] != line {
			t.Errorf("file %d, read by %+v: imported as %q, want %q", m.number, *m.p, line, stated)
		}
		at++
		return nil
	})
	if err != nil || at != len(stated) {
		t.Errorf("file %d: %d rows are imported of %d (%v)", m.number, at, len(stated), err)
	}
}

// textOf returns the value that a row gives a member: an amount with two digits behind the point.
func textOf(of profile.Row, means string) string {
	for _, value := range of.Values {
		if text := strings.Trim(string(value.Read), `"`); value.Means == means {
			if n, is := new(big.Rat).SetString(text); is && means == "r.gross" {
				text = n.FloatString(2)
			}
			return text
		}
	}
	return map[string]string{"r.gross": "0.00"}[means]
}

// cellForm is a cell as it is written: its text, or what a workbook keeps of it.
type cellForm struct{ text, kept string }

// specimen is a file of the corpus, with what is to be read of it.
type specimen struct {
	*rand.Rand
	number        int
	p             *reconciliation.FileProfileTerms
	rows          [][]cellForm
	hidden        map[int]bool // by their numbers
	want          []string
	notes         []string
	lineEnd       string
	date, nothing string // the forms
	section, all  int64  // sums in hundredths
}

func (m *specimen) one(of ...string) string { return of[m.IntN(len(of))] }

// make makes the rows.
func (m *specimen) make() {
	m.p = declared(m.one("csv", "xlsx"), "Policy No.=policyNumber", "Gross Prämie=gross", "Date=date")
	m.hidden, m.lineEnd = map[int]bool{}, m.one("\n", "\r\n", "\r")
	m.p.DecimalMark, m.p.GroupingMark = m.one(".", ","), ""
	if m.IntN(2) == 0 {
		m.p.GroupingMark = map[string]string{".": m.one(",", "'", " "), ",": m.one(".", " ")}[m.p.DecimalMark]
	}
	m.p.Sign = m.one("minus", "trailingMinus", "parentheses", "debit", "credit")
	if m.p.Format == "xlsx" && strings.HasSuffix(m.p.Sign, "it") {
		m.p.Sign = "minus"
	}
	if m.IntN(3) == 0 {
		m.p.Strip = []string{"£", "GBP"}
	}
	if m.nothing = m.one("", "-", "nil"); m.nothing != "" {
		m.p.Nil = []string{strings.ToUpper(m.nothing)}
	}
	if m.IntN(3) == 0 {
		two := 2
		m.p.RoundTo = &two
	}
	m.dates()
	if m.p.Format == "csv" {
		m.p.Delimiter = m.one(",", ";", "\t", "|")
		m.p.Encoding = m.one("utf-8", "windows-1252", "utf-16", "utf-16le", "utf-16be")
	} else {
		m.p.HiddenRows = m.one("read", "skip")
	}
	m.header()
	m.p.Totals.Rule = m.one("none", "last", "marked", "sections")
	word := cellForm{text: "Total"}
	if m.p.Totals.Rule == "marked" || m.p.Totals.Rule == "sections" {
		m.p.Totals = reconciliation.FileTotals{Rule: "marked", Column: "Policy No.", Word: "GRAND TOTAL",
			SectionWord: map[string]string{"sections": "Page total"}[m.p.Totals.Rule]}
		word.text = "Grand total"
	}
	for i := range 2 + m.IntN(6) {
		m.item(i)
		if m.p.Totals.SectionWord != "" && m.IntN(3) == 0 {
			m.put(cellForm{text: "page TOTAL"}, cellForm{}, m.money(m.section))
			m.section = 0
		}
	}
	if m.p.Totals.Rule != "none" {
		m.put(word, cellForm{}, m.money(m.all))
		if m.IntN(2) == 0 {
			m.put(cellForm{text: "End of the list"})
			m.notes = append(m.notes, fmt.Sprintf("text-below-totals %d", len(m.rows)))
		}
	}
	slices.Sort(m.notes)
}

// dates declares a form of dates.
func (m *specimen) dates() {
	m.p.DateOrder = ""
	switch m.date = m.one("2006-01-02", "02/01/2006", "1.2.2006", "02-Jan-2006", "2 January 2006",
		"20060102", "02.01.06",
		"2006-01-02 15:04"); m.date {
	case "2006-01-02":
	case "02/01/2006":
		m.p.DateOrder = "dmy"
	case "1.2.2006":
		m.p.DateOrder = "mdy"
	default:
		m.p.DateForms = []string{map[string]string{
			"02-Jan-2006": "dd-mmm-yyyy", "2 January 2006": "d mmm yyyy", "20060102": "yyyymmdd",
			"02.01.06":         "dd.mm.yy",
			"2006-01-02 15:04": "yyyy-mm-dd hh:mm",
		}[m.date]}
		if m.date == "02.01.06" {
			pivot := 50
			m.p.YearPivot = &pivot
		}
		if strings.Contains(m.date, "15:04") {
			m.p.TimeOfDay = reconciliation.CutTime
		}
	}
}

// put adds a row with a policy, a date, an amount and other cells.
func (m *specimen) put(cells ...cellForm) { m.rows = append(m.rows, cells) }

// header adds what stands above the items, and declares it.
func (m *specimen) header() {
	names := []cellForm{{text: "Policy No."}, {text: "Date"}, {text: "Gross Prämie"}, {text: "Note"}}
	if m.IntN(3) == 0 {
		names[2].text = m.one("GROSS PRÄMIE", " gross  prämie ", "Gross\nPrämie")
	}
	if m.IntN(4) == 0 {
		names[0].text, m.p.Columns[0].Synonyms = "Certificate", []string{"Cert", "certificate"}
	}
	above := m.IntN(3)
	for i := range above {
		m.put(cellForm{text: fmt.Sprintf("Binder %d", i)})
	}
	if m.p.HeaderRow = above + 1; m.IntN(2) == 0 {
		m.p.FindHeader, m.p.HeaderRow = true, 0
	}
	if m.IntN(4) == 0 {
		m.p.HeaderRows = 2
		first := []cellForm{{}, {}, {text: "Gross"}, {}}
		names[2].text = "Prämie"
		m.put(first...)
	}
	m.put(names...)
}

// item adds an item, or what stands between two.
func (m *specimen) item(i int) {
	switch m.IntN(12) {
	case 0:
		m.put()
		m.notes = append(m.notes, "")
		m.note("empty-rows", len(m.rows))
	case 1:
		m.put(m.rows[m.headerAt()]...)
		m.note("repeated-headers", len(m.rows))
	}
	hundredths := m.Int64N(3_000_000) - 1_000_000
	day := time.Date(2026, time.January, 1+m.IntN(360), 0, 0, 0, 0, time.UTC)
	policy := fmt.Sprintf("POL-%d-%d", m.number, i)
	amount, note := m.money(hundredths), cellForm{text: m.one("", "x", "a \"note\"", "two\nlines", "£5; or, more")}
	if m.nothing != "" && m.IntN(5) == 0 {
		hundredths, amount = 0, cellForm{text: m.nothing}
	}
	row, wrong := len(m.rows)+1, ""
	switch m.IntN(10) {
	case 0:
		amount, wrong = cellForm{text: m.one("abc", "1..5", "12 34 5", "--5", "5.0.0")}, "C"
	case 1:
		wrong = "B"
	case 2:
		note, wrong = cellForm{text: "x"}, "E"
	}
	cells := []cellForm{{text: policy}, m.day(day), amount, note}
	if wrong == "B" {
		cells[1] = cellForm{text: m.one("31/02/2026", "soon", "2026-13-01", "99.99.9999")}
	}
	if wrong == "E" {
		cells = append(cells, cellForm{text: "00"})
	}
	m.put(cells...)
	if m.p.Format == "xlsx" && m.IntN(8) == 0 {
		m.hidden[row] = true
		m.note("hidden-rows-"+map[string]string{"read": "read", "skip": "skipped"}[m.p.HiddenRows], row)
		if m.p.HiddenRows == "skip" {
			return
		}
	}
	if wrong != "" {
		m.want = append(m.want, fmt.Sprintf("%d %s%d: ...", row, wrong, row))
		return
	}
	m.all, m.section = m.all+hundredths, m.section+hundredths
	m.want = append(m.want, fmt.Sprintf("%d %s %s %s", row, policy, day.Format(time.DateOnly), decimal(hundredths)))
}

// headerAt returns the place of the last row of the header.
func (m *specimen) headerAt() int {
	return slices.IndexFunc(m.rows, func(row []cellForm) bool { return len(row) == 4 && row[3].text == "Note" })
}

// note adds a row to the note of a kind.
func (m *specimen) note(kind string, row int) {
	m.notes = slices.DeleteFunc(m.notes, func(note string) bool { return note == "" })
	for i, note := range m.notes {
		if strings.HasPrefix(note, kind+" ") {
			m.notes[i] = fmt.Sprintf("%s,%d", note, row)
			return
		}
	}
	m.notes = append(m.notes, fmt.Sprintf("%s %d", kind, row))
}

// decimal writes hundredths with a point.
func decimal(hundredths int64) string {
	sign := ""
	if hundredths < 0 {
		sign, hundredths = "-", -hundredths
	}
	return fmt.Sprintf("%s%d.%02d", sign, hundredths/100, hundredths%100)
}

// money writes an amount as it is declared; a workbook may keep it as a number, perhaps with the noise of its binary
// form, or as what a formula comes to.
func (m *specimen) money(hundredths int64) cellForm {
	plain := strings.TrimPrefix(decimal(hundredths), "-")
	if m.p.Format == "xlsx" && m.IntN(2) == 0 {
		kept := decimal(hundredths)
		if m.p.RoundTo != nil && m.IntN(2) == 0 {
			kept += "4"
		} else if hundredths != 0 {
			kept += "000000000000001"[len(plain)-3:]
		}
		return cellForm{kept: m.one("", "<f>A1</f>") + "<v>" + kept + "</v>"}
	}
	whole, part, _ := strings.Cut(plain, ".")
	if m.p.RoundTo != nil && m.IntN(2) == 0 {
		part += "4999"
	}
	for i := len(whole) - 3; i > 0 && m.p.GroupingMark != ""; i -= 3 {
		whole = whole[:i] + m.p.GroupingMark + whole[i:]
	}
	text := whole + m.p.DecimalMark + part
	if len(m.p.Strip) > 0 {
		text = m.one(text, "£"+text, "gbp "+text, text+" GBP")
	}
	switch below := hundredths < 0; {
	case m.p.Sign == "debit":
		return cellForm{text: text + map[bool]string{true: " DR", false: "CR"}[below]}
	case m.p.Sign == "credit":
		return cellForm{text: text + map[bool]string{true: "CR", false: " dr"}[below]}
	case !below:
	case m.p.Sign == "minus":
		text = m.one("-", "\u2212") + text
		if m.p.Encoding == "windows-1252" {
			text = strings.Replace(text, "\u2212", "-", 1)
		}
	case m.p.Sign == "trailingMinus":
		text += "-"
	default:
		text = "(" + text + ")"
	}
	return cellForm{text: text}
}

// day writes a date as it is declared; a workbook may keep it as one.
func (m *specimen) day(on time.Time) cellForm {
	if m.p.Format == "xlsx" && m.IntN(2) == 0 {
		serial := int(on.Sub(time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)).Hours()) / 24
		return cellForm{kept: fmt.Sprintf(`<v>%d</v>`, serial)}
	}
	return cellForm{text: on.Add(time.Duration(m.IntN(24)) * time.Hour).Format(m.date)}
}

// csv writes the file as CSV.
func (m *specimen) csv() []byte {
	var text strings.Builder
	for _, row := range m.rows {
		for i, cell := range row {
			if i > 0 {
				text.WriteString(m.p.Delimiter)
			}
			if strings.ContainsAny(cell.text, "\"\n"+m.p.Delimiter) {
				cell.text = `"` + strings.ReplaceAll(cell.text, `"`, `""`) + `"`
			}
			text.WriteString(cell.text)
		}
		text.WriteString(m.lineEnd)
	}
	if m.p.Encoding == "utf-16" {
		file, _ := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text.String())
		return []byte(file)
	}
	if m.p.Encoding == "utf-8" {
		return []byte(m.one("", "\ufeff") + text.String())
	}
	in, _ := htmlindex.Get(m.p.Encoding)
	file, _ := in.NewEncoder().String(text.String())
	return []byte(file)
}

// xlsx writes the file as a workbook.
func (m *specimen) xlsx(t *testing.T) []byte {
	var rows strings.Builder
	for i, row := range m.rows {
		fmt.Fprintf(&rows, `<row r="%d"%s>`, i+1, map[bool]string{true: ` hidden="1"`}[m.hidden[i+1]])
		for j, cell := range row {
			place := fmt.Sprintf("%c%d", 'A'+j, i+1)
			style := map[bool]string{true: ` s="1"`}[j == 1 && cell.kept != ""]
			if cell.kept != "" {
				fmt.Fprintf(&rows, `<c r="%s"%s>%s</c>`, place, style, cell.kept)
			} else if cell.text != "" {
				fmt.Fprintf(&rows, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, place,
					strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(cell.text))
			}
		}
		rows.WriteString("</row>")
	}
	return book(t, rows.String(), nil)
}
