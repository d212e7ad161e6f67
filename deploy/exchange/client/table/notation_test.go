package table

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/resource"
)

// TestNotation reads cells as they are written in several countries. A cell that does not fit what was declared is an
// error and never a guess.
func TestNotation(t *testing.T) {
	t.Parallel()
	const wrong = "an error"
	for _, c := range []struct {
		notation   Notation
		kind       resource.Kind
		cell, want string
	}{
		{Notation{Order: "dmy"}, resource.Date, "03.04.2026", "2026-04-03"},
		{Notation{Order: "mdy"}, resource.Date, "3/4/2026", "2026-03-04"},
		{Notation{Order: "ymd"}, resource.Date, "2026/3/4", "2026-03-04"},
		{Notation{Order: "dmy"}, resource.Date, "2026-04-03", "2026-04-03"},
		{Notation{Order: "dmy"}, resource.Date, "04/31/2026", wrong},
		{Notation{Order: "dmy"}, resource.Date, "03.04.26", wrong},
		{Notation{Order: "mdy"}, resource.Date, "31.12.2026", wrong},
		{Notation{Order: "dmy"}, resource.Date, "03.04.2026 10:00", wrong},
		{Notation{Order: "dmy"}, resource.DateTime, "03.04.2026", "2026-04-03T00:00:00Z"},
		{Notation{Order: "dmy"}, resource.DateTime, "03.04.2026 9:05", "2026-04-03T09:05:00Z"},
		{Notation{Order: "dmy"}, resource.DateTime, "2026-04-03T09:05:00Z", "2026-04-03T09:05:00Z"},
		{Notation{Order: "dmy"}, resource.Text, "03.04.2026", "03.04.2026"},
		{Notation{}, resource.Date, "03.04.2026", "03.04.2026"},
		{Notation{Decimal: "comma"}, resource.Number, "1.234,50", "1234.50"},
		{Notation{Decimal: "comma"}, resource.Number, "1 234 567,5", "1234567.5"},
		{Notation{Decimal: "comma"}, resource.Number, "1\u00a0234", "1234"},
		{Notation{Decimal: "comma"}, resource.Number, "1.234", "1234"},
		{Notation{Decimal: "comma"}, resource.Number, "-0,5", "-0.5"},
		{Notation{Decimal: "comma"}, resource.Number, "1.5", wrong},
		{Notation{Decimal: "comma"}, resource.Number, "1,234,567", wrong},
		{Notation{Decimal: "comma"}, resource.Number, "1.234.56", wrong},
		{Notation{Decimal: "comma"}, resource.Number, "12a", wrong},
		{Notation{Decimal: "point"}, resource.Number, "1'234.50", "1234.50"},
		{Notation{Decimal: "point"}, resource.Number, "1,234.50", "1234.50"},
		{Notation{Decimal: "point"}, resource.Number, "1,5", wrong},
		{Notation{Decimal: "point"}, resource.Number, "007", "7"},
		{Notation{}, resource.Number, "1.234,50", "1.234,50"},
		{Notation{Decimal: "comma"}, resource.Text, "1.234,50", "1.234,50"},
	} {
		got, err := c.notation.Cell(c.kind, c.cell, &Understood{})
		if err != nil {
			got = wrong
		}
		if got != c.want {
			t.Errorf("%+v reads %q as %q, want %q", c.notation, c.cell, got, c.want)
		}
	}
}

// TestUnderstood names the first day and the first number that were read in another notation.
func TestUnderstood(t *testing.T) {
	t.Parallel()
	var seen Understood
	n := Notation{Order: "dmy", Decimal: "comma"}
	for _, cell := range []string{"2026-01-01", "03.04.2026", "05.06.2026"} {
		if _, err := n.Cell(resource.Date, cell, &seen); err != nil {
			t.Error(err)
		}
	}
	if _, err := n.Cell(resource.Number, "1.234,5", &seen); err != nil {
		t.Error(err)
	}
	if words := seen.String(); !strings.Contains(words, `"03.04.2026" is 2026-04-03, "1.234,5" is 1234.5`) {
		t.Errorf("what was understood is %q", words)
	}
}
