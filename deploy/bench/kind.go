package main

import (
	"context"
	"regexp"
	"slices"
)

// kindOfMeasurement is a kind of measurement.
type kindOfMeasurement struct {
	// rows are the names of its rows.
	rows []string
	// measure measures the rows that the options choose, prints them, and reports whether they are at their targets. The book is that
	// with which the exchange runs.
	measure func(ctx context.Context, run *bench, written *book) (met bool, err error)
}

// titled is a row of a kind of measurement.
type titled interface{ title() string }

// kindOf returns the kind of measurement that has these rows.
func kindOf[R titled](rows []R, measure func(context.Context, *bench, *book) (bool, error)) kindOfMeasurement {
	k := kindOfMeasurement{measure: measure}
	for _, r := range rows {
		k.rows = append(k.rows, r.title())
	}
	return k
}

// chosen returns the rows of a table whose titles match an expression; all of them if it is nil.
func chosen[R titled](all []R, only *regexp.Regexp) []R {
	return slices.DeleteFunc(all, func(r R) bool { return only != nil && !only.MatchString(r.title()) })
}
