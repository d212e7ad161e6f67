package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
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
		{"following", following},
		{"outbox", outbox},
		{"contention", contention},
		{"refusals", refusals},
		{"owners", owners},
	} {
		t.Run(tier.name, func(t *testing.T) { tier.run(t, opened(t, open(t), size, policies)) })
	}
}

// us is in whose name the suite works, where that does not matter, and everybody the exchange.
var us, everybody = organisation.Sole(), organisation.Exchange()

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

// fixture is a collection, and in whose name it is asked.
type fixture struct {
	docstore.Collection
	store docstore.Store
	size  Size
	who   organisation.ID
}

// opened returns a collection of a store, which is closed with the test.
func opened(t *testing.T, store docstore.Store, size Size, spec docstore.Spec) fixture {
	t.Helper()
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return fixture{store: store, size: size, who: us}.in(t, spec)
}

// in returns another collection of the store.
func (f fixture) in(t *testing.T, spec docstore.Spec) fixture {
	t.Helper()
	collection, err := f.store.Collection(t.Context(), spec)
	must(t, err)
	return f.on(collection)
}

// on returns a collection as the one to be asked.
func (f fixture) on(collection docstore.Collection) fixture {
	f.Collection = collection
	return f
}

// by returns the collection as it is asked in another name.
func (f fixture) by(who organisation.ID) fixture {
	f.who = who
	return f
}

// put stores a new document and returns it as it is read.
func (f fixture) put(t *testing.T, doc docstore.Document) docstore.Document {
	t.Helper()
	must(t, f.Insert(t.Context(), f.who, doc))
	doc.Version = 1
	if !f.who.All() {
		doc.Owner = f.who.Name()
	}
	return doc
}

// insert stores a new document of these keys and returns it.
func (f fixture) insert(t *testing.T, keys docstore.Keys) docstore.Document {
	t.Helper()
	return f.put(t, document(keys))
}

// replace stores a document in place of its version, without keeping that, and returns it at the next version.
func (f fixture) replace(t *testing.T, doc docstore.Document) docstore.Document {
	t.Helper()
	must(t, f.Replace(t.Context(), f.who, doc, nil))
	doc.Version++
	return doc
}

// get returns the document as it is stored.
func (f fixture) get(t *testing.T, id uuid.UUID) docstore.Document {
	t.Helper()
	doc, err := f.Get(t.Context(), f.who, id)
	must(t, err)
	return doc
}

// has fails the test unless a document is stored as expected.
func (f fixture) has(t *testing.T, want docstore.Document) {
	t.Helper()
	same(t, f.get(t, want.ID), want)
}

// lacks fails the test if there is a document with an id.
func (f fixture) lacks(t *testing.T, id uuid.UUID) {
	t.Helper()
	wantError(t, "get of what is not there", result(f.Get(t.Context(), f.who, id)), docstore.ErrNotFound)
}

// found returns the documents that a query selects.
func (f fixture) found(t *testing.T, q docstore.Query) []docstore.Document {
	t.Helper()
	docs, err := f.Find(t.Context(), f.who, q)
	if err != nil {
		t.Fatalf("find %+v: %v", q, err)
	}
	return docs
}

// finds fails the test unless a query selects the expected documents.
func (f fixture) finds(t *testing.T, q docstore.Query, want ...uuid.UUID) {
	t.Helper()
	if got := ids(f.found(t, q)); !slices.Equal(got, want) {
		t.Errorf("find %+v by %q: %d documents, want %d\n got %v\nwant %v", q, f.who, len(got), len(want), got, want)
	}
}

// findsBy is finds for a query by one value of an index.
func (f fixture) findsBy(t *testing.T, index, value string, want ...uuid.UUID) {
	t.Helper()
	f.finds(t, docstore.Query{Equal: docstore.Keys{index: value}, Limit: 2*len(want) + 1}, want...)
}

// calls makes every call about a stored document, and inserts a fresh one, and returns the errors by the call.
func (f fixture) calls(ctx context.Context, doc, fresh docstore.Document) map[string]error {
	changed := doc
	changed.Body = []byte(`{}`)
	all := map[string]error{
		"insert":         f.Insert(ctx, f.who, fresh),
		"get":            result(f.Get(ctx, f.who, doc.ID)),
		"replace":        f.Replace(ctx, f.who, changed, nil),
		"find":           result(f.Find(ctx, f.who, docstore.Query{Limit: 1})),
		"find by number": result(f.Find(ctx, f.who, docstore.Query{Equal: fresh.Keys, Limit: 1})),
		"former":         result(f.Former(ctx, f.who, doc.ID, 1)),
		"formers":        result(f.Formers(ctx, f.who, doc.ID, 0, 1)),
		"by key":         result(f.FormerByKey(ctx, f.who, doc.ID, "k")),
		"texts":          result(f.Texts(ctx, f.who, []uuid.UUID{doc.ID}, "insured")),
	}
	maps.Copy(all, f.callsOfExchange(ctx, doc))
	return all
}

// callsOfExchange makes the calls that show the records of all organisations.
func (f fixture) callsOfExchange(ctx context.Context, doc docstore.Document) map[string]error {
	return map[string]error{
		"unsent":         result(f.Unsent(ctx, f.who, uuid.Nil, 1)),
		"sent":           result(f.Sent(ctx, f.who, []docstore.Ref{{ID: doc.ID, Version: 1}})),
		"changes":        result(f.Changes(ctx, f.who, "", 1)),
		"end of changes": result(f.EndOfChanges(ctx, f.who)),
		"owner after":    result(f.OwnerAfter(ctx, f.who, "")),
	}
}

// result returns the error of a call and drops its result.
func result[T any](_ T, err error) error { return err }

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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
