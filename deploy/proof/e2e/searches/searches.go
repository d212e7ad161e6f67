// Package searches compares what an exchange finds with a filter over all of its records, for random records and random
// searches. Both stores are tried with it.
//
// Its files:
//
//	searches.go  random searches, and the comparison
//	model.go     the filter: what a condition means, written without the code of the exchange
//	book.go      random records of the resources that can be searched
package searches

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// field is a member that can be searched, and resource what can be searched in it, as GET /x/search has them.
type field struct {
	Name, Kind string
	Parameters []string
	Leads      bool
}

type resource struct {
	Resource string
	Fields   []field
	Members  []string
	Expand   []string
}

// Compare makes random records in an exchange that has no others, and compares that many random searches of each
// resource with a filter over all of them: conditions, operators, several values, both orders, pages of any length,
// members that are picked, and records that are embedded. Every field and every parameter is tried.
func Compare(t *testing.T, c *trial.Client, random *rand.Rand, policies, searches int) {
	t.Helper()
	all := write(t, c, random, policies)
	for _, of := range tables(t, c) {
		if _, is := all[of.Resource]; !is {
			t.Fatalf("there are no records of %s, which can be searched", of.Resource)
		}
		parameters := 0
		for _, f := range of.Fields {
			parameters += len(f.Parameters)
		}
		found, tried := 0, map[string]bool{}
		// A member that few records have may need more searches until one finds something by it.
		for i := 0; i < searches || len(tried) < parameters && i < 10*searches; i++ {
			s := anySearch(random, of, all, i)
			if !s.leads && len(s.conditions) > 0 {
				c.Get(t, "/x/search/"+of.Resource+"?"+s.query.Encode()).Want(t, http.StatusBadRequest)
				continue
			}
			n := s.compare(t, c, all)
			found += n
			if n > 0 {
				for name := range s.conditions {
					tried[name] = true
				}
			}
		}
		for _, f := range of.Fields {
			for _, name := range f.Parameters {
				if !tried[name] {
					t.Errorf("no search of %s by %s has found anything", of.Resource, name)
				}
			}
		}
		t.Logf("%s: %d searches found %d records among %d", of.Resource, searches, found, len(all[of.Resource]))
	}
}

// tables returns what can be searched.
func tables(t *testing.T, c *trial.Client) []resource {
	t.Helper()
	var table struct{ Resources []resource }
	if err := json.Unmarshal(c.Get(t, "/x/search").Want(t, http.StatusOK).Body, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Resources) < 5 {
		t.Fatalf("only %d resources can be searched", len(table.Resources))
	}
	return table.Resources
}

// search is a search of a resource.
type search struct {
	of         resource
	query      url.Values
	conditions map[string]condition
	leads      bool
	limit      int
	newest     bool
	expand     []string
	fields     []string
}

// anySearch returns a search of up to four conditions, whose values are mostly those of records. The nth search of a
// resource has the nth of its parameters, so that each has its turn.
func anySearch(random *rand.Rand, of resource, all map[string][]trial.Record, nth int) search {
	s := search{of: of, query: url.Values{}, conditions: map[string]condition{}, limit: 1 + random.IntN(40)}
	s.query.Set("limit", strconv.Itoa(s.limit))
	if s.newest = random.IntN(2) == 0; s.newest {
		s.query.Set("order", "newest")
	} else if random.IntN(2) == 0 {
		s.query.Set("order", "oldest")
	}
	var parameters []condition
	for _, f := range of.Fields {
		for _, name := range f.Parameters {
			parameters = append(parameters, condition{field: f, operator: strings.TrimPrefix(name, f.Name)})
		}
	}
	// Most values are those of one record, so that a search of several conditions finds something. It is one that has
	// the member whose turn it is.
	turn, records := parameters[nth%len(parameters)], all[of.Resource]
	from := records[random.IntN(len(records))]
	for range records {
		if len(texts(from, turn.Name)) > 0 {
			break
		}
		from = records[random.IntN(len(records))]
	}
	for i := range 2 + random.IntN(3) {
		p := turn
		switch {
		case i == 1 && !turn.Leads && random.IntN(10) > 0: // few searches are to be refused
			leading := slices.DeleteFunc(slices.Clone(parameters), func(p condition) bool {
				return !p.Leads || len(texts(from, p.Name)) == 0
			})
			p = leading[random.IntN(len(leading))]
		case i > 0:
			p = parameters[random.IntN(len(parameters))]
		}
		name, values := p.Name+p.operator, 1
		if _, has := s.conditions[name]; has {
			continue
		}
		if p.operator == "" || p.operator == "Prefix" {
			values += random.IntN(3)
		}
		for n := range values {
			record := from
			if n > 0 || random.IntN(8) == 0 {
				record = records[random.IntN(len(records))]
			}
			if value, has := p.value(random, record); has {
				p.values = append(p.values, value)
			}
		}
		if len(p.values) > 0 {
			s.conditions[name], s.query[name], s.leads = p, p.values, s.leads || p.Leads
		}
	}
	if random.IntN(3) == 0 {
		s.fields = []string{"id", of.Members[random.IntN(len(of.Members))]}
		s.query.Set("fields", strings.Join(s.fields, ","))
	}
	if len(of.Expand) > 0 && random.IntN(2) == 0 {
		s.expand = []string{of.Expand[random.IntN(len(of.Expand))]}
		s.query.Set("expand", s.expand[0])
	}
	return s
}

// compare follows the pages of a search, compares them with the filter, and returns how many records it found.
func (s search) compare(t *testing.T, c *trial.Client, all map[string][]trial.Record) int {
	t.Helper()
	var want, got []string
	byID := map[string]trial.Record{}
	for _, record := range all[s.of.Resource] {
		if s.holds(record) {
			want = append(want, record.Text("id"))
			byID[record.Text("id")] = record
		}
	}
	if s.newest {
		slices.Reverse(want)
	}
	for path := "/x/search/" + s.of.Resource + "?" + s.query.Encode(); path != ""; {
		page := c.Get(t, path).Want(t, http.StatusOK)
		records := page.Records(t)
		if len(records) > s.limit {
			t.Fatalf("%s has %d records", path, len(records))
		}
		for _, record := range records {
			got = append(got, record.Text("id"))
			if stored := byID[record.Text("id")]; stored != nil {
				s.compareRecord(t, path, record, stored, all)
			}
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(page.Header.Get("Link"), "<"), ">")
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s?%v\nfinds %v\nnot   %v", s.of.Resource, s.query, got, want)
	}
	return len(got)
}

// compareRecord compares a record of a page with of, the stored one.
func (s search) compareRecord(
	t *testing.T, path string, got, of trial.Record, all map[string][]trial.Record,
) {
	t.Helper()
	want := trial.Record{}
	for name, value := range of {
		if s.fields == nil || slices.Contains(s.fields, name) {
			want[name] = value
		}
	}
	for _, name := range s.expand {
		if value, unresolved, has := embedded(name, of, all); has {
			want[name] = value
			if unresolved {
				want["unresolved"] = []any{name}
			}
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) { // maps are printed in the order of their keys
		t.Fatalf("%s shows\n%v\nnot\n%v", path, got, want)
	}
}
