// Package table turns records into rows, and writes them as CSV or a workbook. Nested members become columns with
// dotted names. Values keep their JSON text, so that no number loses a digit.
package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/resource"
)

// Columns are the columns of a resource's records.
type Columns struct {
	named []string // in the order of the resource's members
	kinds map[string]resource.Kind
	// whole are the columns with whole numbers.
	whole map[string]bool
	// amounts are the columns with amounts of money, and in says what these are in, or is "".
	amounts map[string]bool
	in      string
}

// Of returns the columns of a resource.
func Of(r resource.Resource) Columns {
	c := Columns{
		kinds: map[string]resource.Kind{}, whole: map[string]bool{}, amounts: map[string]bool{},
		in: r.AmountsIn,
	}
	for _, m := range r.Sent {
		c.kinds[m.Path] = m.Kind
		c.whole[m.Path] = m.Whole
	}
	for _, m := range r.Members {
		c.named = append(c.named, m.Path)
		c.kinds[m.Path] = m.Kind
		c.amounts[m.Path] = m.Amount
		c.whole[m.Path] = m.Whole
	}
	return c
}

// Amount reports whether a column has amounts of money.
func (c Columns) Amount(column string) bool { return c.amounts[column] }

// Whole reports whether a column has whole numbers.
func (c Columns) Whole(column string) bool { return c.whole[column] }

// Head returns the head of a column. That of amounts says what they are in, if the exchange says it.
func (c Columns) Head(column string) string {
	if c.in == "" || !c.amounts[column] {
		return column
	}
	return column + " (" + c.in + ")"
}

// Kind returns the kind of a column. It is Free for a column that the interface does not name.
func (c Columns) Kind(column string) resource.Kind { return c.kinds[column] }

// Names returns the columns that the interface names: those of a record in a response, then other names under which
// members may be sent.
func (c Columns) Names() []string {
	names := slices.Clone(c.named)
	var others []string
	for name := range c.kinds {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return append(names, others...)
}

// Header returns the columns of a table. It has all columns that the interface names, whether or not a record has
// them, so that all exports of a resource agree. It also has the other columns that occur in records: each after the
// named columns of the same object, or at the end in alphabetical order.
func (c Columns) Header(occurring map[string]bool) []string {
	var header []string
	for _, name := range c.named {
		if c.kinds[name] != resource.Free {
			header = append(header, name)
		}
	}
	for column := range occurring {
		if c.kinds[column] == resource.Free {
			header = append(header, column)
		}
	}
	slices.SortFunc(header, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.rank(a), c.rank(b)), cmp.Compare(a, b))
	})
	return header
}

// rank returns a number by which columns are ordered. It is even for a named column, and odd for a column that
// follows the last named column of the same object.
func (c Columns) rank(column string) int {
	for name := column; ; {
		if i := slices.Index(c.named, name); i >= 0 && name == column {
			return 2 * i
		}
		// A member that the interface does not name comes after those of the same object that it names.
		if i := lastIndexFunc(c.named, func(named string) bool {
			return named == name || strings.HasPrefix(named, name+".")
		}); i >= 0 {
			return 2*i + 1
		}
		cut := strings.LastIndexByte(name, '.')
		if cut < 0 {
			return 2 * len(c.named)
		}
		name = name[:cut]
	}
}

func lastIndexFunc(all []string, is func(string) bool) int {
	for i, one := range slices.Backward(all) {
		if is(one) {
			return i
		}
	}
	return -1
}

// Cell is a value of a record and the column where it belongs.
type Cell struct {
	Column string
	Value  jsontext.Value
}
