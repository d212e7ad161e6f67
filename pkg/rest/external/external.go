// Package external is about the names that callers give to their records: the member externalReference, and the texts
// by which a body names a record in place of its id.
package external

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
)

const (
	// Member is the member with the name, and the parameter that lists and searches take.
	Member = "externalReference"
	// Prefix begins a text that names a record by such a name, or by the number that the exchange has issued to it.
	Prefix = "ref:"
	// Path begins that of the internal operation that looks such names up. The resources that are meant follow, with
	// commas between them.
	Path = "/internal/reference/"
	// Parameter is the parameter of the operation that has the name.
	Parameter = "reference"
)

// most is the greatest number of characters of a name.
const most = 100

// Fault returns what is wrong with a name; empty if nothing is. Names are compared in Unicode NFC, and so measured.
func Fault(name string) string {
	another := func(c rune) bool { return unicode.IsSpace(c) && c != ' ' }
	switch length := utf8.RuneCountInString(norm.NFC.String(name)); {
	case length == 0 || length > most:
		return "must have 1 to 100 characters"
	case strings.ContainsFunc(name, visible.Hidden):
		return "has a control or invisible character"
	case strings.ContainsFunc(name, another), strings.Contains(name, "  "), strings.Trim(name, " ") != name,
		!visible.In(name):
		return "may have single blanks between its characters, and no others"
	}
	return ""
}

// PathOf returns the path by which another service is asked for the records of some resources with a name.
func PathOf(resources []string, name string) string {
	return Path + url.PathEscape(strings.Join(resources, ",")) + "?" + url.Values{Parameter: {name}}.Encode()
}

// Record is a record that a name may stand for.
type Record struct {
	ID string `json:"id"`
	// Number is the number that the exchange has issued to the record; empty if there is none.
	Number string `json:"number,omitzero"`
}

// Records is the response of the internal operation.
type Records struct {
	Records []Record `json:"records"`
}

// Add adds a record, unless it is there.
func (all *Records) Add(record Record) {
	for _, other := range all.Records {
		if other.ID == record.ID {
			return
		}
	}
	all.Records = append(all.Records, record)
}

// One returns the record, and whether there is one. Errors: problem.AmbiguousReference at a pointer, if there are
// several.
func (all *Records) One(pointer string) (Record, bool, error) {
	switch len(all.Records) {
	case 0:
		return Record{}, false, nil
	case 1:
		return all.Records[0], true, nil
	}
	ids := make([]string, 0, len(all.Records))
	for _, record := range all.Records {
		ids = append(ids, record.ID)
	}
	return Record{}, false, problem.New(problem.AmbiguousReference, "").
		At(pointer, "names several records; send the id of one of them").With("ids", ids)
}
