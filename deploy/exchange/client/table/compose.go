package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/resource"
)

// Reader turns the rows under one header into records.
type Reader struct {
	columns Columns
	header  []string
	paths   [][]string // the names of the members that lead to the value of each column
}

// NewReader returns a reader for the rows under a header. It returns an error for a column without a name, and for
// two columns with the same name.
func (c Columns) NewReader(header []string) (*Reader, error) {
	r := &Reader{columns: c, header: header}
	for i, column := range header {
		path := resource.Split(column)
		if slices.Contains(path, "") {
			return nil, fmt.Errorf("column %d: %q is no name of a member", i+1, column)
		}
		if before := slices.Index(header[:i], column); before >= 0 {
			return nil, fmt.Errorf("columns %d and %d are both named %q", before+1, i+1, column)
		}
		r.paths = append(r.paths, path)
	}
	return r, nil
}

// Record returns the row as a JSON object. An empty cell is an absent member. A cell that has not the type of its
// member becomes a string, so that the exchange refuses it with a pointer to the member. Record returns an error if
// the row is not as long as the header, if a cell is not UTF-8, and if an object is given both as a whole and by its
// members.
func (r *Reader) Record(row []string) (jsontext.Value, error) {
	if len(row) != len(r.header) {
		return nil, fmt.Errorf("the row has %d cells under %d columns", len(row), len(r.header))
	}
	record := object{}
	for i, cell := range row {
		if cell == "" {
			continue
		}
		value, err := valueOf(r.columns.kinds[r.header[i]], cell)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.header[i], err)
		}
		if !record.put(r.paths[i], value) {
			return nil, fmt.Errorf("%s: an object is given both whole and by its members", r.header[i])
		}
	}
	return json.Marshal(record, json.Deterministic(true))
}

// object is a JSON object: its members are values, or objects.
type object map[string]any

// put adds a value at a path. It reports whether there was room for it: neither a value nor an object is there, and no
// value is on the way.
func (o object) put(path []string, value jsontext.Value) bool {
	name := path[0]
	there, taken := o[name]
	if len(path) == 1 {
		if !taken {
			o[name] = value
		}
		return !taken
	}
	if !taken {
		there = object{}
		o[name] = there
	}
	inner, is := there.(object)
	return is && inner.put(path[1:], value)
}

// valueOf returns the value of a cell in a column of a kind.
func valueOf(kind resource.Kind, cell string) (jsontext.Value, error) {
	trimmed := strings.TrimSpace(cell)
	value := jsontext.Value(trimmed)
	is := func(kind jsontext.Kind) bool { return value.Kind() == kind && value.IsValid() }
	switch {
	case kind == resource.Number && is(jsontext.KindNumber), kind == resource.Free && value.IsValid(),
		is(jsontext.KindString), kind == resource.List && is(jsontext.KindBeginArray):
		return value, nil
	case kind == resource.Flag && (strings.EqualFold(trimmed, "true") || strings.EqualFold(trimmed, "false")):
		return jsontext.Value(strings.ToLower(trimmed)), nil
	case kind == resource.List:
		texts := strings.Split(cell, ";")
		for i, text := range texts {
			texts[i] = strings.TrimSpace(text)
		}
		return json.Marshal(texts)
	default:
		return jsontext.AppendQuote(nil, cell)
	}
}
