package search

import (
	"math/big"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/rest/query"
)

// Kind is how the values of a field are read and compared.
type Kind string

// The kinds.
const (
	// KindText is a text, compared in Unicode NFC.
	KindText Kind = "text"
	// KindName is a text that is compared as FoldName folds it, and that can be searched by how it begins.
	KindName Kind = "name"
	// KindID is a UUID. A member that is a list of them has a value if one of them is it.
	KindID Kind = "uuid"
	// KindDay is a day of the calendar, KindInstant an instant. Both have ranges.
	KindDay     Kind = "date"
	KindInstant Kind = "date-time"
	// KindNumber is a decimal number, compared exactly. It has ranges and leads no index.
	KindNumber Kind = "decimal"
)

// Field is a member that records are searched by.
type Field struct {
	// Name begins the names of the field's parameters. It is the name of the member, or the last of Path.
	Name string
	Kind Kind
	// Path leads to the member from the top of the record.
	Path []string
	// Index is the index that finds records by the field; empty if there is none, and the field is only compared.
	Index string
	// Since is the migration that gives the records of earlier releases their values; see docstore.Index.
	Since int
	// monthly says that the index has the month of a value in its place.
	monthly bool
	// composed says that a name is compared in Unicode NFC.
	composed bool
}

// Text, Name, ID, Day, Instant and Number return the field for a member of the kind. A dot in the member's name leads
// into an object: the name of the field is what follows the last one.
func Text(member string) Field    { return of(member, KindText) }
func Name(member string) Field    { return of(member, KindName) }
func ID(member string) Field      { return of(member, KindID) }
func Day(member string) Field     { return of(member, KindDay) }
func Instant(member string) Field { return of(member, KindInstant) }
func Number(member string) Field  { return of(member, KindNumber) }

// Mark returns the field for a text that somebody reads off something and types, such as the number on a plate: a name
// that is compared in Unicode NFC and regardless of case alone.
func Mark(member string) Field {
	f := of(member, KindName)
	f.composed = true
	return f
}

func of(member string, kind Kind) Field {
	path := strings.Split(member, ".")
	return Field{Name: path[len(path)-1], Kind: kind, Path: path}
}

// Leads returns the field with an index of its name, which a filter or a unique value may have as well.
func (f Field) Leads() Field { return f.LeadsBy(f.Name) }

// LeadsBy returns the field with an index. Fields of different resources in one collection may share it.
func (f Field) LeadsBy(index string) Field {
	f.Index = index
	return f
}

// LeadsByMonth returns the field, of days or instants, with an index of the months of its values. What callers ask for
// is compared with the records of the months. Values near the present, as those of an insurance mostly are, then go to
// few places of the index, and an entry costs a third of what one for each value does.
func (f Field) LeadsByMonth() Field {
	f.monthly = true
	return f.LeadsBy(f.Name + "Month")
}

// Monthly reports whether the index has months.
func (f Field) Monthly() bool { return f.monthly }

// month is the length of a month at the beginning of a day or instant.
const month = len("2006-01")

// indexed returns the text under which the index has a key, in the same order.
func (f *Field) indexed(key string) string {
	if f.monthly && len(key) > month {
		return key[:month]
	}
	return key
}

// IndexKey returns the text under which the index holds a value of the field; empty for a value that it does not hold.
func (f *Field) IndexKey(text string) string { return f.indexed(f.Key(text)) }

// operator is what a parameter asks of its field.
type operator int

const (
	equal operator = iota
	prefix
	from
	to
)

// suffixes end the names of the parameters.
var suffixes = [...]string{equal: "", prefix: "Prefix", from: "From", to: "To"}

// operators returns those of the field.
func (f *Field) operators() []operator {
	switch f.Kind {
	case KindName:
		return []operator{equal, prefix}
	case KindDay, KindInstant, KindNumber:
		return []operator{equal, from, to}
	default:
		return []operator{equal}
	}
}

// Key returns the text that a value is compared by; empty for a value that is never found.
func (f *Field) Key(text string) string {
	switch f.Kind {
	case KindText:
		return norm.NFC.String(text)
	case KindName:
		if f.composed {
			return cases.Fold().String(norm.NFC.String(text))
		}
		return FoldName(text)
	case KindID:
		return strings.ToLower(text)
	case KindInstant:
		// A record has its instants in UTC, without zeros at the end of a fraction.
		return strings.TrimSuffix(text, "Z")
	default:
		return text
	}
}

// instantForm is the form of an instant, in UTC, whose texts have the order of the instants.
const instantForm = "2006-01-02T15:04:05.999999999"

// instantKey returns an instant in that form, and an empty text for what is no instant.
func instantKey(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return ""
	}
	return at.UTC().Format(instantForm)
}

// interval is what a value of a parameter asks for: the keys from from to to, both inclusive. An empty to is open. For
// numbers the bounds are least and most, nil if open.
type interval struct {
	from, to    string
	least, most *big.Float
}

// within returns the part of an interval of keys that lies in another one.
func (i interval) within(other interval) interval {
	i.from = max(i.from, other.from)
	if i.to == "" || other.to != "" && other.to < i.to {
		i.to = other.to
	}
	return i
}

// has reports whether a value of a record lies in the interval.
func (i interval) has(f *Field, value jsontext.Value) bool {
	if f.Kind == KindNumber {
		n, ok := number(string(value))
		return ok && value.Kind() == jsontext.KindNumber && (i.least == nil || n.Cmp(i.least) >= 0) &&
			(i.most == nil || n.Cmp(i.most) <= 0)
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return false
	}
	key := f.Key(string(text))
	return key != "" && key >= i.from && (i.to == "" || key <= i.to)
}

// precision of a number, in bits: more than the digits of any number of a body need, so that two that differ stay in
// their order.
const precision = 512

func number(text string) (*big.Float, bool) {
	n, _, err := big.ParseFloat(text, 10, precision, big.ToNearestEven)
	return n, err == nil
}

// value returns the member of a record that the field is about; nil if it has none.
func (f *Field) value(record []byte) jsontext.Value {
	value := jsontext.Value(record)
	for _, name := range f.Path {
		if value.Kind() != jsontext.KindBeginObject {
			return nil
		}
		var err error
		if value, err = jsonmember.Find(value, name); err != nil || value == nil {
			return nil
		}
	}
	return value
}

// reads returns what a parameter's value asks for, or what is wrong with it.
func (f *Field) reads(op operator, text string) (i interval, wrong string) {
	switch f.Kind {
	case KindName:
		if op == prefix && !f.prefixed(text) {
			return i, "must have two characters at least"
		}
	case KindID:
		if uuid.Validate(text) != nil || len(text) != len(uuid.Nil.String()) {
			return i, "must be a UUID"
		}
	case KindDay:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return i, "must be a day of the calendar written YYYY-MM-DD"
		}
	case KindInstant:
		return readInstant(op, text)
	case KindNumber:
		return readNumber(op, text)
	}
	key := f.Key(text)
	switch op {
	case equal:
		return interval{from: key, to: key}, ""
	case prefix:
		// U+10FFFF is the greatest code point, so that nothing with the prefix sorts behind it.
		return interval{from: key, to: key + "\U0010FFFF"}, ""
	case from:
		return interval{from: key}, ""
	default:
		return interval{to: key}, ""
	}
}

// leastPrefix is the least number of characters of a prefix.
const leastPrefix = 2

// readInstant reads an instant, or a day, which stands for all of its instants in UTC.
func readInstant(op operator, text string) (i interval, wrong string) {
	first, last := instantKey(text), instantKey(text)
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		first, last = text+"T00:00:00", text+"T23:59:59.999999999"
	}
	if first == "" {
		_, wrong = query.Instant(text, "must be an instant written as RFC 3339 has it, or a day written YYYY-MM-DD")
		return i, wrong
	}
	switch op {
	case from:
		return interval{from: first}, ""
	case to:
		return interval{to: last}, ""
	default:
		return interval{from: first, to: last}, ""
	}
}

// longestNumber is the greatest length of a number of a parameter.
const longestNumber = jsonobject.MaxNumber

// readNumber reads a decimal number without an exponent.
func readNumber(op operator, text string) (i interval, wrong string) {
	n, ok := number(text)
	if !ok || len(text) > longestNumber || strings.Trim(text, "-0123456789.") != "" {
		return i, "must be a decimal number such as 1234.50"
	}
	switch op {
	case from:
		return interval{least: n}, ""
	case to:
		return interval{most: n}, ""
	default:
		return interval{least: n, most: n}, ""
	}
}
