package rest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest/external"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/search"
)

// specs returns the collections of all resources, in the order of their declaration.
func (s *Server) specs() []docstore.Spec {
	var specs []docstore.Spec
	for _, r := range s.resources {
		if r.collectionName() == "" {
			continue // stores nothing
		}
		at := slices.IndexFunc(specs, func(spec docstore.Spec) bool { return spec.Name == r.collectionName() })
		if at < 0 {
			at = len(specs)
			in := s.resourcesIn(r.collectionName())
			specs = append(specs, docstore.Spec{
				Name: r.collectionName(), Keys: in.keysOf, Public: r.public(),
			})
			specs[at].SharedBy, specs[at].Right = r.sharing()
		}
		for _, index := range r.indexes() {
			if !slices.Contains(specs[at].Indexes, index) {
				specs[at].Indexes = append(specs[at].Indexes, index)
			}
		}
	}
	for _, spec := range specs {
		// A store searches by the first index that a query names. The unique indexes are the most selective; the one
		// that every record of a resource has is the least.
		slices.SortStableFunc(spec.Indexes, func(a, b docstore.Index) int { return weight(a) - weight(b) })
	}
	return specs
}

// resourcesIn are the resources that share a collection, by name. Each document of the collection is a record of one
// of them.
type resourcesIn map[string]resource

func (s *Server) resourcesIn(collection string) resourcesIn {
	in := resourcesIn{}
	for _, r := range s.resources {
		if r.collectionName() == collection {
			in[r.name()] = r
		}
	}
	return in
}

func (in resourcesIn) of(doc docstore.Document) (resource, error) {
	name, err := ResourceOf(doc)
	if err != nil {
		return nil, err
	}
	if in[name] == nil {
		return nil, fmt.Errorf("stored document %s is of the resource %q, which its collection does not have", doc.ID,
			name)
	}
	return in[name], nil
}

// keysOf derives the keys of a document.
func (in resourcesIn) keysOf(doc docstore.Document) (docstore.Keys, error) {
	r, err := in.of(doc)
	if err != nil {
		return nil, err
	}
	return r.keysOf(doc)
}

func (r *Records[T]) public() bool { return r.Public }

func (r *Records[T]) sharing() (by, right string) { return r.SharedBy, r.Right }

func weight(index docstore.Index) int {
	switch {
	case index.Unique:
		return 0
	case index.Name == resourceIndex:
		return 2
	default:
		return 1
	}
}

// The indexes that the package itself keeps.
const (
	keyIndex      = "idempotency"
	resourceIndex = "resource" // in a collection that several resources share
	// referenceIndex has the names that callers give to records, each after that of the resource. The values are
	// pinned: what a record of an earlier release has under the name of the member is in no index.
	referenceIndex = external.Member
)

func (r *Records[T]) indexes() []docstore.Index {
	all := []docstore.Index{{Name: keyIndex, Unique: true}, {Name: referenceIndex, Unique: true}}
	for _, u := range r.Unique {
		all = append(all, docstore.Index{Name: u.Index, Unique: true, Global: u.Global})
	}
	for _, f := range r.Filters {
		if !slices.ContainsFunc(all, func(i docstore.Index) bool { return i.Name == f.Index }) {
			all = append(all, docstore.Index{Name: f.Index, Since: f.Since})
		}
	}
	for _, l := range r.leads {
		if !slices.ContainsFunc(all, func(i docstore.Index) bool { return i.Name == l.field.Index }) {
			all = append(all, docstore.Index{Name: l.field.Index, Since: l.field.Since})
		}
	}
	all = append(all, r.Indexes...)
	if r.MadeOf != "" {
		all = append(all, docstore.Index{Name: r.MadeOf})
	}
	if r.shared() {
		all = append(all, docstore.Index{Name: resourceIndex})
	}
	return all
}

// findOrigin sets State.MadeOf, which is read off the event that made the record. A release that does not have it
// drops it when it writes: there it is known as long as that event is kept with the record.
func (r *Records[T]) findOrigin(s *history.State) {
	if r.MadeOf == "" || s.MadeOf != "" {
		return
	}
	if _, of, made := s.History.Origin(); made {
		s.MadeOf = strings.ToLower(of)
	}
}

// keysOf returns the keys that a stored record is found by. A value of Resource.Indexes that was not pinned when the
// record was created is not among them: it cannot be read off the record.
func (r *Records[T]) keysOf(doc docstore.Document) (docstore.Keys, error) {
	// The keys are from the record as it was written, before time changed its state.
	record, err := r.decodeAt(doc, time.Time{})
	if err != nil {
		return nil, err
	}
	return r.keys(record.Value, &record.state), nil
}

func (r *Records[T]) keys(v T, s *history.State) docstore.Keys {
	keys := make(docstore.Keys, len(r.Filters)+len(r.Unique)+len(r.leads)+len(s.Pinned)+2)
	put := func(index, value string) {
		if value != "" {
			keys[index] = value
		}
	}
	for i := range r.Filters {
		put(r.Filters[i].Index, r.Filters[i].Key(v))
	}
	for i := range r.Unique {
		put(r.Unique[i].Index, norm.NFC.String(r.Unique[i].Value(v)))
	}
	for i := range r.leads {
		put(r.leads[i].field.Index, r.leads[i].key(reflect.ValueOf(v).Elem()))
	}
	for index, value := range s.Pinned {
		put(index, value)
	}
	if r.MadeOf != "" {
		put(r.MadeOf, s.MadeOf)
	}
	if r.shared() {
		keys[resourceIndex] = r.Name
	}
	if s.Key != nil {
		keys[keyIndex] = s.Key.Name
	}
	return keys
}

// lead is an index of a search that no filter has, and no unique value.
type lead struct {
	field search.Field
	// at leads to the member from the record.
	at []int
}

// leadsOf returns the indexes of the searches that nothing else has. It leaves out fields that name no member, which
// are faults of the declaration.
func (r *Records[T]) leadsOf() []lead {
	var all []lead
	for _, f := range r.Search {
		has := func(index string) bool { return index == f.Index }
		if f.Index == "" || f.Index == referenceIndex ||
			slices.ContainsFunc(r.Filters, func(f Filter[T]) bool { return has(f.Index) }) ||
			slices.ContainsFunc(r.Unique, func(u Unique[T]) bool { return has(u.Index) }) {
			continue
		}
		if at, ok := r.at(f.Path); ok {
			all = append(all, lead{f, at})
		}
	}
	return all
}

// at returns where a record has the member that a path leads to, through objects.
func (r *Records[T]) at(path []string) (at []int, ok bool) {
	of := recordType[T]()
	for _, name := range path {
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return nil, false
		}
		m, known := membersOf(of).find(name)
		if !known {
			return nil, false
		}
		at, of = append(at, m.index...), of.FieldByIndex(m.index).Type
	}
	return at, true
}

// key returns the value of a record in the index, empty for none.
func (l *lead) key(record reflect.Value) string {
	value, err := record.FieldByIndexErr(l.at)
	if err != nil || value.Kind() == reflect.Pointer && value.IsNil() {
		return ""
	}
	value = reflect.Indirect(value)
	if value.Kind() == reflect.String {
		return l.field.IndexKey(value.String())
	}
	if text, is := value.Interface().(fmt.Stringer); is {
		return l.field.IndexKey(text.String())
	}
	return ""
}
