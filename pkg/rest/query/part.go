package query

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// PartQuery is what the query of a request asks for: one part or, without it, all, and how many records of that part
// are left out before the first.
type PartQuery struct {
	Part string
	Skip int
}

// Wants reports whether the query asks for a part.
func (q PartQuery) Wants(part string) bool { return q.Part == "" || q.Part == part }

// ReadPart reads the parameters part, which is one of those given, and skip, up to a number, which goes with it.
// Errors: problem.BadParameter.
func ReadPart(raw string, mostSkipped int, parts ...string) (PartQuery, error) {
	var q PartQuery
	values, err := Parse(raw)
	if err != nil {
		return q, err
	}
	return q, Each(values, func(name, value string) string {
		switch {
		case name == "part" && slices.Contains(parts, value):
			q.Part = value
		case name == "part":
			return "is none of " + strings.Join(parts, ", ")
		case name == "skip" && values.Has("part"):
			return Whole(value, 0, mostSkipped, &q.Skip)
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
