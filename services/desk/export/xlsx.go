package export

import (
	"archive/zip"
	"context"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/bordereau"
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
	// day and amount are the styles of dates and amounts.
	day, amount int
}

// writeXLSX writes a workbook: the lines with two rows of headers, the numbers of the standard above the names, in as
// many sheets as they need; the sums and the digest; the findings.
func writeXLSX(ctx context.Context, w io.Writer, of *bordereau.Desk, at bordereau.Place, number string) (err error) {
	b := &workbook{file: excelize.NewFile()}
	defer func() { _ = b.file.Close() }() // it only removes the temporary file
	if err := b.styles(); err != nil {
		return err
	}
	if err := b.lines(ctx, of, at, number); err != nil {
		return err
	}
	if err := b.findings(ctx, of, at, number); err != nil {
		return err
	}
	return Pack(w, b.file)
}

// styles makes the styles of cells, and names the first sheet.
func (b *workbook) styles() (err error) {
	if b.day, err = b.file.NewStyle(&excelize.Style{NumFmt: 14}); err != nil {
		return err
	}
	if b.amount, err = b.file.NewStyle(&excelize.Style{NumFmt: 4}); err != nil {
		return err
	}
	return b.file.SetSheetName("Sheet1", linesSheet)
}

// Pack writes a workbook with texts as package sheet escapes them, the same bytes for the same one: the library packs
// its parts in any order. It would also have all of the packed file in memory first. Errors: those of w, problem.Unavailable.
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

func (b *workbook) lines(ctx context.Context, of *bordereau.Desk, at bordereau.Place, number string) error {
	out := &lineSheets{file: b.file, most: excelize.TotalRows}
	var r *row
	if err := of.EachLine(ctx, at, number, func(v desk.BordereauVersion, k *contract.Kept) (err error) {
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
	file    *excelize.File
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
	if err == nil {
		s.StreamWriter, err = s.file.NewStreamWriter(name)
	}
	s.written = 0
	for _, cells := range s.headers {
		if err == nil {
			err = s.row(cells)
		}
	}
	return err
}

func (s *lineSheets) write(cells []any) error {
	if s.written == s.most {
		if err := s.next(); err != nil {
			return err
		}
	}
	return s.row(cells)
}

func (s *lineSheets) row(cells []any) error {
	s.written++
	place, err := excelize.CoordinatesToCellName(1, s.written)
	if err != nil {
		return err
	}
	return s.SetRow(place, sheet.Cells(cells))
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
	rows := [][]any{slices.Concat([]any{"Section", "Currency", "Lines", "Gross", "Commission", "Brokerage"},
		taxes("Taxes"), []any{"Net", "Settlement currency", "Settled"})}
	for _, t := range of {
		rows = append(rows, slices.Concat([]any{t.Section, t.Currency, t.Lines},
			b.amounts(t.Gross, t.Commission, t.Brokerage), taxes(b.amounts(t.Taxes)...), b.amounts(t.Net),
			[]any{t.SettlementCurrency}, b.amounts(t.Settled)))
	}
	return rows
}

// claimTotals returns the rows of the sums of a claims bordereau.
func (b *workbook) claimTotals(of []desk.ClaimTotal) [][]any {
	rows := [][]any{{
		"Amounts", "Currency", "Lines", "Paid this period", "Previously paid", "Outstanding", "Incurred",
		"Change of incurred",
	}}
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
func (b *workbook) findings(ctx context.Context, of *bordereau.Desk, at bordereau.Place, version string) error {
	var rows [][]any
	for skip, more := 0, true; more; {
		page, err := of.Findings(ctx, at, version, skip, findingsAtOnce)
		if err != nil {
			return err
		}
		contract.Hide(ctx, &page)
		if skip == 0 {
			rows = append(checked(page.Checks),
				[]any{"Code", "Severity", "Outcome", "Policy", "Line", "Finding", "Waived by", "Reason"})
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
func checked(checks []desk.BordereauCheck) (rows [][]any) {
	for _, c := range checks {
		rows = append(rows, []any{c.Code, c.Severity, c.Outcome, c.Found, c.NotEvaluated, neutral(c.Why)})
	}
	if len(rows) > 0 {
		header := []any{"Check", "Severity", "Outcome", "Found", "Not evaluated", "Why"}
		rows = append(slices.Insert(rows, 0, header), []any{})
	}
	return rows
}

func (b *workbook) sheet(name string, rows [][]any) error {
	if _, err := b.file.NewSheet(name); err != nil {
		return err
	}
	out, err := b.file.NewStreamWriter(name)
	if err != nil {
		return err
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
