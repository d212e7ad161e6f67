package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/problem"
)

// MostExpanded is the greatest number of names that are looked up in one service for a page.
const MostExpanded = 200

// mostName is the greatest length of a name, in bytes. A longer one names nothing.
const mostName = 64

// UnresolvedName is the member of a record that says which of its expansions have an unknown name.
const UnresolvedName = "unresolved"

// Expansion is a member of a record that names other records, which a search can embed.
type Expansion struct {
	// Name is what callers ask for, and the member that has what is embedded.
	Name string
	// Member has the names of the records: an id or a number, or a list of them.
	Member string
	// From is the service that has the records; empty for the one that searches.
	From string
	// Of are the resources of the records, known only where From is empty.
	Of []string
}

// Expand returns the expansion of a member that names records of the same service.
func Expand(name, member string) Expansion { return Expansion{Name: name, Member: member} }

// By returns the expansion with the records of another service.
func (e Expansion) By(service string) Expansion {
	e.From = service
	return e
}

// Named is what a record names with the member of an expansion.
type Named struct {
	*Expansion
	// Names are the ids or numbers. List says that the member is a list.
	Names []string
	List  bool
}

// Expansions returns the names of the expansions, each once.
func (t *Table) Expansions() []string {
	var all []string
	for _, e := range t.Expand {
		if !slices.Contains(all, e.Name) {
			all = append(all, e.Name)
		}
	}
	return all
}

// takeExpansions reads the parameter expand.
func (q *Query) takeExpansions(value string) (wrong string) {
	allowed := q.table.Expansions()
	for name := range strings.SplitSeq(value, ",") {
		if !slices.Contains(allowed, name) {
			return "names " + strconv.Quote(problem.Short(name)) + ", which cannot be embedded; what can is " +
				strings.Join(allowed, ", ")
		}
		if !slices.Contains(q.expand, name) {
			q.expand = append(q.expand, name)
		}
	}
	return ""
}

// named returns what the expansions that are asked for name in a record. Where several have the same name, it is the
// first whose member the record has.
func (q *Query) named(record []byte) ([]Named, error) {
	var all []Named
	for _, name := range q.expand {
		for i := range q.table.Expand {
			e := &q.table.Expand[i]
			if e.Name != name {
				continue
			}
			value, err := jsonmember.Find(record, e.Member)
			if err != nil {
				return nil, err
			}
			if of, has := namedBy(e, value); has {
				all = append(all, of)
				break
			}
		}
	}
	return all, nil
}

func namedBy(e *Expansion, value jsontext.Value) (of Named, has bool) {
	of.Expansion = e
	switch value.Kind() {
	case '"':
		of.Names = []string{text(value)}
	case '[':
		of.List = true
		for _, element := range elements(value) {
			of.Names = append(of.Names, text(element))
		}
	default:
		return of, false
	}
	return of, true
}

// text returns a JSON string as a name, empty for what names nothing.
func text(value jsontext.Value) string {
	if value.Kind() != '"' {
		return ""
	}
	name, err := jsontext.AppendUnquote(nil, value)
	if err != nil || len(name) > mostName || slices.Contains(name, ',') {
		return ""
	}
	return string(name)
}

// Cut leaves out the records of a page from a place on, which is not 0. The next page begins with them.
func (p *Page) Cut(q *Query, at int) {
	p.Next, p.Found = q.next(p.Found[at-1].ID), p.Found[:at]
}

// Found is a record that a search has found.
type Found struct {
	ID uuid.UUID
	// Record has the members that were asked for.
	Record []byte
	// Named is what the expansions that were asked for name in it.
	Named []Named
}
