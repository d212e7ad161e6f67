package desk_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"insurance.example/exchange/contracts/desk"
	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/servicetest"
)

// The layouts of the files of the corpus, by the meanings of their columns.
var layouts = [][]string{
	{"lineId", "policyNumber", "date", "gross", "net"},
	{"policyNumber", "type", "date", "gross", "net"},
	{"date", "policyNumber", "currency", "gross", "net"},
	{"type", "policyNumber", "amount"},
}

const (
	byLine = iota
	byType
	byAmount
	netAlone
)

// file is a file of the corpus: how it is written, and so declared.
type file struct {
	layout                             int
	format, delimiter, encoding        string
	mark, grouping, order, sign, total string
	header                             int
}

// corpus returns the files: each layout, delimiter, decimal mark, order of dates and sign with each of the others, and
// the encodings, grouping marks and rules of totals in turns.
func corpus() (all []file) {
	for i := range 2 * 4 * 3 * 4 * 5 {
		f := file{format: "csv", mark: []string{".", ",", ""}[i/4%3], order: []string{"ymd", "dmy", "mdy", ""}[i/12%4],
			sign:  []string{"minus", "trailingMinus", "parentheses", "debit", "credit"}[i/48%5],
			total: []string{"none", "last", "marked"}[i/7%3], header: i % 3,
			layout: (i + i/4 + i/12 + i/240) % 4}
		f.delimiter = []string{",", ";", "\t", ""}[i%4]
		f.encoding = []string{"utf-8", "bom", "windows-1252", "utf-16", "utf-16le", "utf-16be"}[i/5%6]
		f.grouping = map[string][]string{
			".": {",", "'", " ", ""}, ",": {".", " ", "'", ""}, "": {"", "", "", ""},
		}[f.mark][i/3%4]
		if f.delimiter == "" {
			f.format, f.encoding = "xlsx", ""
		}
		all = append(all, f)
	}
	return all
}

// line is a row of a file before it is written, and what is expected of it.
type line struct {
	cells map[string]string // by meaning; amounts as 1234.50 and dates as 2026-11-10
	// outcome is what is expected of it, of a record, with the meanings of cells that differ.
	outcome, record string
	differ          []string
	// together are the records that it is for, and partOf is the one that it is a part of.
	together []string
	partOf   string
	// odd cells are written as they are.
	odd map[string]string
}

func (f file) has(means string) bool { return slices.Contains(layouts[f.layout], means) }

// amount writes an amount as the file has them.
func (f file) amount(plain string) string {
	digits, negative := strings.CutPrefix(plain, "-")
	whole, part, _ := strings.Cut(digits, ".")
	mark, grouping := f.mark, f.grouping
	if mark == "" {
		mark = "."
	}
	if grouping == " " {
		grouping = "\u00a0"
	}
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + grouping + whole[at:]
	}
	text := whole + mark + part
	switch {
	case f.sign == "debit" || f.sign == "credit":
		if negative == (f.sign == "debit") {
			return text + " DR"
		}
		return text + " CR"
	case !negative:
		return text
	case f.sign == "minus":
		return "-" + text
	case f.sign == "trailingMinus":
		return text + "-"
	}
	return "(" + text + ")"
}

// date writes a date as the file has them.
func (f file) date(plain string) string {
	layout := map[string]string{
		"ymd": "2006/01/02", "dmy": "02.01.2006", "mdy": "01/02/2006", "": "02/01/2006",
	}[f.order]
	at, err := time.Parse(time.DateOnly, plain)
	if err != nil {
		return plain
	}
	return at.Format(layout)
}

// profile returns the profile of the file as JSON.
func (f file) profile() string {
	columns := []any{}
	for i, means := range layouts[f.layout] {
		name := "The " + means
		if f.header == 0 {
			name = strconv.Itoa(i + 1)
		}
		columns = append(columns, map[string]any{"column": name, "means": means})
	}
	p := map[string]any{"format": f.format, "headerRow": f.header, "sign": f.sign, "columns": columns}
	for name, value := range map[string]string{
		"delimiter": f.delimiter, "encoding": strings.Replace(f.encoding, "bom", "utf-8", 1), "decimalMark": f.mark,
		"groupingMark": f.grouping, "dateOrder": f.order,
	} {
		if value != "" {
			p[name] = value
		}
	}
	if !f.has("currency") {
		p["currency"] = "EUR"
	}
	if f.has("type") {
		p["types"] = map[string]any{"NB": "new policy"}
	}
	if f.has("amount") {
		p["amountBasis"] = "net"
	}
	totals := map[string]any{"rule": f.total}
	if f.total == "marked" {
		of := columns[slices.Index(layouts[f.layout], "policyNumber")].(map[string]any)
		totals["column"], totals["word"] = of["column"], "total"
	}
	p["totals"] = totals
	text, _ := json.Marshal(p, json.Deterministic(true))
	return string(text)
}

// rows returns the cells of a file.
func (f file) rows(lines []line) (rows [][]string) {
	names := []string{}
	for _, means := range layouts[f.layout] {
		names = append(names, "The "+means)
	}
	if f.header == 2 {
		rows = append(rows, []string{"What we have for you"})
	}
	if f.header > 0 {
		rows = append(rows, names)
	}
	for _, l := range lines {
		row := []string{}
		for _, means := range layouts[f.layout] {
			from := means
			if means == "amount" {
				from = "net"
			}
			cell, odd := l.odd[from]
			switch {
			case odd:
			case means == "date":
				cell = f.date(l.cells[from])
			case slices.Contains([]string{"gross", "net", "amount"}, means):
				cell = f.amount(l.cells[from])
			default:
				cell = l.cells[from]
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// write writes rows as the file is written.
func (f file) write(t *testing.T, rows [][]string) string {
	var out bytes.Buffer
	if f.format == "xlsx" {
		book := excelize.NewFile()
		for i, row := range rows {
			if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
				t.Fatal(err)
			}
		}
		if err := book.Write(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	to := csv.NewWriter(&out)
	to.Comma = rune(f.delimiter[0])
	if err := to.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	encoder := map[string]encoding.Encoding{
		"utf-8": encoding.Nop, "bom": unicode.UTF8BOM, "windows-1252": charmap.Windows1252,
		"utf-16":   unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		"utf-16be": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	}[f.encoding]
	text, err := encoder.NewEncoder().String(out.String())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// unread reports whether no row of the file can be read, because the profile does not declare how.
func (f file) unread() bool { return f.mark == "" || f.order == "" && f.has("date") }

// plant returns the rows of a file with their defects, for the lines that stand of a contract.
func (f file) plant(ours map[string][]desk.BordereauLine) (lines []line, missing []string) {
	row := func(name string, n int, outcome string, differ ...string) *line {
		of := ours[name][n]
		lines = append(lines, line{cells: map[string]string{
			"lineId": of.LineID, "policyNumber": of.PolicyNumber, "type": "NB", "date": string(of.EffectiveDate),
			"currency": "EUR", "gross": string(of.Gross), "net": string(of.Net),
		}, outcome: outcome, record: of.LineID, differ: differ, odd: map[string]string{}})
		return &lines[len(lines)-1]
	}
	// lost is what comes of a row whose amount differs from that of its record.
	lost := func(name string, differ ...string) *line {
		if f.layout == netAlone {
			differ = []string{"net"}
		}
		return row(name, 0, shown.Mismatch, differ...)
	}
	// apart is what comes of such a row where something else could be meant, unless it names its record by its id or
	// type.
	apart := func(name string, differ ...string) *line {
		if f.layout == byAmount {
			missing = append(missing, ours[name][0].LineID)
			return row(name, 0, shown.MissingHere)
		}
		return lost(name, differ...)
	}
	row("A", 0, shown.Matched)
	row("B", 0, shown.Matched)
	other := lost("C", "gross", "net") // the same policy, another premium
	other.cells["gross"], other.cells["net"] = "4010.00", "3410.00"
	missing = append(missing, ours["D"][0].LineID)
	elsewhere := row("E", 0, shown.Mismatch, "policyNumber") // the same amount, another policy
	elsewhere.cells["policyNumber"] += "-X"
	if f.layout != byLine {
		elsewhere.outcome, elsewhere.differ = shown.MissingHere, nil
		missing = append(missing, elsewhere.record)
	}
	row("G", 0, shown.Matched)
	row("G", 0, shown.Duplicate)
	row("H", 0, shown.Matched)
	row("H", 1, shown.Matched) // the refund
	equal := shown.Ambiguous
	if f.layout == byLine {
		equal = shown.Matched
	}
	row("I", 0, equal)
	row("I", 1, equal)
	swapped := lost("J", "gross", "net")
	swapped.cells["gross"], swapped.cells["net"] = swapped.cells["net"], swapped.cells["gross"]
	row("K", 0, shown.Mismatch, "net").cells["net"] = "1.23" // a tax is in it
	sign := row("L", 0, shown.Quarantined, "net")
	sign.odd["net"] = "€ " + f.amount(sign.cells["net"])
	day := row("M", 0, shown.Matched)
	if f.has("date") {
		day.odd["date"], day.outcome, day.differ = "31/31/2026", shown.Quarantined, []string{"date"}
	}
	for _, l := range []*line{sign, day} {
		if f.layout != byLine && l.outcome == shown.Quarantined {
			missing = append(missing, l.record)
		}
	}
	for _, name := range []string{"N", "T"} { // one row for two records, of one day and of two
		both := row(name, 0, shown.MissingHere)
		for _, of := range ours[name] {
			both.together, missing = append(both.together, of.LineID), append(missing, of.LineID)
		}
		slices.Sort(both.together)
		both.cells["lineId"] = ""
		both.cells["gross"] = sum(string(ours[name][0].Gross), string(ours[name][1].Gross))
		both.cells["net"] = sum(string(ours[name][0].Net), string(ours[name][1].Net))
	}
	differing := []string{"gross", "net"}
	if f.has("date") {
		differing = append(differing, "date")
	}
	next := apart("P", differing...) // the day after, and another premium
	next.cells["date"], next.cells["gross"], next.cells["net"] = "2026-11-05", "4011.00", "3411.00"
	two := row("Q", 0, shown.MissingHere) // two records of the day, and none has the premium
	if f.layout == byLine {
		two.outcome, two.differ = shown.Mismatch, []string{"gross", "net"}
		missing = append(missing, ours["Q"][1].LineID)
	} else {
		missing = append(missing, ours["Q"][0].LineID, ours["Q"][1].LineID)
	}
	two.cells["gross"], two.cells["net"] = "4012.00", "3412.00"
	row("R", 0, shown.Quarantined, "net").odd["net"] = "?" // it may be the one that is meant
	beside := apart("R", "gross", "net")
	beside.cells["gross"], beside.cells["net"] = "4013.00", "3413.00"
	back := apart("S", "gross", "net") // what is paid back is no premium
	back.cells["gross"], back.cells["net"] = "-"+back.cells["gross"], "-"+back.cells["net"]
	// two rows for one record, of one day and of two, and two that do not come to it
	for _, name := range []string{"O", "U", "V"} {
		missing = append(missing, ours[name][0].LineID)
		for _, part := range []string{"10.00", "-10.00"} {
			of := row(name, 0, shown.MissingHere)
			if of.cells["lineId"] = ""; name != "V" {
				of.partOf = of.record
			}
			if name == "U" && part == "10.00" {
				of.cells["date"] = "2026-11-05"
			}
			if name != "V" && part == "10.00" {
				of.cells["gross"], of.cells["net"] = part, part
				continue
			}
			of.cells["gross"], of.cells["net"] = sum(of.cells["gross"], part), sum(of.cells["net"], part)
		}
	}
	unknown := row("A", 0, shown.MissingHere)
	unknown.cells["policyNumber"], unknown.cells["lineId"] = "NOBODY", ""
	return lines, missing
}

// sum returns the sum of two amounts.
func sum(a, b string) string {
	one, wrong := strconv.ParseFloat(a, 64)
	other, also := strconv.ParseFloat(b, 64)
	if wrong != nil || also != nil {
		panic("no amounts: " + a + ", " + b)
	}
	return fmt.Sprintf("%.2f", one+other)
}

// totals returns the row of totals of a file, which agrees with its rows.
func (f file) totals(t *testing.T, lines []line) line {
	sums := map[string]float64{}
	for _, l := range lines {
		if l.outcome == shown.Quarantined {
			continue
		}
		for _, means := range []string{"gross", "net"} {
			of, err := strconv.ParseFloat(l.cells[means], 64)
			if err != nil {
				t.Fatal(err)
			}
			sums[means] += of
		}
	}
	return line{cells: map[string]string{
		"policyNumber": "TOTAL", "gross": fmt.Sprintf("%.2f", sums["gross"]), "net": fmt.Sprintf("%.2f", sums["net"]),
	}, odd: map[string]string{"date": ""}}
}

// expected returns what is expected of a file, an entry for each item.
func (f file) expected(lines []line, missing []string) (all []string) {
	first, parts := f.header+1, map[string][]int{}
	for i, l := range lines {
		outcome, record, differ := l.outcome, l.record, slices.Sorted(slices.Values(l.differ))
		if l.partOf != "" && !f.unread() {
			parts[l.partOf] = append(parts[l.partOf], first+i)
		}
		if f.unread() {
			outcome, differ, l.together = shown.Quarantined, nil, nil
		}
		if !slices.Contains([]string{shown.Matched, shown.Mismatch}, outcome) {
			record = ""
		}
		all = append(all, fmt.Sprint(outcome, " row ", first+i, " record ", record, " cells ", differ,
			" together ", l.together))
	}
	for _, id := range missing {
		all = append(all, fmt.Sprint(shown.MissingThere, " row 0 record ", id, " cells [] together ", parts[id]))
	}
	slices.Sort(all)
	return all
}

// got returns what came of a file, as expected says it.
func (f file) got(t *testing.T, items []shown.RunItem) (all []string) {
	for _, item := range items {
		differ := []string{}
		alone := slices.Contains([]string{shown.MissingHere, shown.Ambiguous, shown.MissingThere}, item.Outcome)
		if alone && len(item.Cells) == 0 && !f.unread() {
			t.Errorf("what is alone says nothing: %+v", item)
		}
		for _, cell := range item.Cells {
			ours := item.Outcome == shown.MissingThere
			if item.Outcome == shown.Quarantined && cell.Reason == "" || (cell.Theirs == "") != ours ||
				alone && (cell.Ours == "") == ours {
				t.Errorf("no reason or value: %+v", item)
			}
			if !f.unread() && !alone {
				differ = append(differ, cell.Means)
			}
		}
		slices.Sort(differ)
		of := fmt.Sprint(item.Rows)
		if item.Together {
			of = fmt.Sprint(slices.Sorted(slices.Values(item.Candidates)))
		}
		all = append(all, fmt.Sprint(item.Outcome, " row ", item.Row, " record ", item.LineID, " cells ", differ,
			" together ", of))
	}
	slices.Sort(all)
	return all
}

// book records what a contract reports, and returns its lines by policy.
func (w *world) book(t *testing.T, s *servicetest.Service, n int) map[string][]desk.BordereauLine {
	w.mu.Lock()
	w.receipts = nil
	w.mu.Unlock()
	day := time.Date(2000, 1, 1+n, 0, 0, 0, 0, time.UTC)
	contract := fmt.Sprintf("C%d", n)
	for i, name := range strings.Split("A B C D E G H I J K L M N O P Q R S T U V", " ") {
		number := contract + "-" + name
		w.policies[number] = policy{"motorCoverage", day.Format(time.RFC3339), "Ann", "in force"}
		original := w.record(number, "new policy", int64(100_000*i+123_450), "")
		if name == "I" {
			w.record(number, "new policy", original.Amount, "")
		}
		if slices.Contains([]string{"N", "Q", "T"}, name) {
			w.record(number, "new policy", original.Amount+700, "")
		}
		if name == "H" {
			w.record(number, "other", original.Amount, original.ID)
		}
	}
	for _, r := range w.receipts {
		r.RecordedAt, r.ReceiptDate = "2026-11-04T12:00:00Z", "2026-11-04"
		if r.Policy == contract+"-T" && r.Amount%1000 != 450 {
			r.ReceiptDate = "2026-11-05"
		}
	}
	s.Must(200, "PUT", "/x/contract/"+contract, fmt.Sprintf(`{"uniqueMarketReference":"B","coverholderName":"A",
		"inception":%q,"expiry":%q,"lines":["motorCoverage"],"amountUnit":"minor","currency":"EUR",
		"settlementCurrency":"GBP","originalPerSettlement":"1.22","commissionPercentage":"12.5","frequency":"month",
		"firstPeriod":"2026-11"}`, day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
	period := "/x/bordereau/" + contract + "/premium/2026-11"
	signedOff(s, period, "original")
	var page desk.BordereauLines
	read(t, s.Must(200, "GET", period+"/versions/1/lines?limit=200", ""), &page)
	ours := map[string][]desk.BordereauLine{}
	for _, l := range page.Lines {
		name := strings.TrimPrefix(l.PolicyNumber, contract+"-")
		ours[name] = append(ours[name], l)
	}
	return ours
}

// TestCorpus compares each file of the corpus with the contract that it was written from, and expects exactly the items
// of the defects that were planted in it.
func TestCorpus(t *testing.T) {
	files := corpus()
	if len(files) < 400 {
		t.Fatalf("%d files", len(files))
	}
	files = chance.Sample(files, 8)
	const desks = 4
	for part := range desks {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "2026-12-05T00:00:00Z")
			s := w.start()
			for n := part; n < len(files) && !t.Failed(); n += desks {
				files[n].compare(t, w, s, n)
			}
		})
	}
}

// compare compares a file with a contract of its own.
func (f file) compare(t *testing.T, w *world, s *servicetest.Service, n int) {
	lines, missing := f.plant(w.book(t, s, n))
	if f.unread() {
		missing = nil
		for _, r := range w.receipts {
			if f.layout != byLine || !slices.ContainsFunc(lines, func(l line) bool {
				return l.cells["lineId"] == r.ID
			}) {
				missing = append(missing, r.ID)
			}
		}
	}
	written := lines
	if f.total != "none" {
		written = append(slices.Clone(lines), f.totals(t, lines))
	}
	name := fmt.Sprintf("p%d", n)
	s.Must(200, "PUT", profiles+name, f.profile())
	media := map[string]string{"csv": "text/csv", "xlsx": sheetMedia}[f.format]
	of := send(t, s, name, media, f.write(t, f.rows(written)))
	var run shown.Run
	read(t, s.Must(201, "POST", runs, fmt.Sprintf(`{"statement":%q,"against":{"contract":"C%d","kind":"premium",
		"period":"2026-11"}}`, of.ID, n)), &run)
	want, got := f.expected(lines, missing), f.got(t, itemsOf(t, s, run))
	if !slices.Equal(want, got) {
		t.Errorf("file %d, %+v:\nwant %s\ngot  %s", n, f, strings.Join(want, "\n     "), strings.Join(got, "\n     "))
	}
	for _, total := range of.Totals {
		if !total.Agrees && !f.unread() {
			t.Errorf("file %d, %+v: %+v", n, f, total)
		}
	}
	if (f.total != "none") != (len(of.Totals) > 0) {
		t.Errorf("file %d has the totals %v", n, of.Totals)
	}
}
