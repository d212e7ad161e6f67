package rows

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/sheet/table"
)

// Members returns the names of the members of rows in their order, of which the first one is the key. selected says
// whether they have what was asked for of their figures.
func (l *List) Members(selected bool) (names []string) {
	for _, field := range reflect.VisibleFields(l.row) {
		if selected || field.Type != selectedType {
			names = append(names, memberOf(field))
		}
	}
	return names
}

// selectedType is the type of what rows have where months are asked for.
var selectedType = reflect.TypeFor[*book.Figures]()

func memberOf(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// FileColumn is a column of a file with rows.
type FileColumn struct {
	table.Column
	field []int
}

// FileColumns returns the columns of members in a file. The members of a member have columns of their own, with a point
// between both names.
func (l *List) FileColumns(members []string) (all []FileColumn) {
	fields := reflect.VisibleFields(l.row)
	for _, name := range members {
		field := fields[slices.IndexFunc(fields, func(f reflect.StructField) bool { return memberOf(f) == name })]
		if field.Type != selectedType {
			all = append(all, FileColumn{table.Column{Name: name, Kind: kindOf(field.Type)}, field.Index})
			continue
		}
		for _, part := range reflect.VisibleFields(field.Type.Elem()) {
			all = append(all, FileColumn{table.Column{Name: name + "." + memberOf(part), Kind: kindOf(part.Type)},
				slices.Concat(field.Index, part.Index)})
		}
	}
	return all
}

func kindOf(t reflect.Type) table.Kind {
	switch t {
	case reflect.TypeFor[scalar.DateTime]():
		return table.Instant
	case reflect.TypeFor[scalar.Date]():
		return table.Day
	case reflect.TypeFor[scalar.Decimal]():
		return table.Amount
	case reflect.TypeFor[int](), reflect.TypeFor[int64]():
		return table.Whole
	case reflect.TypeFor[bool]():
		return table.Flag
	}
	return table.Text
}

// Cell returns the cell of the column in a row, which points to one: an instant in a zone, marks with blanks between
// them, and nothing for what the row does not have.
func (f FileColumn) Cell(row any, zone *time.Location) string {
	value, err := reflect.ValueOf(row).Elem().FieldByIndexErr(f.field)
	if err != nil {
		return "" // nothing was asked for of the figures
	}
	switch v := value.Interface().(type) {
	case scalar.DateTime:
		if v.IsZero() {
			return ""
		}
		return v.Time().In(zone).Format(time.RFC3339Nano)
	case []book.FigureMark:
		return strings.Trim(fmt.Sprint(v), "[]")
	default:
		return fmt.Sprint(v)
	}
}
