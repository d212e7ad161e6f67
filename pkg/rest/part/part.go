// Package part is what services return of a whole that may be large: which part a request asks for, and its records.
package part

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/rest/internal/query"
)

// Query is what the query of a request asks for: one part or, without it, all, and how many records of that part are
// left out before the first.
type Query struct {
	Part string
	Skip int
}

// Wants reports whether the query asks for a part.
func (q Query) Wants(part string) bool { return q.Part == "" || q.Part == part }

// Read reads the parameters part, which is one of those given, and skip, up to a number, which goes with it. Errors:
// problem.BadParameter.
func Read(raw string, mostSkipped int, parts ...string) (Query, error) {
	var q Query
	values, err := query.Parse(raw)
	if err != nil {
		return q, err
	}
	return q, query.Each(values, func(name, value string) string {
		switch {
		case name == "part" && slices.Contains(parts, value):
			q.Part = value
		case name == "part":
			return "is none of " + strings.Join(parts, ", ")
		case name == "skip" && values.Has("part"):
			return query.Whole(value, 0, mostSkipped, &q.Skip)
		case name == "skip":
			return "goes with part"
		default:
			return "is not known here; known are part and skip"
		}
		return ""
	})
}

// Part is some records in order of creation, and whether there are others after them.
type Part struct {
	Records []Shown `json:"records"`
	More    bool    `json:"more"`
}

// Shown is a record as its readers see it.
type Shown struct {
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// Version is the version that is shown; 0 for the present one.
	Version int64          `json:"version,omitzero"`
	Record  jsontext.Value `json:"record"`
}

// Instant reads the value of a parameter that is an instant, and returns what is wrong with any other value.
func Instant(value string) (at time.Time, wrong string) {
	return query.Instant(value, "must be an instant, such as 2026-01-31T00:00:00Z")
}

// Number reads the value of a parameter that is a number written in digits alone, and returns what is wrong with any
// other value.
func Number(value string, least, most int, to *int) (wrong string) {
	return query.Whole(value, least, most, to)
}
