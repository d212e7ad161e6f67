package query

import (
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/problem"
)

// Place is where a page of all records begins, and how many it has at most.
type Place struct {
	// After is the id of the last record of the page before; the zero value for the first page.
	After uuid.UUID
	Limit int
	// At is the instant at which the records are shown; the zero time where none is asked for.
	At time.Time
}

// Places says what the requests of an operation name.
type Places struct {
	// Oldest is what stands for the place before the first record.
	Oldest string
	// Limit is how many records a page has without the parameter limit, and Most the most that it may ask for.
	Limit, Most int
	// Dated says that the parameter at is required.
	Dated bool
}

// Read reads a place: the last segment of a path, and a query. Errors: problem.BadParameter.
func (p Places) Read(after, raw string) (at Place, err error) {
	at.Limit = p.Limit
	wrong := problem.New(problem.BadParameter, "")
	if after != p.Oldest {
		if at.After, err = uuid.Parse(after); err != nil {
			wrong.InParameter("after", "must be an id, or "+p.Oldest)
		}
	}
	values, err := Parse(raw)
	if err != nil {
		return at, err
	}
	if p.Dated && !values.Has("at") {
		wrong.InParameter("at", "is required, an instant such as 2026-03-01T12:00:00Z")
	}
	for name, given := range values {
		if reason := p.parameter(name, given[0], &at); reason != "" {
			wrong.InParameter(name, reason)
		}
	}
	if len(wrong.Violations) > 0 {
		return at, wrong
	}
	return at, nil
}

func (p Places) parameter(name, value string, to *Place) (wrong string) {
	switch {
	case name == "limit":
		return Whole(value, 1, p.Most, &to.Limit)
	case name == "at" && p.Dated:
		if to.At.UnmarshalText([]byte(value)) != nil {
			return "must be an instant such as 2026-03-01T12:00:00Z"
		}
		return ""
	default:
		return "is not known here"
	}
}
