package search

import (
	"fmt"
	"strings"
)

// Parameter is a parameter of a search, for documents.
type Parameter struct {
	// Name is what callers send.
	Name string
	// Format is the kind of its values, empty for text. Means says what it asks for.
	Format, Means string
	// Most is how often it may be sent; once where it is 0.
	Most int
}

// Parameters returns the parameters of the fields, and those that every search has beyond limit and cursor.
func (t *Table) Parameters() []Parameter {
	var all []Parameter
	for _, p := range t.parameters() {
		described := Parameter{Name: p.name(), Means: p.means()}
		if p.operator == equal || p.operator == prefix {
			described.Most = mostValues
		}
		switch p.field.Kind {
		case KindText, KindName:
		case KindInstant: // a day as well
		default:
			described.Format = string(p.field.Kind)
		}
		all = append(all, described)
	}
	all = append(all,
		Parameter{Name: orderName, Means: oldest + " or " + newest + ": the order of creation, or the reverse"},
		Parameter{Name: fieldsName, Means: "the members to return, with commas between them; all where it is not sent"})
	if len(t.Expand) > 0 {
		all = append(all, Parameter{Name: expandName, Means: "the records to embed, with commas between them: " +
			strings.Join(t.Expansions(), ", ") + ". One that is unknown, or whose service does not respond, is null, " +
			"and named in " + UnresolvedName})
	}
	return all
}

// means says what a parameter asks for.
func (p parameter) means() string {
	says := ""
	switch p.operator {
	case equal:
		says = "the value of " + p.field.Name
	case prefix:
		says = fmt.Sprintf("what %s begins with, of %d characters or more", p.field.Name, leastPrefix)
		if !p.field.composed {
			says += ", or one of Chinese, Korean or Japanese"
		}
	case from:
		says = "the least " + p.field.Name
	default:
		says = "the greatest " + p.field.Name
	}
	switch p.field.Kind {
	case KindName:
		says += ", in any case"
		if !p.field.composed {
			says += ", with or without accents"
		}
	case KindInstant:
		says += ", an instant as RFC 3339 has it, or a day in UTC"
	}
	if p.field.Index == "" {
		says += "; another condition must lead"
	}
	return says
}

// Parameters returns the names of the field's parameters.
func (f *Field) Parameters() []string {
	var all []string
	for _, op := range f.operators() {
		all = append(all, parameter{f, op}.name())
	}
	return all
}
