package table

import (
	"fmt"
	"slices"

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
	record := resource.Object{}
	for i, cell := range row {
		if cell == "" {
			continue
		}
		value, err := resource.Value(r.columns.kinds[r.header[i]], cell)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.header[i], err)
		}
		if !record.Put(r.paths[i], value) {
			return nil, fmt.Errorf("%s: an object is given both whole and by its members", r.header[i])
		}
	}
	return json.Marshal(record, json.Deterministic(true))
}
