// Package export writes the lines of a bordereau in the columns of the market.
package export

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/desk/bordereau"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
)

// Format is a form in which lines are written.
type Format struct {
	table.Format
	// Findings says that a file has what was found of the version, and who has waived it.
	Findings bool
	// Export writes the lines of a version. Errors: those of the desk and of the writer.
	Export func(ctx context.Context, w io.Writer, of Version) error
}

// Version is a version to write.
type Version struct {
	Desk   *bordereau.Desk
	At     bordereau.Place
	Number string
	// Layout is the number of the layout to write it in, from 1 to Newest.
	Layout int
}

// The layouts. A change of the columns or of how they are written is a new one, and what is written in those before
// stays as it is: approved versions are exported in them.
const (
	// styledLayout is the first in which workbooks have headers that stand out and stay in sight, filters, and widths.
	styledLayout = 2
	// Newest is the last layout.
	Newest = styledLayout
)

// The formats.
var (
	CSV  = Format{table.CSV, false, writeCSV}
	XLSX = Format{table.XLSX, true, writeXLSX}
)

// column is a column of the table.
type column struct {
	// CR is the number of the standard; empty for a column of the exchange's own.
	CR string `yaml:"cr"`
	// Name is the header, Source where the values are from, and Kind what they are.
	Name   string `yaml:"name"`
	Source string `yaml:"source"`
	Kind   string `yaml:"kind"`
	is     table.Kind
	// Absent is what a cell has where there is no value; empty for nothing.
	Absent string `yaml:"absent"`
	// Needs is what the contract must state for the column to have values; empty for nothing.
	Needs string `yaml:"needs"`
}

// kinds are the kinds of values by their names.
var kinds = map[string]table.Kind{"text": table.Text, "date": table.Day, "number": table.Amount}

// layouts are the columns of each kind of bordereau, a file for each.
//
//go:embed columns
var layouts embed.FS

// columns returns the columns of each kind of bordereau.
var columns = sync.OnceValues(func() (map[string][]column, error) {
	all := map[string][]column{}
	for _, kind := range bordereau.Kinds {
		text, err := layouts.ReadFile("columns/" + kind + ".yaml")
		if err != nil {
			return nil, err
		}
		var of []column
		if err := yaml.Unmarshal(text, &of); err != nil {
			return nil, err
		}
		for i, c := range of {
			is, known := kinds[c.Kind]
			if of[i].is = is; !known {
				return nil, fmt.Errorf("column %s has the kind %q", c.Name, c.Kind)
			}
		}
		all[kind] = of
	}
	return all, nil
})

// row makes the cells of lines.
type row struct {
	columns []column
	// fixed are the values that all lines share, by source.
	fixed map[string]string
	// zone is that of the contract.
	zone *time.Location
}

func newRow(v desk.BordereauVersion, k *contract.Kept) (*row, error) {
	all, err := columns()
	if err != nil {
		return nil, err
	}
	r := &row{columns: all[v.Kind], fixed: map[string]string{}, zone: k.Zone}
	for prefix, of := range map[string]any{"contract.": k.ContractTerms, "version.": v} {
		text, err := json.Marshal(of)
		if err != nil {
			return nil, err
		}
		values, err := texts(text)
		if err != nil {
			return nil, err
		}
		for name, value := range values {
			r.fixed[prefix+name] = value
		}
	}
	p, _ := period.Parse(v.Period)
	r.fixed["period.from"], r.fixed["period.to"] = p.From().String(), p.To().String()
	return r, nil
}

// linePrefix begins the source of a value of a line.
const linePrefix = "line."

// cells returns the texts of the cells of a line; empty for what the exchange does not have.
func (r *row) cells(line jsontext.Value) ([]string, error) {
	values, err := texts(line)
	if err != nil {
		return nil, err
	}
	cells := make([]string, len(r.columns))
	for i, c := range r.columns {
		value := r.fixed[c.Source]
		if name, of := strings.CutPrefix(c.Source, linePrefix); of {
			value = values[name]
		}
		if at, err := time.Parse(time.RFC3339, value); c.is == table.Day && err == nil {
			value = at.In(r.zone).Format(time.DateOnly)
		}
		cells[i] = cmp.Or(value, c.Absent)
	}
	return cells, nil
}

// texts returns the members of an object that are texts, numbers, or whether something is so, as they are written. A
// member of a member has both names, with a point between them.
func texts(of jsontext.Value) (map[string]string, error) {
	var members map[string]any
	if err := json.Unmarshal(of, &members, json.WithUnmarshalers(json.UnmarshalFromFunc(keepNumbers))); err != nil {
		return nil, err
	}
	values := map[string]string{}
	note("", members, values)
	return values, nil
}

func note(prefix string, members map[string]any, to map[string]string) {
	for name, value := range members {
		switch is := value.(type) {
		case string:
			to[prefix+name] = is
		case bool:
			to[prefix+name] = map[bool]string{true: "Yes", false: "No"}[is]
		case map[string]any:
			note(prefix+name+".", is, to)
		}
	}
}

// header returns the names of the columns.
func (r *row) header() (names []string) {
	for _, c := range r.columns {
		names = append(names, c.Name)
	}
	return names
}

// notProvided returns the names of the columns that the exchange has no values for.
func (r *row) notProvided() (names []string) {
	for _, c := range r.columns {
		if c.Source == "" || c.Needs != "" && r.fixed[c.Needs] == "" {
			names = append(names, c.Name)
		}
	}
	return names
}
