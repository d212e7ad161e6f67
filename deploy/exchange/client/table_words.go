package client

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/reconciliation"
)

// print prints the number of a row, the id of its record, and the number or name that people know it by.
func (t *tableImport) print(row intake.ImportRow) error {
	var last *intake.ImportRecord
	for n, record := range row.Records {
		if record.Resource == t.resource.Name {
			last = &row.Records[n]
		}
	}
	if last == nil {
		return nil
	}
	members := map[string]string{
		t.resource.Members[0].Path: string(last.ID), "policyNumber": last.PolicyNumber, "claimNumber": last.ClaimNumber,
	}
	for _, column := range t.head.Columns {
		path := strings.TrimPrefix(column.Means, last.Name+".")
		if at := columnNumber(column.Column); members[path] == "" && at <= len(row.Cells) {
			members[path] = row.Cells[at-1]
		}
	}
	for path, text := range members {
		if text == "" {
			delete(members, path)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "%d\t%s\n", row.Row, strings.Join(t.resource.KnownBy(text), "\t"))
	return err
}

// concludeTable prints what a completed import has done.
func (p *program) concludeTable(t *tableImport) error {
	if _, err := fmt.Fprintf(p.Out, "%s.\n", t); err != nil {
		return err
	}
	if t.dryRun {
		fmt.Fprintln(p.Err, "Nothing was created. The exchange tried each row; what other rows of this file would "+
			"change is not checked.")
		t.show(p.Err)
	}
	for _, words := range t.notes() {
		fmt.Fprintln(p.Err, words)
	}
	if t.head.Outcomes[intake.There] > 0 {
		fmt.Fprintln(p.Err, alreadyThere)
	}
	if len(t.refused) > 0 {
		return t.mend(t.caller, len(t.refused))
	}
	return nil
}

// show prints how the columns were understood.
func (t *tableImport) show(w io.Writer) {
	fmt.Fprintln(w, "Understood:")
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, column := range t.head.Columns {
		example := ""
		if len(column.Examples) > 0 {
			of := column.Examples[0]
			example = fmt.Sprintf("%q is %s", of.Sent, of.Read)
		}
		fmt.Fprintf(out, "  %s\t%s\t%s\t%s\t%s\n", column.Column, Printable(column.Name), Printable(column.Means),
			column.Form, Printable(example))
	}
	_ = out.Flush() // as the other lines: what cannot be shown does not stop the work
}

// notes returns a sentence for each thing that there is to say of how the file was read.
func (t *tableImport) notes() (all []string) {
	if t.head.Formulas > 0 {
		all = append(all, fmt.Sprintf("Cells that are formulas, taken by their stored values: %d.", t.head.Formulas))
	}
	for _, note := range t.head.Notes {
		words, is := noteWords[note.Kind]
		if !is || note.Kind == reconciliation.ColumnsNotRead && t.profile == "" {
			continue
		}
		if len(note.Places) > 0 {
			words += ": " + strings.Join(note.Places, ", ")
		}
		if more := note.Count - len(note.Places); more > 0 && len(note.Places) > 0 {
			words += fmt.Sprintf(" and %d more", more)
		}
		all = append(all, words+".")
	}
	return all
}

var noteWords = map[string]string{
	reconciliation.HiddenRowsRead:    "Rows that were read, although hidden",
	reconciliation.HiddenRowsSkipped: "Rows that were left out, because hidden",
	reconciliation.HiddenColumns:     "Columns that are hidden",
	reconciliation.RepeatedHeaders:   "Rows that were left out, because the header is repeated there",
	reconciliation.EmptyRows:         "Rows that were left out, because empty",
	reconciliation.TextBelowTotals:   "Rows of text below the totals, which were left out",
	reconciliation.NoTotalsCompared:  "No total of the file was compared with its rows",
	reconciliation.ColumnsNotRead:    "Columns that were not read",
	reconciliation.ShortRows:         "Rows with fewer cells than the header, whose other cells were read as empty",
}
