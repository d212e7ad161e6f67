// Package table turns records into rows and back: nested members become columns with dotted names, and no number loses
// a digit, because values are carried as the JSON text they are.
package table

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/scalar"
)

// Kind is how a cell is read and written.
type Kind int

// The kinds. Free is a member whose type the interface does not show, or that it does not name: its cell is JSON where it
// reads as JSON, else text.
const (
	Free Kind = iota
	Text
	Number
	Flag
	List // of texts, separated by semicolons
)

// Columns are the columns of a resource's records.
type Columns struct {
	named []string // in the order of the resource's members
	kinds map[string]Kind
}

// Of answers the columns of a resource. Those of a resource that the table does not know are all Free.
func Of(resource string) Columns {
	c := Columns{kinds: map[string]Kind{}}
	if record, known := records[resource]; known {
		c.add("", record)
	}
	for alias, member := range payloadNames[resource] {
		c.kinds[alias] = c.kinds[member]
	}
	return c
}

func (c *Columns) add(prefix string, of reflect.Type) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			c.add(prefix, field.Type)
		case name == "" && strings.Contains(options, "embed"):
			// Members that the interface does not name.
		default:
			c.addMember(prefix+name, field.Type)
		}
	}
}

func (c *Columns) addMember(path string, of reflect.Type) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of == reflect.TypeFor[scalar.Int](), of == reflect.TypeFor[scalar.Decimal](), of == reflect.TypeFor[scalar.Integer](),
		of.Kind() == reflect.Int:
		c.name(path, Number)
	case of == reflect.TypeFor[scalar.DateTime](), of.Kind() == reflect.String:
		c.name(path, Text)
	case of.Kind() == reflect.Bool:
		c.name(path, Flag)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.String:
		c.name(path, List)
	case of.Kind() == reflect.Struct:
		c.add(path+".", of)
	default:
		c.name(path, Free)
	}
}

func (c *Columns) name(path string, kind Kind) {
	c.named = append(c.named, path)
	c.kinds[path] = kind
}

// Kind answers the kind of a column.
func (c Columns) Kind(column string) Kind { return c.kinds[column] }

// Header answers the columns of a table: all those that the interface names, whether or not a record has them, so that
// two exports of a resource line up; and the Free ones that occur, each beside its parent, or by name at the end.
func (c Columns) Header(occurring map[string]bool) []string {
	var header []string
	for _, name := range c.named {
		if c.kinds[name] != Free {
			header = append(header, name)
		}
	}
	for column := range occurring {
		if c.kinds[column] == Free {
			header = append(header, column)
		}
	}
	slices.SortFunc(header, func(a, b string) int { return cmp.Or(cmp.Compare(c.rank(a), c.rank(b)), cmp.Compare(a, b)) })
	return header
}

// rank answers the place of a named column (even), or the place after its nearest named relative (odd).
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

// split takes a column's name apart at its dots. A dot or a backslash within a member's name has a backslash before it.
func split(column string) []string {
	var names []string
	var name strings.Builder
	for i := 0; i < len(column); i++ {
		switch {
		case column[i] == '\\' && i+1 < len(column):
			i++
			name.WriteByte(column[i])
		case column[i] == '.':
			names = append(names, name.String())
			name.Reset()
		default:
			name.WriteByte(column[i])
		}
	}
	return append(names, name.String())
}

var escape = strings.NewReplacer(`\`, `\\`, `.`, `\.`)

func join(parent, name string) string {
	name = escape.Replace(name)
	if parent == "" {
		return name
	}
	return parent + "." + name
}
