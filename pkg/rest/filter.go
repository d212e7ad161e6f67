package rest

import (
	"strconv"
	"time"

	"golang.org/x/text/cases"

	"insurance.example/exchange/pkg/docstore"
)

// Filter is a member that a list can be narrowed by. Each has an index of its own.
type Filter[T any] struct {
	// Index is the name of the index and of the member.
	Index string
	// Key returns the index value of a record, "" for none.
	Key func(v *T) string
	// params are the query parameters and what each asks of the index.
	params []param
	// ranged says that they ask for ranges, which a unique index does not have.
	ranged bool
}

// param is one query parameter.
type param struct {
	name string
	// format is int64 or date, empty for text. means says what the parameter asks for.
	format, means string
	// apply adds to the query, or returns what is wrong with the value.
	apply func(value string, q *docstore.Query) (wrong string)
}

// Exact returns the filter that narrows a list to the records whose member is the value.
func Exact[T any](name string, key func(*T) string) Filter[T] {
	return Filter[T]{Index: name, Key: key, params: []param{{name, "", "the value of " + name, func(value string, q *docstore.Query) string {
		q.Equal[name] = value
		return ""
	}}}}
}

// Whole returns the filter that narrows a list to the records whose member is the whole number.
func Whole[T any](name string, key func(*T) string) Filter[T] {
	return Filter[T]{Index: name, Key: key, params: []param{{name, "int64", "the value of " + name, func(value string, q *docstore.Query) string {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "must be a whole number"
		}
		q.Equal[name] = strconv.FormatInt(n, 10)
		return ""
	}}}}
}

// Prefix returns the filter that narrows a list to the records whose member begins with the value, in any case.
func Prefix[T any](name string, key func(*T) string) Filter[T] {
	// A Caser may hold state, so each use has its own.
	fold := func(s string) string { return cases.Fold().String(s) }
	return Filter[T]{
		Index:  name,
		Key:    func(v *T) string { return fold(key(v)) },
		ranged: true,
		params: []param{{name, "", "what " + name + " begins with, in any case", func(value string, q *docstore.Query) string {
			from := fold(value)
			// U+10FFFF is the greatest code point, so that nothing with the prefix sorts behind it.
			q.Ranges = append(q.Ranges, docstore.Range{Index: name, From: from, To: from + "\U0010FFFF"})
			return ""
		}}},
	}
}

// DateRange returns the filter that narrows a list to the records whose member is a day from {name}From to {name}To,
// both inclusive.
func DateRange[T any](name string, key func(*T) string) Filter[T] {
	bound := func(suffix, means string, set func(*docstore.Range, string)) param {
		return param{name + suffix, "date", means, func(value string, q *docstore.Query) string {
			if _, err := time.Parse(time.DateOnly, value); err != nil {
				return "must be a day of the calendar written YYYY-MM-DD"
			}
			for i := range q.Ranges {
				if q.Ranges[i].Index == name {
					set(&q.Ranges[i], value)
					return ""
				}
			}
			r := docstore.Range{Index: name}
			set(&r, value)
			q.Ranges = append(q.Ranges, r)
			return ""
		}}
	}
	return Filter[T]{Index: name, Key: key, ranged: true, params: []param{
		bound("From", "the first day of "+name, func(r *docstore.Range, day string) { r.From = day }),
		bound("To", "the last day of "+name, func(r *docstore.Range, day string) { r.To = day }),
	}}
}

// Text returns what a pointer points to, "" for nil: the index value of an optional member.
func Text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
