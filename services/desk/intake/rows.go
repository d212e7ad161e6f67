package intake

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/pkg/reference"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/desk/block"
)

// mostParts is how many parts are looked through for the rows of a page.
const mostParts = 200

// Rows returns a page of the rows of an import that are checked and have an outcome, any if that is empty: those behind
// a number of rows of the file. Errors: problem.NotFound, those of the store.
func (i *Intake) Rows(ctx context.Context, id, outcome string, after, limit int) (intake.ImportRows, error) {
	page := intake.ImportRows{Rows: []intake.ImportRow{}}
	s, _, err := i.get(ctx, id)
	if err != nil {
		return page, err
	}
	for parts := 0; after < s.Head.Checked; parts++ {
		if parts == mostParts || len(page.Rows) == limit {
			page.Next = after
			break
		}
		rows, err := i.part(ctx, s, after/partLength)
		if err != nil {
			return page, err
		}
		for _, of := range rows[after%partLength:] {
			if len(page.Rows) == limit {
				break
			}
			if after++; outcome == "" || of.Outcome == outcome {
				page.Rows = append(page.Rows, of)
			}
		}
	}
	return page, nil
}

// part returns the rows of a part with what became of them.
func (i *Intake) part(ctx context.Context, s *stored, number int) ([]intake.ImportRow, error) {
	blocks := checkedBlocks
	if number*partLength < s.Head.Done {
		blocks = madeBlocks
	}
	return block.Read[intake.ImportRow](ctx, i.Folder.ItemsOf(s.Batch, blocks, partLength), number)
}

// Table returns the columns of the rows as a table, and what calls a function with the cells of each row with an
// outcome, any if that is empty: what became of the row, the ids and numbers of its records, and its cells as they were
// sent. Errors: problem.NotFound, those of the function and of the store.
func (i *Intake) Table(
	ctx context.Context, id, outcome string,
) (columns []table.Column, each func(row func([]string) error) error, err error) {
	s, _, err := i.get(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	columns = []table.Column{{Name: "row", Kind: table.Amount}, {Name: "outcome"}, {Name: "reason"}}
	for _, record := range s.Profile.Records {
		columns = append(columns, table.Column{Name: record.Name + ".id"})
	}
	last := s.Profile.Records[len(s.Profile.Records)-1]
	numbers := i.numbersOf(last.Resource)
	for _, member := range numbers {
		columns = append(columns, table.Column{Name: last.Name + "." + member})
	}
	for number := range width(s) {
		name := ""
		if number < len(s.Header) {
			name = s.Header[number]
		}
		columns = append(columns, table.Column{Name: cmp.Or(strings.TrimSpace(name), sheet.Column(number+1))})
	}
	return columns, func(row func([]string) error) error {
		for number := 0; number*partLength < s.Head.Checked; number++ {
			rows, err := i.part(ctx, s, number)
			if err != nil {
				return err
			}
			for _, of := range rows {
				if outcome != "" && of.Outcome != outcome {
					continue
				}
				cells := append(s.issued(of, numbers), of.Cells...)
				cells = append(cells, make([]string, len(columns))...)[:len(columns)]
				if err := row(cells); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

// width returns how many columns a file has, as far as its header or its profile says.
func width(s *stored) int {
	most := len(s.Header)
	for _, column := range s.Columns {
		most = max(most, column)
	}
	return most
}

// numbersOf returns the members of a resource that are numbers of a policy or a claim.
func (i *Intake) numbersOf(name string) (members []string) {
	of, _ := i.Catalog.Find(name)
	for _, member := range []string{reference.PolicyNumber, reference.ClaimNumber} {
		if _, is := of.Member(member); is {
			members = append(members, member)
		}
	}
	return members
}

// issued returns the cells of a row that the exchange has the values of, with some numbers of its last record.
func (s *stored) issued(of intake.ImportRow, numbers []string) []string {
	var reasons []string
	for _, wrong := range of.Wrong {
		reasons = append(reasons, strings.TrimSpace(strings.Join([]string{
			wrong.Cell, wrong.Record + wrong.Pointer, wrong.Reason}, " ")))
	}
	cells := []string{strconv.Itoa(of.Row), of.Outcome, strings.Join(reasons, "; ")}
	recordOf := func(name string) (is intake.ImportRecord) {
		if at := slices.IndexFunc(of.Records, func(r intake.ImportRecord) bool { return r.Name == name }); at >= 0 {
			is = of.Records[at]
		}
		return is
	}
	for _, record := range s.Profile.Records {
		cells = append(cells, string(recordOf(record.Name).ID))
	}
	last := recordOf(s.Profile.Records[len(s.Profile.Records)-1].Name)
	for _, member := range numbers {
		cells = append(cells, map[string]string{
			reference.PolicyNumber: last.PolicyNumber, reference.ClaimNumber: last.ClaimNumber,
		}[member])
	}
	return cells
}
