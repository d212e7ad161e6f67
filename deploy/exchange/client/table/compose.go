package table

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/client/resource"
)

// Reader turns the rows under one header into records.
type Reader struct {
	columns Columns
	header  []string
	root    member
}

// member is a member of a record. It has a column, or members of its own, or both. A row may use only one of the two.
type member struct {
	name    string
	column  int // -1: none
	members []*member
}

// NewReader returns a reader for the rows under a header. It returns an error for a column without a name, and for
// two columns with the same name.
func (c Columns) NewReader(header []string) (*Reader, error) {
	r := &Reader{columns: c, header: header, root: member{column: -1}}
	for i, column := range header {
		at := &r.root
		for _, name := range resource.Split(column) {
			if name == "" {
				return nil, fmt.Errorf("column %d: %q is no name of a member", i+1, column)
			}
			at = at.member(name)
		}
		if at.column >= 0 {
			return nil, fmt.Errorf("columns %d and %d are both named %q", at.column+1, i+1, column)
		}
		at.column = i
	}
	return r, nil
}

func (m *member) member(name string) *member {
	for _, known := range m.members {
		if known.name == name {
			return known
		}
	}
	made := &member{name: name, column: -1}
	m.members = append(m.members, made)
	return made
}

// Record returns the row as a JSON object. An empty cell is an absent member. A cell that has not the type of its
// member becomes a string, so that the exchange refuses it with a pointer to the member. Record returns an error if
// the row is not as long as the header, if a cell is not UTF-8, and if an object is given both as a whole and by its
// members.
func (r *Reader) Record(row []string) (jsontext.Value, error) {
	if len(row) != len(r.header) {
		return nil, fmt.Errorf("the row has %d cells under %d columns", len(row), len(r.header))
	}
	object, _, err := r.object([]byte{}, &r.root, row)
	return object, err
}

// object appends an object with the members of m that the row has, and reports whether there are any.
func (r *Reader) object(b []byte, m *member, row []string) ([]byte, bool, error) {
	b = append(b, '{')
	some := false
	for _, child := range m.members {
		named := b
		if some {
			named = append(named, ',')
		}
		named, err := jsontext.AppendQuote(named, child.name)
		if err != nil {
			return nil, false, fmt.Errorf("column %q: %w", child.name, err)
		}
		filled, present, err := r.value(append(named, ':'), child, row)
		if err != nil {
			return nil, false, err
		}
		if present {
			b, some = filled, true
		}
	}
	return append(b, '}'), some, nil
}

func (r *Reader) value(b []byte, m *member, row []string) ([]byte, bool, error) {
	whole := m.column >= 0 && row[m.column] != ""
	if len(m.members) > 0 {
		object, some, err := r.object(b, m, row)
		switch {
		case err != nil:
			return nil, false, err
		case some && whole:
			return nil, false, fmt.Errorf("%s is given both whole and by its members", r.header[m.column])
		case some:
			return object, true, nil
		}
	}
	if !whole {
		return b, false, nil
	}
	column := r.header[m.column]
	b, err := appendCell(b, r.columns.kinds[column], row[m.column])
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", column, err)
	}
	return b, true, nil
}

func appendCell(b []byte, kind resource.Kind, cell string) ([]byte, error) {
	trimmed := strings.TrimSpace(cell)
	value := jsontext.Value(trimmed)
	isJSON := func(kinds ...jsontext.Kind) bool {
		for _, kind := range kinds {
			if value.Kind() == kind {
				return value.IsValid()
			}
		}
		return false
	}
	switch {
	case kind == resource.Number && isJSON(jsontext.KindNumber), kind == resource.Free && value.IsValid(),
		isJSON(jsontext.KindString),
		kind == resource.List && isJSON(jsontext.KindBeginArray):
		return append(b, trimmed...), nil
	case kind == resource.Flag && (strings.EqualFold(trimmed, "true") || strings.EqualFold(trimmed, "false")):
		return append(b, strings.ToLower(trimmed)...), nil
	case kind == resource.List:
		return appendList(b, cell)
	default:
		return jsontext.AppendQuote(b, cell)
	}
}

func appendList(b []byte, cell string) ([]byte, error) {
	b = append(b, '[')
	for i, one := range strings.Split(cell, ";") {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = jsontext.AppendQuote(b, strings.TrimSpace(one)); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}
