// Package table turns records into rows and back: nested members become columns with dotted names, and no number loses
// a digit, because values are carried as the JSON text they are.
package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/client/resource"
)

// Columns are the columns of a resource's records.
type Columns struct {
	named []string // in the order of the resource's members
	kinds map[string]resource.Kind
	known func(column string) bool
}

// Of returns the columns of a resource.
func Of(r resource.Resource) Columns {
	c := Columns{kinds: map[string]resource.Kind{}, known: r.Names}
	for _, m := range r.Sent {
		c.kinds[m.Path] = m.Kind
	}
	for _, m := range r.Members {
		c.named = append(c.named, m.Path)
		c.kinds[m.Path] = m.Kind
	}
	return c
}

// Kind returns the kind of a column; that of a column which the interface does not name is Free.
func (c Columns) Kind(column string) resource.Kind { return c.kinds[column] }

// Known reports whether the interface names a column: a member of the record, an object that holds members, or what is
// inside a member of any type.
func (c Columns) Known(column string) bool { return c.known(column) }

// Names returns the columns that the interface names: those of a record as it is read, then other names under which
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

// Header returns the columns of a table: all those that the interface names, whether or not a record has them, so that
// two exports of a resource have the same ones; and the Free columns that occur, each after its relatives, or by name at
// the end.
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
	slices.SortFunc(header, func(a, b string) int { return cmp.Or(cmp.Compare(c.rank(a), c.rank(b)), cmp.Compare(a, b)) })
	return header
}

// rank returns the place of a named column (even), or the place after its nearest named relative (odd).
func (c Columns) rank(column string) int {
	for name := column; ; {
		if i := slices.Index(c.named, name); i >= 0 && name == column {
			return 2 * i
		}
		// A member that the interface does not name comes after those of the same object that it names.
		if i := lastIndexFunc(c.named, func(named string) bool { return named == name || strings.HasPrefix(named, name+".") }); i >= 0 {
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
