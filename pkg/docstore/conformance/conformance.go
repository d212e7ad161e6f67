// Package conformance states what a docstore.Store guarantees, as tests that every store passes whole.
package conformance

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// Size tells how hard the suite works. What it states does not depend on it.
type Size struct {
	// Documents is how many documents a collection that is searched or paged through holds.
	Documents int
	// Queries is how many random queries are compared with a plain search of everything.
	Queries int
	// Writers contend for one document, and Increments is what each of them adds to it.
	Writers, Increments int
}

// The sizes in use: Full for a store made for the exchange's load, Small for one that reads all it has to find anything.
var (
	Full  = Size{Documents: 2000, Queries: 400, Writers: 32, Increments: 25}
	Small = Size{Documents: 120, Queries: 40, Writers: 32, Increments: 2}
)

// Run runs the suite. Open returns a store that holds nothing; the suite closes it.
func Run(t *testing.T, size Size, open func(t *testing.T) docstore.Store) {
	for _, tier := range []struct {
		name string
		run  func(*testing.T, fixture)
	}{
		{"records", records},
		{"unique keys", uniqueKeys},
		{"versions", versions},
		{"finds", finds},
		{"paging", paging},
		{"outbox", outbox},
		{"contention", contention},
		{"contexts", contexts},
	} {
		t.Run(tier.name, func(t *testing.T) {
			store := open(t)
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			collection, err := store.Collection(t.Context(), policies)
			if err != nil {
				t.Fatalf("collection: %v", err)
			}
			tier.run(t, fixture{Collection: collection, store: store, size: size})
		})
	}
}

// policies is the collection that the suite works on.
var policies = docstore.Spec{
	Name: "policies",
	Indexes: []docstore.Index{
		{Name: "policyNumber", Unique: true},
		{Name: "idempotency", Unique: true},
		{Name: "holder"},
		{Name: "inception"},
		{Name: "kind"},
	},
}

// fixture is what a tier works with.
type fixture struct {
	docstore.Collection
	store docstore.Store
	size  Size
}

// insert stores a new document of these keys and returns it.
func (f fixture) insert(t *testing.T, keys docstore.Keys) docstore.Document {
	t.Helper()
	doc := document(keys)
	if err := f.Insert(t.Context(), doc); err != nil {
		t.Fatalf("insert: %v", err)
	}
	doc.Version = 1
	return doc
}

// get returns the document as it is stored.
func (f fixture) get(t *testing.T, id uuid.UUID) docstore.Document {
	t.Helper()
	doc, err := f.Get(t.Context(), id)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return doc
}

// find returns the ids that the query selects.
func (f fixture) find(t *testing.T, q docstore.Query) []uuid.UUID {
	t.Helper()
	docs, err := f.Find(t.Context(), q)
	if err != nil {
		t.Fatalf("find %+v: %v", q, err)
	}
	return ids(docs)
}

// document makes a document, not yet stored, whose body and state tell its id.
func document(keys docstore.Keys) docstore.Document {
	id := uuid.Must(uuid.NewV7())
	return docstore.Document{
		ID:    id,
		Body:  fmt.Appendf(nil, `{"id":%q,"insured":"Zoë Çelik","premium":1234567890.10}`, id),
		State: fmt.Appendf(nil, `{"history":[%q]}`, id),
		Keys:  keys,
	}
}

func ids(docs []docstore.Document) []uuid.UUID {
	var ids []uuid.UUID
	for _, doc := range docs {
		ids = append(ids, doc.ID)
	}
	return ids
}

// same reports where the stored document differs from the one expected, which has the keys that no read returns.
func same(t *testing.T, got, want docstore.Document) {
	t.Helper()
	want.Keys = nil
	if len(got.State) == 0 && len(want.State) == 0 {
		got.State, want.State = nil, nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stored document\n got %+v\nwant %+v", got, want)
	}
}

// wantError reports an error that is not the one expected, or none.
func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// wantDuplicate reports an error that is not the refusal of the index.
func wantDuplicate(t *testing.T, what string, got error, index string) {
	t.Helper()
	if name, ok := docstore.Duplicate(got); !ok || name != index {
		t.Errorf("%s: got error %v, want the refusal of index %q", what, got, index)
	}
}
