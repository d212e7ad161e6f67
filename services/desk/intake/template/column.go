package template

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet/table"
)

// column is a column of a workbook.
type column struct {
	reconciliation.FileColumn
	record reconciliation.FileRecord
	member resource.Member
	// within is the object with the member, if the resource requires it; "" otherwise.
	within string
	// example is the value of the row that shows how a row is filled in, or nil for an empty cell.
	example jsontext.Value
}

// columns returns the columns of a form, with what the document says of them.
func (f Form) columns(catalog *resource.Catalog) (all []column, err error) {
	for _, record := range f.Records {
		r, _ := catalog.Find(record.Resource)
		examples := map[string]jsontext.Value{}
		if r.Example != nil {
			if err := spread(r, "", r.Example, examples); err != nil {
				return nil, err
			}
		}
		for _, m := range members(r) {
			i := slices.IndexFunc(f.Columns, func(c reconciliation.FileColumn) bool {
				return c.Means == record.Name+"."+m.Path
			})
			if i < 0 {
				continue
			}
			c := column{FileColumn: f.Columns[i], record: record, member: m}
			if _, given := record.Values[m.Path]; !given {
				c.example = examples[m.Path]
			}
			if path := resource.Split(m.Path); len(path) > 1 && slices.Contains(r.Required, path[0]) {
				c.within = strings.TrimSuffix(c.Column, m.Path) + path[0]
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// spread notes the values of an object by the names of members that responses have. The members of an object that is no
// member of responses are those of the record itself.
func spread(r resource.Resource, parent string, object jsontext.Value, to map[string]jsontext.Value) error {
	var values map[string]jsontext.Value
	if err := json.Unmarshal(object, &values); err != nil {
		return err
	}
	for name, value := range values {
		path := resource.Join(parent, name)
		sent := slices.IndexFunc(r.Sent, func(m resource.Member) bool { return m.Path == path })
		var err error
		switch {
		case sent >= 0 && r.Sent[sent].Returned != "":
			to[r.Sent[sent].Returned] = value
		case value.Kind() != jsontext.KindBeginObject:
			to[path] = value
		case sent >= 0 && !slices.Contains(r.MemberNames(), path):
			err = spread(r, parent, value, to)
		default:
			err = spread(r, path, value, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cell returns the example as a workbook has it, or nil.
func (c column) cell() (any, error) {
	if c.example == nil {
		return nil, nil
	}
	switch c.member.Kind {
	case resource.Number:
		return table.Number(string(c.example)), nil
	case resource.Flag:
		return string(c.example) == "true", nil
	case resource.List:
		var texts []string
		err := json.Unmarshal(c.example, &texts)
		return strings.Join(texts, "; "), err
	}
	var text string
	if err := json.Unmarshal(c.example, &text); err != nil {
		return nil, err
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil && c.member.Kind == resource.Date {
		return day, nil
	}
	return text, nil
}

// required says in words whether a row must have a value.
func (c column) required() string {
	switch {
	case !c.Optional:
		return "yes"
	case c.within != "":
		return "one of " + c.within
	}
	return "no"
}

// cells says in words what the cells are.
func (c column) cells() string {
	switch kind := c.member.Kind; {
	case kind == resource.Number && c.member.Whole:
		return "number, whole"
	case kind == resource.Number:
		return "number"
	case kind == resource.Flag:
		return "flag: TRUE or FALSE"
	case kind == resource.Date:
		return "date, such as 2026-04-03"
	case kind == resource.DateTime:
		return "date-time: a date, or an instant such as 2026-04-03T09:30:00Z"
	case kind == resource.List && c.member.Refers:
		return "list of ids, or of ref: with the externalReference of each, with semicolons between them"
	case kind == resource.List:
		return "list of texts, with semicolons between them"
	case c.member.Refers:
		return "text: an id, or ref: with the externalReference of the record"
	}
	return "text"
}
