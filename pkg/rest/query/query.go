// Package query reads the parameters of a request: those of pages, of parts of a whole that may be large, and cursors,
// which are sealed where organisations share the exchange.
package query

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// The number of records or events in a page.
const (
	// DefaultLimit is the limit of a page if the request has none.
	DefaultLimit = 50
	// MaxLimit is the most of one page.
	MaxLimit = 200
)

// Parse splits a query into its parameters.
func Parse(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, malformedQuery(raw, err)
	}
	return values, nil
}

// Repeated is what is wrong with a parameter that is sent more than once, and may not be.
const Repeated = "is sent more than once"

// Each calls read with each parameter, which returns what is wrong with it, and refuses those that are wrong
// or sent more than once.
func Each(values url.Values, read func(name, value string) (wrong string)) error {
	return EachOf(values, func(name string, values []string) (wrong string) {
		if len(values) > 1 {
			return Repeated
		}
		return read(name, values[0])
	})
}

// EachOf is Each for parameters that may be sent more than once.
func EachOf(values url.Values, read func(name string, values []string) (wrong string)) error {
	var p *problem.Error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		wrong := read(name, values[name])
		if wrong == "" {
			continue
		}
		if p == nil {
			p = problem.New(problem.BadParameter,
				"The query has parameters that this operation does not take, or takes in another form.")
		}
		p.InParameter(problem.Short(name), wrong)
	}
	if p != nil {
		return p
	}
	return nil
}

// Whole reads a number written in digits alone, and returns what is wrong with any other value.
func Whole(value string, least, most int, to *int) (wrong string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most || strings.Trim(value, "0123456789") != "" {
		return "must be a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most) + ", in digits"
	}
	*to = n
	return ""
}

// InstantForm is what is wrong with a value that is no instant.
const InstantForm = "must be an instant, such as 2026-01-31T00:00:00Z"

// Instant reads an instant, and returns what is wrong with any other value: reason, and for one whose + became a blank
// how it is sent.
func Instant(value, reason string) (at time.Time, wrong string) {
	at, err := time.Parse(time.RFC3339Nano, value)
	if err == nil {
		return at, ""
	}
	if _, err := time.Parse(time.RFC3339Nano, strings.Replace(value, " ", "+", 1)); err == nil {
		reason += "; a + is written %2B"
	}
	return at, reason
}

// malformedQuery refuses a query that cannot be split into parameters.
func malformedQuery(raw string, cause error) error {
	return problem.New(problem.BadParameter, "The query cannot be read: it has a wrong percent sign or a semicolon.").
		InParameter(problem.Short(raw), "cannot be read").Because(cause)
}

// None refuses every query, for operations that take no parameters.
func None(raw string) error {
	values, err := Parse(raw)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return nil
	}
	p := problem.New(problem.BadParameter, "This operation takes no parameters.")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p.InParameter(problem.Short(name), "is not known here")
	}
	return p
}
