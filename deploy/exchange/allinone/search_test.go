package allinone

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest/search"
)

// TestNoSearchScans goes through the searches that the declarations allow: every pair of parameters, in both orders.
// Each reads the collection in order of creation, or an index of it. A range is bounded, and asks for no unique index.
// The tests of the stores show that such a find does not scan.
func TestNoSearchScans(t *testing.T) {
	count := 0
	for _, s := range Services() {
		inspected, err := s.Inspected()
		if err != nil {
			t.Fatal(err)
		}
		tables, err := s.Searches()
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			var specs []docstore.Spec
			for _, c := range inspected.Collections {
				if c.Name == table.Resource || c.Name == "policy" && len(table.Fields) > 0 {
					specs = append(specs, c.Spec)
				}
			}
			if len(specs) == 0 {
				t.Fatalf("%s is in no collection", table.Resource)
			}
			spec := specs[0]
			parameters := table.Parameters()
			for i, one := range parameters {
				for _, other := range parameters[i:] {
					for _, order := range []string{"oldest", "newest"} {
						count += tried(t, table, spec, order, one, other)
					}
				}
			}
		}
	}
	if count < 1000 {
		t.Errorf("%d searches were tried", count)
	}
}

// tried checks the finds of one search, and returns 1 if there is such a search.
func tried(t *testing.T, table *search.Table, spec docstore.Spec, order string, of ...search.Parameter) int {
	query := url.Values{}
	fields := 0
	for _, p := range of {
		value, known := map[string]string{
			"uuid": uuid.NewString(), "date": "2026-01-01", "decimal": "10", "": "2026-01-01",
		}[p.Format]
		switch {
		case !known:
			t.Fatalf("%s has the format %q", p.Name, p.Format)
		case p.Name == "order", p.Name == "fields", p.Name == "expand":
		default:
			query.Set(p.Name, value)
			fields++
		}
	}
	query.Set("order", order)
	leads := slices.ContainsFunc(table.Fields, func(f search.Field) bool {
		return f.Index != "" && slices.ContainsFunc(f.Parameters(), query.Has)
	})
	q, err := table.Parse(query.Encode())
	if leads == (err != nil) && fields > 0 {
		t.Errorf("%s?%s: leads %v, error %v", table.Resource, query.Encode(), leads, err)
		return 0
	}
	if err != nil {
		return 0
	}
	for _, find := range q.Finds(nil) {
		find.Limit = 1
		if err := spec.CheckQuery(find); err != nil {
			t.Errorf("%s?%s: %v", table.Resource, query.Encode(), err)
		}
		_, driven := spec.Driving(find)
		if named := len(find.Equal) + len(find.Ranges); driven != leads || named > 1 || !find.Near {
			t.Errorf("%s?%s reads %s", table.Resource, query.Encode(), fmt.Sprintf("%+v", find))
		}
	}
	return 1
}
