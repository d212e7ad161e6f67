// Package plans has a store asked for all that the searches of real declarations ask for, so that a test can look at
// the plans of its database.
package plans

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/search"
)

// Declared is a collection as a service declares it, with the finds of all searches that are allowed in it.
type Declared struct {
	docstore.Spec
	Finds []docstore.Query
}

// Finds goes through the searches that declarations allow: up to three parameters, in both orders. A search reads the
// index of one of its conditions, of which there are three at most, so that more parameters add no find. Each find
// reads the collection in order of creation, or one index of it. A range is bounded, and asks for no unique index.
func Finds(t *testing.T, services []rest.Service) (all []Declared) {
	t.Helper()
	searched := 0
	for _, s := range services {
		inspected, err := s.Inspected()
		if err != nil {
			t.Fatal(err)
		}
		tables, err := s.Searches()
		if err != nil {
			t.Fatal(err)
		}
		searched += len(tables)
		for _, c := range inspected.Collections {
			d := Declared{Spec: docstore.Spec{Name: c.Name, Indexes: c.Indexes}}
			for _, table := range tables {
				own := slices.ContainsFunc(inspected.Collections, func(of inspect.Collection) bool {
					return of.Name == table.Resource
				})
				if c.Name == table.Resource || c.Name == "policy" && s.Name == "coverage" && !own {
					searched--
					d.take(t, table)
				}
			}
			if d.Finds != nil {
				all = append(all, d)
			}
		}
	}
	if searched != 0 {
		t.Errorf("%d searches are not known to be in a collection", searched)
	}
	return all
}

// take adds the finds of the searches of a table.
func (d *Declared) take(t *testing.T, table *search.Table) {
	parameters := slices.DeleteFunc(table.Parameters(), func(p search.Parameter) bool {
		return slices.Contains([]string{"order", "fields", "expand"}, p.Name)
	})
	d.search(t, table, nil)
	for i, one := range parameters {
		for k, other := range parameters[i:] {
			for _, third := range parameters[i+k:] {
				d.search(t, table, []search.Parameter{one, other, third})
			}
		}
	}
}

// sample returns a value for a parameter, from which on a record may be found by the other parameters of its field.
func sample(t *testing.T, p search.Parameter) string {
	value, known := map[string]string{
		"uuid": uuid.Max.String(), "date": "2026-01-01", "decimal": "10", "": "2026-01-01",
	}[p.Format]
	if !known {
		t.Fatalf("%s has the format %q", p.Name, p.Format)
	}
	return value
}

// search adds the finds of one search, in both orders.
func (d *Declared) search(t *testing.T, table *search.Table, of []search.Parameter) {
	query := url.Values{}
	for _, p := range of {
		query.Set(p.Name, sample(t, p))
	}
	leads := slices.ContainsFunc(table.Fields, func(f search.Field) bool {
		return f.Index != "" && slices.ContainsFunc(f.Parameters(), query.Has)
	})
	unled := docstore.Keys(nil)
	if d.Has("resource") && table.Resource != "coverage" {
		unled = docstore.Keys{"resource": table.Resource}
	}
	for _, order := range []string{"oldest", "newest"} {
		query.Set("order", order)
		q, err := table.Parse(query.Encode())
		if allowed := leads || len(of) == 0; allowed == (err != nil) {
			t.Errorf("%s?%s: allowed %v, error %v", table.Resource, query.Encode(), allowed, err)
			continue
		} else if !allowed {
			continue
		}
		for _, find := range q.Finds(unled) {
			find.Limit = 1
			if err := d.CheckQuery(find); err != nil {
				t.Errorf("%s?%s: %v", table.Resource, query.Encode(), err)
			}
			_, driven := d.Driving(find)
			named := len(find.Equal) + len(find.Ranges)
			if driven != (leads || unled != nil) || named > 1 || !find.Near {
				t.Errorf("%s?%s reads %+v", table.Resource, query.Encode(), find)
			}
			if !slices.ContainsFunc(d.Finds, func(q docstore.Query) bool { return reflect.DeepEqual(q, find) }) {
				d.Finds = append(d.Finds, find)
			}
		}
	}
}

// many is more documents than a store sorts to find some in a range.
const many = 700

// document returns the nth document of a collection, which all finds of values that are not unique select.
func (d *Declared) document(n int) docstore.Document {
	keys := docstore.Keys{}
	for _, find := range d.Finds {
		for index, value := range find.Equal {
			keys[index] = value
		}
		for _, r := range find.Ranges {
			keys[r.Index] = max(r.From, r.To)
			if r.From != "" {
				keys[r.Index] = r.From
			}
		}
	}
	for _, index := range d.Indexes {
		if _, has := keys[index.Name]; has && index.Unique && n > 0 {
			keys[index.Name] = fmt.Sprint(n)
		}
	}
	return docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(`{}`), Keys: keys}
}

// Ask makes all finds of a collection in a store: of documents that no organisation owns, of those of one, and of all;
// while it has few documents, and while it has many. It returns how many finds it made.
func (d *Declared) Ask(t *testing.T, store docstore.Store) (asked int) {
	t.Helper()
	acme, err := organisation.Named("acme")
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.Collection(t.Context(), d.Spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []struct{ from, to int }{{0, 1}, {1, many}} {
		d.insert(t, c, group.from, group.to, organisation.Sole(), acme)
		for _, find := range d.Finds {
			for _, who := range []organisation.ID{organisation.Sole(), acme, organisation.Exchange()} {
				if _, err := c.Find(t.Context(), who, find); err != nil {
					t.Fatalf("%s: %+v: %v", d.Name, find, err)
				}
				asked++
			}
		}
	}
	return asked
}

// insert makes the documents from one number up to another, in the names of all organisations.
func (d *Declared) insert(t *testing.T, c docstore.Collection, from, to int, owners ...organisation.ID) {
	t.Helper()
	var writers sync.WaitGroup
	const atOnce = 32
	for first := range atOnce {
		writers.Go(func() {
			for n := from + first; n < to; n += atOnce {
				for _, who := range owners {
					doc := d.document(n)
					for _, index := range d.Indexes {
						if index.Global && who.Name() != "" {
							delete(doc.Keys, index.Name) // another organisation's document has the value
						}
					}
					if err := c.Insert(t.Context(), who, doc); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	writers.Wait()
}
