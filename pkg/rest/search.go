package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/search"
)

// together is resources of one collection that are searched as if they were one.
type together struct{ name, collection string }

// resourceMember names the resource of a record that is found among those of several.
const resourceMember = "resource"

// SearchTogether declares the search /x/search/{name} for the records of all resources in a collection. It has the
// fields of each, and each record that it finds has the name of its resource in addition.
func (s *Server) SearchTogether(name, collection string) {
	s.together = append(s.together, together{name, collection})
}

// searchTables returns what can be searched, in the order of declaration.
func (s *Server) searchTables() []*search.Table {
	var all []*search.Table
	for _, r := range s.resources {
		if table := r.searched(); table != nil {
			all = append(all, table)
		}
	}
	for _, t := range s.together {
		all = append(all, s.tableOf(t))
	}
	return all
}

// tableOf returns what can be searched in all resources of a collection: the fields of each. A record that has no such
// member meets no condition about it.
func (s *Server) tableOf(t together) *search.Table {
	table := &search.Table{Resource: t.name, Members: []string{resourceMember}}
	for _, r := range s.inOrder(t.collection) {
		of := r.searched()
		if of == nil {
			continue
		}
		for _, f := range of.Fields {
			if !slices.ContainsFunc(table.Fields, func(other search.Field) bool { return f.Name == other.Name }) {
				table.Fields = append(table.Fields, f)
			}
		}
		for _, name := range of.Members {
			if !slices.Contains(table.Members, name) {
				table.Members = append(table.Members, name)
			}
		}
		for _, e := range of.Expand {
			if !slices.ContainsFunc(table.Expand, func(other search.Expansion) bool {
				return e.Name == other.Name && e.Member == other.Member
			}) {
				table.Expand = append(table.Expand, e)
			}
		}
	}
	return table
}

// inOrder returns the resources that share a collection, in the order of declaration.
func (s *Server) inOrder(collection string) []resource {
	return slices.DeleteFunc(slices.Clone(s.resources), func(r resource) bool {
		return r.collectionName() != collection
	})
}

// searches returns the searches among the records of several resources.
func (s *Server) searches() []Extension {
	var all []Extension
	for _, t := range s.together {
		table, in := s.tableOf(t), s.inOrder(t.collection)
		x := searchOf(table)
		x.Among = nil
		for _, r := range in {
			x.Among = append(x.Among, r.name())
		}
		x.respond = func(c *gin.Context) error {
			named := s.resourcesIn(t.collection)
			return s.find(c, table, search.Source{
				Collection: s.opened[t.collection], WithState: true,
				References: func(ctx context.Context, reference string) (all []string) {
					for _, r := range in {
						all = append(all, r.references(ctx, reference)...)
					}
					return all
				},
				Shown: func(ctx context.Context, doc docstore.Document) ([]byte, error) {
					r, err := named.of(doc)
					if err != nil {
						return nil, err
					}
					body, err := r.showing(ctx, doc, s.Now())
					if err != nil {
						return nil, err
					}
					return naming(body, r.name())
				},
			})
		}
		all = append(all, x)
	}
	return all
}

// naming returns a record with the name of its resource, in place of what it may have in the member.
func naming(record []byte, resource string) ([]byte, error) {
	name, err := jsontext.AppendQuote(nil, resource)
	if err != nil {
		return nil, err
	}
	return jsonobject.Overlay(record, jsonobject.Of([]jsonobject.Member{{Name: resourceMember, Value: name}}))
}

// searchOf describes the search of a table.
func searchOf(table *search.Table) Extension {
	x := Extension{
		Path: ExtensionPrefix + "/search/" + table.Resource, Method: http.MethodGet,
		ID: "search" + strings.ToUpper(table.Resource[:1]) + table.Resource[1:], Among: []string{table.Resource},
		Summary:    "The " + table.Resource + " records that meet all conditions, in order of creation",
		Response:   reflect.TypeFor[[]jsontext.Value](),
		Parameters: []string{"limit", "cursor"},
	}
	for _, p := range table.Parameters() {
		x.Query = append(x.Query, Parameter{Name: p.Name, Format: p.Format, Means: p.Means, Most: p.Most})
	}
	return x
}

func (l *StaticList) searched() *search.Table { return nil }

func (l *StaticList) references(context.Context, string) []string { return nil }

// readAt is never called, since the list stores nothing.
func (l *StaticList) readAt(context.Context, docstore.Document, time.Time) ([]byte, string, int64, error) {
	return nil, "", 0, nil
}

// showing is never called, since the list stores nothing.
func (l *StaticList) showing(context.Context, docstore.Document, time.Time) ([]byte, error) {
	return nil, nil
}

func (r *documents) searched() *search.Table { return r.table }

// search serves GET /x/search/{resource}.
func (r *documents) search(c *gin.Context) error {
	from := search.Source{Collection: r.collection, WithState: r.shared(), References: r.references}
	if r.shared() {
		from.Unled = docstore.Keys{resourceIndex: r.resource}
	}
	from.Shown = func(ctx context.Context, doc docstore.Document) ([]byte, error) {
		if r.shared() {
			if is, _ := history.Belongs(doc.State, r.prefix); !is {
				return nil, nil
			}
		}
		return r.showing(ctx, doc, r.server.Now())
	}
	return r.server.find(c, r.table, from)
}

// showing returns the record of a document, which may lack its state, as its readers see it at an instant.
func (r *documents) showing(ctx context.Context, doc docstore.Document, at time.Time) ([]byte, error) {
	if doc.State == nil && (r.temporary(doc.Body) || r.incomplete(doc.Body)) {
		// The time at which its state passes is not in the body, and neither is what completes it.
		var err error
		if doc, err = r.collection.Get(ctx, request.OrganisationFrom(ctx), doc.ID); err != nil {
			return nil, err
		}
	}
	body, _, err := r.bodyAt(doc, at)
	return body, err
}

// find serves a search.
func (s *Server) find(c *gin.Context, table *search.Table, from search.Source) error {
	q, err := table.Parse(s.cursors.Given(c.Request))
	if err != nil {
		return err
	}
	page, err := q.Read(c.Request.Context(), from)
	if err != nil {
		return err
	}
	records, err := s.embeds().Page(c.Request.Context(), q, &page)
	if err != nil {
		return err
	}
	if page.Next != nil {
		path := ExtensionPrefix + "/search/" + table.Resource
		c.Writer.Header().Set("Link", "<"+path+"?"+s.cursors.Next(c.Request.Context(), path, page.Next)+`>; rel="next"`)
	}
	size := 2
	for _, record := range records {
		size += len(record) + 1
	}
	body := append(make([]byte, 0, size), '[')
	for i, record := range records {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, record...)
	}
	send(c, http.StatusOK, append(body, ']'))
	return nil
}

// expansions returns the declared expansions. Those from the service itself have the resources that their members refer
// to.
func (r *Records[T]) expansions() []search.Expansion {
	all := slices.Clone(r.Expand)
	for i := range all {
		if m, known := r.members.find(all[i].Member); known && all[i].From == "" {
			all[i].Of = m.refers
		}
	}
	return all
}

// validateSearch checks that the fields of the search exist, and have names and kinds that fit.
func (r *Records[T]) validateSearch(f *faults) {
	for _, e := range r.Expand {
		m, known := r.members.find(e.Member)
		f.unless(known && len(m.refers) > 0, "expansion %s names no member that refers to records", e.Name)
		_, taken := r.members.find(e.Name)
		f.unless(!taken, "expansion %s has the name of a member", e.Name)
		f.unless(len(r.Search) > 0, "expansion %s goes with a search, and there is none", e.Name)
		f.unless(e.From == "" || r.server.peer == nil || r.server.peer(e.From) != nil,
			"expansion %s is from %s, which the service does not call", e.Name, e.From)
	}
	seen := map[string]bool{}
	for _, field := range r.Search {
		at, known := r.at(field.Path)
		f.unless(known, "search field %s names no member", field.Name)
		f.unless(!seen[field.Name], "search field %s is declared twice", field.Name)
		seen[field.Name] = true
		if !known || field.Index == "" || field.Index == referenceIndex {
			continue
		}
		of := recordType[T]().FieldByIndex(at).Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		f.unless(!field.Monthly() || field.Kind == search.KindDay || field.Kind == search.KindInstant,
			"search field %s has an index of months, and is no day or instant", field.Name)
		f.unless(field.Kind != search.KindNumber && (of.Kind() == reflect.String || of.Implements(stringer)),
			"search field %s has an index, and no text that it could hold", field.Name)
	}
}

var stringer = reflect.TypeFor[fmt.Stringer]()
