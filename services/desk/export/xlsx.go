package export

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/contract"
)

// The sheets of a workbook.
const (
	linesSheet    = "Lines"
	controlSheet  = "Control"
	findingsSheet = "Findings"
)

// findingsAtOnce is how many findings are read at a time.
const findingsAtOnce = 200

// workbook is a workbook on its way. Lines are written to a temporary file as they come.
type workbook struct {
	file *excelize.File
	// day and amount are the styles of dates and amounts, and bold that of headers; 0 in the layouts before it.
	day, amount, bold int
}

// writeXLSX writes a workbook: the lines with two rows of headers, the numbers of the standard above the names, in as
// many sheets as they need; the sums and the digest; the findings.
func writeXLSX(ctx context.Context, w io.Writer, of Version) (err error) {
	b := &workbook{file: excelize.NewFile()}
	defer func() { _ = b.file.Close() }() // it only removes the temporary file
	if err := b.styles(of.Layout); err != nil {
		return err
	}
	if err := b.lines(ctx, of); err != nil {
		return err
	}
	if err := b.findings(ctx, of); err != nil {
		return err
	}
	return Pack(w, b.file)
}

// styles makes the styles of cells in a layout, and names the first sheet.
func (b *workbook) styles(layout int) (err error) {
	if b.day, err = b.file.NewStyle(&excelize.Style{NumFmt: 14}); err != nil {
		return err
	}
	if b.amount, err = b.file.NewStyle(&excelize.Style{NumFmt: 4}); err != nil {
		return err
	}
	if layout >= styledLayout {
		if b.bold, err = b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}); err != nil {
			return err
		}
	}
	return b.file.SetSheetName("Sheet1", linesSheet)
}

// Pack writes a workbook with texts as package sheet escapes them, the same bytes for the same one: the library packs
// its parts in any order. It would also have all of the packed file in memory first. Errors: those of w,
// problem.Unavailable.
func Pack(w io.Writer, file *excelize.File) error {
	spool, err := os.CreateTemp("", "workbook-*")
	if err != nil {
		return problem.Outage(err)
	}
	defer func() {
		_ = spool.Close()
		_ = os.Remove(spool.Name())
	}()
	file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return sheet.NewPacker(spool) })
	if err := file.Write(io.Discard); err != nil {
		return err
	}
	size, err := spool.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	packed, err := zip.NewReader(spool, size)
	if err != nil {
		return err
	}
	slices.SortFunc(packed.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	out := zip.NewWriter(w)
	for _, part := range packed.File {
		if err := out.Copy(part); err != nil {
			return err
		}
	}
	return out.Close()
}

func (b *workbook) lines(ctx context.Context, of Version) error {
	out := &lineSheets{workbook: b, most: excelize.TotalRows}
	var r *row
	if err := of.Desk.EachLine(ctx, of.At, of.Number, func(v desk.BordereauVersion, k *contract.Kept) (err error) {
		if r, err = newRow(v, k); err != nil {
			return err
		}
		numbers, names := []any{}, []any{}
		for _, c := range r.columns {
			numbers, names = append(numbers, c.CR), append(names, c.Name)
		}
		out.headers = [][]any{numbers, names}
		if err := out.next(); err != nil {
			return err
		}
		return b.control(v, r)
	}, func(line jsontext.Value) error {
		texts, err := r.cells(line)
		if err != nil {
			return err
		}
		cells := make([]any, len(texts))
		for i, c := range r.columns {
			cells[i] = b.cell(c, texts[i])
		}
		return out.write(cells)
	}); err != nil {
		return err
	}
	return out.Flush()
}

// lineSheets writes rows to a sheet and, once that is full, to further ones with the same headers.
type lineSheets struct {
	*excelize.StreamWriter
	*workbook
	headers [][]any
	// most is how many rows a sheet has at most, with its headers, and written how many this one has.
	most, written int
	// sheets is how many there are.
	sheets int
}

// next begins a sheet: the first one is there already.
func (s *lineSheets) next() (err error) {
	name := linesSheet
	if s.sheets++; s.sheets > 1 {
		name += " " + strconv.Itoa(s.sheets)
		if _, err = s.file.NewSheet(name); err == nil {
			err = s.Flush()
		}
	}
	if err == nil && s.bold > 0 {
		err = s.filter(name)
	}
	if err == nil {
		s.StreamWriter, err = s.file.NewStreamWriter(name)
	}
	if err == nil && s.bold > 0 {
		err = s.inSight()
	}
	s.written = 0
	for _, cells := range s.headers {
		if err == nil {
			err = s.row(cells, excelize.RowOpts{StyleID: s.bold})
		}
	}
	return err
}

// names are the cells of the last row of the header.
func (s *lineSheets) names() []any { return s.headers[len(s.headers)-1] }

// filter lets the rows of a sheet be chosen by their values.
func (s *lineSheets) filter(name string) error {
	first, err1 := excelize.CoordinatesToCellName(1, len(s.headers))
	last, err2 := excelize.CoordinatesToCellName(len(s.names()), s.most)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return s.file.AutoFilter(name, first+":"+last, nil)
}

// The widths of columns, in characters. The arrow of a filter needs room.
const (
	narrowest = 12
	widest    = 40
	arrow     = 3
	// otherWidth is that of a column of a sheet without lines, which has mostColumns at most.
	otherWidth  = 20
	mostColumns = 10
)

// inSight keeps the header of a sheet in sight, and makes the columns as wide as their names.
func (s *lineSheets) inSight() error {
	for i, name := range s.names() {
		width := min(widest, max(narrowest, arrow+utf8.RuneCountInString(name.(string))))
		if err := s.SetColWidth(i+1, i+1, float64(width)); err != nil {
			return err
		}
	}
	return s.SetPanes(&excelize.Panes{Freeze: true, YSplit: len(s.headers),
		TopLeftCell: "A" + strconv.Itoa(len(s.headers)+1), ActivePane: "bottomLeft"})
}

func (s *lineSheets) write(cells []any) error {
	if s.written == s.most {
		if err := s.next(); err != nil {
			return err
		}
	}
	return s.row(cells)
}

func (s *lineSheets) row(cells []any, how ...excelize.RowOpts) error {
	s.written++
	place, err := excelize.CoordinatesToCellName(1, s.written)
	if err != nil {
		return err
	}
	return s.SetRow(place, sheet.Cells(cells), how...)
}

// cell returns a cell: a date and a number are what they are, and a text is never a formula.
func (b *workbook) cell(c column, text string) any {
	switch {
	case text == "":
		return nil
	case c.Kind == dateKind:
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return excelize.Cell{StyleID: b.day, Value: day}
		}
	case c.Kind == numberKind && isNumber(text):
		return excelize.Cell{StyleID: b.amount, Value: Number(text)}
	}
	return neutral(text)
}

// control writes the sheet of the sums, with the digest by which the version is signed off.
func (b *workbook) control(v desk.BordereauVersion, r *row) error {
	rows := [][]any{
		{"Contract", v.Contract}, {"Kind", v.Kind}, {"Period", v.Period}, {"Version", v.Number}, {"Type", v.Type},
		{"Prepared at", v.PreparedAt.String()}, {"Lines", v.Lines}, {"Digest (SHA-256)", v.Digest},
		{"Not provided", strings.Join(r.notProvided(), ", ")}, {},
	}
	if v.Kind == desk.Claims {
		return b.sheet(controlSheet, append(rows, b.claimTotals(v.Claims)...))
	}
	return b.sheet(controlSheet, append(rows, b.totals(v.Totals)...))
}

// totals returns the rows of the sums of a premium bordereau.
func (b *workbook) totals(of []desk.BordereauTotal) [][]any {
	taxed := slices.ContainsFunc(of, func(t desk.BordereauTotal) bool { return t.Taxes != "" })
	taxes := func(cells ...any) []any {
		if taxed {
			return cells
		}
		return nil
	}
	rows := [][]any{b.header(slices.Concat([]any{"Section", "Currency", "Lines", "Gross", "Commission", "Brokerage"},
		taxes("Taxes"), []any{"Net", "Settlement currency", "Settled"})...)}
	for _, t := range of {
		rows = append(rows, slices.Concat([]any{t.Section, t.Currency, t.Lines},
			b.amounts(t.Gross, t.Commission, t.Brokerage), taxes(b.amounts(t.Taxes)...), b.amounts(t.Net),
			[]any{t.SettlementCurrency}, b.amounts(t.Settled)))
	}
	return rows
}

// claimTotals returns the rows of the sums of a claims bordereau.
func (b *workbook) claimTotals(of []desk.ClaimTotal) [][]any {
	rows := [][]any{b.header("Amounts", "Currency", "Lines", "Paid this period", "Previously paid", "Outstanding",
		"Incurred", "Change of incurred")}
	for _, t := range of {
		for _, one := range []struct {
			name, currency string
			of             desk.ClaimFigures
		}{
			{"Indemnity", t.Currency, t.Indemnity}, {"Fees", t.Currency, t.Fees},
			{"Indemnity, settled", t.SettlementCurrency, t.SettledIndemnity},
			{"Fees, settled", t.SettlementCurrency, t.SettledFees},
		} {
			rows = append(rows, slices.Concat([]any{one.name, one.currency, t.Lines}, b.amounts(one.of.Paid,
				one.of.PreviouslyPaid, one.of.Outstanding, one.of.Incurred, one.of.ChangeOfIncurred)))
		}
	}
	return rows
}

// amounts returns the cells of amounts.
func (b *workbook) amounts(of ...scalar.Decimal) (cells []any) {
	for _, amount := range of {
		cells = append(cells, excelize.Cell{StyleID: b.amount, Value: Number(string(amount))})
	}
	return cells
}

// findings writes the sheet of what each check came to, and below it of what was found.
func (b *workbook) findings(ctx context.Context, of Version) error {
	var rows [][]any
	for skip, more := 0, true; more; {
		page, err := of.Desk.Findings(ctx, of.At, of.Number, skip, findingsAtOnce)
		if err != nil {
			return err
		}
		contract.Hide(ctx, &page)
		if skip == 0 {
			rows = append(b.checked(page.Checks),
				b.header("Code", "Severity", "Outcome", "Policy", "Line", "Finding", "Waived by", "Reason"))
		}
		for _, f := range page.Findings {
			rows = append(rows, []any{f.Code, f.Severity, f.Outcome, neutral(f.PolicyNumber), f.LineID,
				neutral(f.Words), neutral(f.WaivedBy), neutral(f.Waiver)})
		}
		skip, more = page.Next, page.Next > 0
	}
	return b.sheet(findingsSheet, rows)
}

// checked returns the rows of what each check came to, and an empty one; none where that was not kept.
func (b *workbook) checked(checks []desk.BordereauCheck) (rows [][]any) {
	for _, c := range checks {
		rows = append(rows, []any{c.Code, c.Severity, c.Outcome, c.Found, c.NotEvaluated, neutral(c.Why)})
	}
	if len(rows) > 0 {
		header := b.header("Check", "Severity", "Outcome", "Found", "Not evaluated", "Why")
		rows = append(slices.Insert(rows, 0, header), []any{})
	}
	return rows
}

// header returns the cells of a header that is one among other rows.
func (b *workbook) header(names ...any) []any {
	for i, name := range names {
		if b.bold > 0 {
			names[i] = excelize.Cell{StyleID: b.bold, Value: name}
		}
	}
	return names
}

func (b *workbook) sheet(name string, rows [][]any) error {
	if _, err := b.file.NewSheet(name); err != nil {
		return err
	}
	out, err := b.file.NewStreamWriter(name)
	if err != nil {
		return err
	}
	if b.bold > 0 {
		if err := out.SetColWidth(1, mostColumns, otherWidth); err != nil {
			return err
		}
	}
	for i, cells := range rows {
		place, err := excelize.CoordinatesToCellName(1, i+1)
		if err != nil {
			return err
		}
		if err := out.SetRow(place, sheet.Cells(cells)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// exactDigits is how many digits every spreadsheet keeps of a number.
const exactDigits = 15

// Number returns a number as a spreadsheet keeps it. One with more digits is a text, so that none is lost.
func Number(text string) any {
	digits := strings.TrimLeft(strings.NewReplacer(".", "", "-", "").Replace(text), "0")
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || len(digits) > exactDigits {
		return text
	}
	return value
}
