package measurement

import (
	"context"
	"regexp"
	"slices"

	"insurance.example/exchange/deploy/proof/bench/records"
)

// Kind is a kind of measurement.
type Kind struct {
	// Rows are the names of its rows.
	Rows []string
	// Measure measures the rows that the options choose, prints them, and reports whether they are at their targets.
	// The book is that with which the exchange runs.
	Measure func(ctx context.Context, run *Run, written *records.Book) (met bool, err error)
}

// titled is a row of a kind of measurement.
type titled interface{ Title() string }

// KindOf returns the kind of measurement that has these rows.
func KindOf[R titled](rows []R, measure func(context.Context, *Run, *records.Book) (bool, error)) Kind {
	k := Kind{Measure: measure}
	for _, r := range rows {
		k.Rows = append(k.Rows, r.Title())
	}
	return k
}

// Chosen returns the rows of a table whose titles match an expression; all of them if it is nil.
func Chosen[R titled](all []R, only *regexp.Regexp) []R {
	return slices.DeleteFunc(all, func(r R) bool { return only != nil && !only.MatchString(r.Title()) })
}
