package rest

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"insurance.example/exchange/pkg/problem"
)

// parameters takes a query apart.
func parameters(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, malformedQuery(raw, err)
	}
	return values, nil
}

// eachParameter calls read with each parameter, which returns what is wrong with it, and refuses those that are wrong
// or sent more than once.
func eachParameter(values url.Values, read func(name, value string) (wrong string)) error {
	var p *problem.Error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		wrong := "is sent more than once"
		if len(values[name]) == 1 {
			wrong = read(name, values[name][0])
		}
		if wrong == "" {
			continue
		}
		if p == nil {
			p = problem.New(problem.BadParameter, "The query has parameters that this operation does not take, or takes in another form.")
		}
		p.InParameter(short(name), wrong)
	}
	if p != nil {
		return p
	}
	return nil
}

// whole reads a number written in digits alone. It returns what is wrong with any other value.
func whole(value string, least, most int, to *int) (wrong string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most || strings.Trim(value, "0123456789") != "" {
		return "must be a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most) + ", in digits"
	}
	*to = n
	return ""
}

// malformedQuery refuses a query that cannot be taken apart into parameters.
func malformedQuery(raw string, cause error) error {
	return problem.New(problem.BadParameter, "The query cannot be read: it has a wrong percent sign or a semicolon.").
		InParameter(short(raw), "cannot be read").Because(cause)
}

// noParameters refuses a query where none is taken.
func noParameters(raw string) error {
	values, err := parameters(raw)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return nil
	}
	p := problem.New(problem.BadParameter, "This operation takes no parameters.")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p.InParameter(short(name), "is not known here")
	}
	return p
}
