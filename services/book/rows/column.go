package rows

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/scalar"
)

// List is a list of the book. Its columns are the members of its rows.
type List struct {
	Name    string
	Columns []Column
	// Finds says that rows are found by a part of what they have.
	Finds bool
	row   reflect.Type
	// sorts are the columns that rows can be sorted by, and insert is the statement that keeps a row.
	sorts  []Column
	insert string
}

// Kind says how the values of a column are compared.
type Kind int

// The kinds of columns.
const (
	Text Kind = iota
	Day
	Number
	Flag
)

// Column is a column of a list.
type Column struct {
	// Name is that of the member.
	Name string
	Kind Kind
	// Sorts says that rows can be sorted by the column, which has an index.
	Sorts bool
	// inText says that rows are found by the column.
	inText bool
	field  []int
}

// The lists.
var (
	Policies = listOf[book.PolicyRow]("policies", "inceptionDate", "expiryDate", "insured", "contract", "written",
		"received",
		"open", "lastReceipt", "incurred", "lossRatio")
	Claims = listOf[book.ClaimRow]("claims", "policyNumber", "insured", "contract", "lossDate", "fnol", "lastMovement",
		"reserve", "paid", "outstanding", "incurred")
	Movements = listOf[book.MovementRow]("movements", "policyNumber", "amount", "date", "recordedAt", "late")
)

// listOf returns a list with rows of a type, which can be sorted by some columns.
func listOf[T any](name string, sorts ...string) *List {
	l := &List{Name: name, row: reflect.TypeFor[T](), Finds: name != "movements"}
	set, places := "text = excluded.text, row = excluded.row, adds = excluded.adds", "?, ?, ?, ?, ?"
	for _, field := range reflect.VisibleFields(l.row) {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		c := Column{Name: member, field: field.Index, inText: slices.Contains(finds, member)}
		switch field.Type {
		case reflect.TypeFor[scalar.DateTime](), reflect.TypeFor[scalar.Date]():
			c.Kind = Day
		case reflect.TypeFor[scalar.Decimal](), reflect.TypeFor[int](), reflect.TypeFor[int64]():
			c.Kind = Number
		case reflect.TypeFor[bool]():
			c.Kind = Flag
		default:
			if field.Type.Kind() != reflect.String {
				continue // a list or a part of the row
			}
		}
		if c.Sorts = slices.Contains(sorts, member); c.Sorts {
			l.sorts = append(l.sorts, c)
			set += ", " + c.column() + " = excluded." + c.column()
			places += ", ?"
		}
		l.Columns = append(l.Columns, c)
	}
	l.insert = "INSERT INTO " + l.table() + " VALUES (" + places + ") ON CONFLICT DO UPDATE SET " + set
	return l
}

// newRow returns a pointer to a new row of the list.
func (l *List) newRow() any { return reflect.New(l.row).Interface() }

func (l *List) table() string { return l.Name + "Row" }

// column is the name of the column of the table that has the values to sort by.
func (c Column) column() string { return "by_" + c.Name }

// value returns the value of the column in a row, which points to one.
func (c Column) value(row any) any {
	return reflect.ValueOf(row).Elem().FieldByIndex(c.field).Interface()
}

// text returns the value of the column as it is compared: a day as YYYY-MM-DD, a number in digits; empty for an absent
// one.
func (c Column) text(row any, zone *time.Location) string {
	switch v := c.value(row).(type) {
	case scalar.DateTime:
		if v.IsZero() {
			return ""
		}
		return string(scalar.DateOf(v.Time(), zone))
	case scalar.Date:
		return string(v)
	case scalar.Decimal:
		return string(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	default:
		return reflect.ValueOf(v).String()
	}
}

// sortValue returns the value by which a row is sorted: a text, or a number as far as a float has its digits. Rows
// whose numbers differ beyond these are in the order of their keys.
func (c Column) sortValue(row any) any {
	switch v := c.value(row).(type) {
	case scalar.DateTime:
		if v.IsZero() {
			return ""
		}
		return v.Time().UTC().Format("2006-01-02T15:04:05.000000000Z")
	case scalar.Decimal:
		number, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return ""
		}
		return number
	case int:
		return int64(v)
	case int64:
		return v
	default:
		return folded(reflect.ValueOf(v).String())
	}
}

// folded returns a text as it is compared: in any case.
func folded(text string) string { return strings.ToLower(text) }
