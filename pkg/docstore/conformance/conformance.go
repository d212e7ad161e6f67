package conformance

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// Size says how much work the suite does. What the suite states does not depend on it.
type Size struct {
	// Documents is the number of documents in a collection that is searched or paged through.
	Documents int
	// Queries is the number of random queries whose results are compared with a search through all documents.
	Queries int
	// Writers is the number of goroutines that contend for one document. Increments is how often each of them adds one.
	Writers, Increments int
}

// The sizes in use: Full for a store made for the load of the exchange, Small for a store that reads all of its
// documents to find one.
var (
	Full  = Size{Documents: 2000, Queries: 400, Writers: 16, Increments: 10}
	Small = Size{Documents: 120, Queries: 40, Writers: 32, Increments: 2}
)

// Run runs the suite. open returns an empty store, which the suite closes.
func Run(t *testing.T, size Size, open func(t *testing.T) docstore.Store) {
	for _, tier := range []struct {
		name string
		run  func(*testing.T, fixture)
	}{
		{"records", records},
		{"unique keys", uniqueKeys},
		{"versions", versions},
		{"history", history},
		{"finds", finds},
		{"paging", paging},
		{"following", following},
		{"outbox", outbox},
		{"contention", contention},
		{"contexts", contexts},
		{"organisations", organisations},
		{"owners", owners},
		{"sharing", sharing},
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
			tier.run(t, fixture{collectionOf(t, collection), store, size})
		})
	}
}

// us is in whose name the suite works, where that does not matter.
var us = organisation.Sole()

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

// whole is a collection with its capabilities. Every store has them.
type whole struct {
	docstore.Collection
	docstore.History
	docstore.Members
}

// collectionOf returns a collection with its capabilities.
func collectionOf(t *testing.T, c docstore.Collection) whole {
	t.Helper()
	return whole{c, capability[docstore.History](t, c), capability[docstore.Members](t, c)}
}

// capability returns a collection as a capability, which every store has.
func capability[T any](t *testing.T, c docstore.Collection) T {
	t.Helper()
	capable, err := docstore.As[T](c)
	if err != nil {
		t.Fatal(err)
	}
	return capable
}

// fixture is the store and the collection that a group of tests works on.
type fixture struct {
	whole
	store docstore.Store
	size  Size
}

// insert stores a new document of these keys and returns it.
func (f fixture) insert(t *testing.T, keys docstore.Keys) docstore.Document {
	t.Helper()
	doc := document(keys)
	if err := f.Insert(t.Context(), us, doc); err != nil {
		t.Fatalf("insert: %v", err)
	}
	doc.Version = 1
	return doc
}

// get returns the document as it is stored.
func (f fixture) get(t *testing.T, id uuid.UUID) docstore.Document {
	t.Helper()
	doc, err := f.Get(t.Context(), us, id)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return doc
}

// find returns the ids that the query selects.
func (f fixture) find(t *testing.T, q docstore.Query) []uuid.UUID {
	t.Helper()
	docs, err := f.Find(t.Context(), us, q)
	if err != nil {
		t.Fatalf("find %+v: %v", q, err)
	}
	return ids(docs)
}

// document returns a document that is not stored yet. Its body and state contain its id.
func document(keys docstore.Keys) docstore.Document {
	id := uuid.Must(uuid.NewV7())
	return docstore.Document{
		ID:    id,
		Body:  fmt.Appendf(nil, `{"id":%q,"insured":"Zoë Çelik","premium":1234567890.10}`, id),
		State: fmt.Appendf(nil, `{"history":[%q]}`, id),
		// A store keeps any bytes.
		Digest: append(docstore.Digest{0, 0xff}, id[:]...),
		Keys:   keys,
	}
}

func ids(docs []docstore.Document) []uuid.UUID {
	var ids []uuid.UUID
	for _, doc := range docs {
		ids = append(ids, doc.ID)
	}
	return ids
}

// same fails the test where the stored document differs from the expected one. Keys are not compared, because no read
// returns them.
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

// wantError fails the test if an error is not the expected one, or if there is none.
func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// wantDuplicate fails the test if an error is not the refusal of the index.
func wantDuplicate(t *testing.T, what string, got error, index string) {
	t.Helper()
	if name, ok := docstore.Duplicate(got); !ok || name != index {
		t.Errorf("%s: got error %v, want the refusal of index %q", what, got, index)
	}
}
