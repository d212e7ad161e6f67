package export

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/desk/contract"
)

// The sheets of a workbook beside that of the lines.
const (
	controlSheet  = "Control"
	findingsSheet = "Findings"
)

// findingsAtOnce is how many findings are read at a time.
const findingsAtOnce = 200

// workbook is a workbook on its way.
type workbook struct{ *table.Workbook }

// writeXLSX writes a workbook: the lines with two rows of headers, the numbers of the standard above the names, in as
// many sheets as they need; the sums and the digest; the findings.
func writeXLSX(ctx context.Context, w io.Writer, of Version) error {
	book, err := table.NewWorkbook(of.Layout < styledLayout)
	defer func() { _ = book.Close() }() // it only removes the temporary file
	if err != nil {
		return err
	}
	b := &workbook{book}
	if err := b.lines(ctx, of); err != nil {
		return err
	}
	if err := b.findings(ctx, of); err != nil {
		return err
	}
	return table.Pack(w, b.File)
}

func (b *workbook) lines(ctx context.Context, of Version) error {
	var out *table.Lines
	var r *row
	if err := of.Desk.EachLine(ctx, of.At, of.Number, func(v desk.BordereauVersion, k *contract.Kept) (err error) {
		if r, err = newRow(v, k); err != nil {
			return err
		}
		numbers, names := []any{}, []any{}
		for _, c := range r.columns {
			numbers, names = append(numbers, c.CR), append(names, c.Name)
		}
		if out, err = b.Lines(numbers, names); err != nil {
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
			if cells[i], err = b.Cell(c.is, texts[i]); err != nil {
				return err
			}
		}
		return out.Write(cells)
	}); err != nil {
		return err
	}
	return out.Flush()
}

// The width of the columns of a sheet without lines, which has mostColumns at most.
const (
	otherWidth  = 20
	mostColumns = 10
)

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
		cells = append(cells, excelize.Cell{StyleID: b.Amount, Value: table.Number(string(amount))})
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
			rows = append(rows, []any{f.Code, f.Severity, f.Outcome, table.Neutral(f.PolicyNumber), f.LineID,
				table.Neutral(f.Words), table.Neutral(f.WaivedBy), table.Neutral(f.Waiver)})
		}
		skip, more = page.Next, page.Next > 0
	}
	return b.sheet(findingsSheet, rows)
}

// checked returns the rows of what each check came to, and an empty one; none where that was not kept.
func (b *workbook) checked(checks []desk.BordereauCheck) (rows [][]any) {
	for _, c := range checks {
		rows = append(rows, []any{c.Code, c.Severity, c.Outcome, c.Found, c.NotEvaluated, table.Neutral(c.Why)})
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
		if b.Bold > 0 {
			names[i] = excelize.Cell{StyleID: b.Bold, Value: name}
		}
	}
	return names
}

func (b *workbook) sheet(name string, rows [][]any) error {
	if _, err := b.NewSheet(name); err != nil {
		return err
	}
	out, err := b.NewStreamWriter(name)
	if err != nil {
		return err
	}
	if b.Bold > 0 {
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
