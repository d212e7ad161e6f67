package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// several is a collection of several organisations: some values are unique among all of them, others in each.
var several = docstore.Spec{Name: "shared", Indexes: []docstore.Index{
	{Name: "policyNumber", Unique: true, Global: true}, {Name: "identity", Unique: true}, {Name: "holder"},
	{Name: "inception"}, {Name: "kind"}, {Name: "account", Global: true},
}}

// Organisations whose names are easily taken for one another, and the one without a name.
var (
	acme   = named("acme")
	others = []organisation.ID{named("acme2"), named("ACME"), named("acm"), named("acme."), us}
)

func named(name string) organisation.ID {
	who, err := organisation.Named(name)
	if err != nil {
		panic(err) // they are constants
	}
	return who
}

// owners: an organisation sees what it owns. All else is for it as if it did not exist.
func owners(t *testing.T, f fixture) {
	collection, err := f.store.Collection(t.Context(), several)
	if err != nil {
		t.Fatal(err)
	}
	f.whole = collectionOf(t, collection)
	t.Run("what another owns is as if it did not exist", func(t *testing.T) { invisible(t, f) })
	t.Run("what is for the exchange is for no organisation", func(t *testing.T) { forExchange(t, f) })
	t.Run("a value is unique in an organisation, or among all", func(t *testing.T) { uniqueWithin(t, f) })
	t.Run("the exchange sees who owns a document, and writes for the owner", func(t *testing.T) { writesFor(t, f) })
	t.Run("an organisation cannot give itself an owner", func(t *testing.T) { ownerOfItself(t, f) })
	t.Run("each finds its own, whatever the others have", func(t *testing.T) { findsOwn(t, f) })
}

// invisible asks for a document of another organisation and for one that does not exist, by every call.
func invisible(t *testing.T, f fixture) {
	foreign := document(docstore.Keys{
		"policyNumber": "F-1", "identity": "passport 1", "holder": "h1", "inception": "2026-03-01", "kind": "motor",
		"account": "a1",
	})
	foreign.Body = fmt.Appendf(nil, `{"id":%q,"insured":"Zoë Çelik","note":%q}`, foreign.ID, bytes.Repeat([]byte("x"),
		200_000))
	mustDo(t, f.Insert(t.Context(), acme, foreign))
	foreign.Version = 1
	first := docstore.Former{Version: 1, Body: foreign.Body, State: foreign.State, Digest: foreign.Digest, Key: "k1"}
	mustDo(t, f.Replace(t.Context(), acme, foreign, &first))
	foreign.Version, foreign.Owner = 2, "acme"
	unknown := document(docstore.Keys{
		"policyNumber": "U-1", "identity": "passport 2", "holder": "h2", "inception": "2026-04-01", "kind": "cyber",
		"account": "a2",
	})
	unknown.Version = 2
	for _, who := range others {
		of, no := answers(t, f, who, foreign), answers(t, f, who, unknown)
		for call := range of {
			if !reflect.DeepEqual(of[call], no[call]) {
				t.Errorf("%s by %q: %v for a document of another, and %v for none", call, who, of[call], no[call])
			}
		}
	}
	got, err := f.Get(t.Context(), acme, foreign.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, foreign)
	if formers, err := f.Formers(t.Context(), acme, foreign.ID, 0, 9); err != nil || len(formers) != 1 ||
		formers[0].Key != "k1" {
		t.Errorf("the owner finds the former versions %v (%v)", formers, err)
	}
	former, err := f.Former(t.Context(), acme, foreign.ID, 1)
	if err != nil || !bytes.Equal(former.Body, first.Body) {
		t.Errorf("the owner finds the former version %v (%v)", former, err)
	}
	for _, who := range []organisation.ID{acme, organisation.Exchange()} {
		of, no := answers(t, f, who, foreign), answers(t, f, who, unknown)
		for call := range of {
			if reflect.DeepEqual(of[call], no[call]) {
				t.Errorf("%s by %q finds nothing: %v", call, who, of[call])
			}
		}
	}
}

// answers returns what an organisation is told of a document, by the call. A replacement is at a version that is stale
// for those who see the document.
func answers(t *testing.T, f fixture, who organisation.ID, doc docstore.Document) map[string]any {
	ctx, all := t.Context(), map[string]any{}
	note := func(call string, value any, err error) {
		all[call] = []any{value, err != nil, errors.Is(err, docstore.ErrNotFound), errors.Is(err, docstore.ErrStale),
			errors.Is(err, docstore.ErrUnavailable)}
	}
	get, err := f.Get(ctx, who, doc.ID)
	note("get", get, err)
	texts, err := f.Texts(ctx, who, []uuid.UUID{doc.ID}, "insured")
	note("texts", texts, err)
	present, err := f.Texts(ctx, who, []uuid.UUID{doc.ID}, "")
	note("present", len(present), err)
	former, err := f.Former(ctx, who, doc.ID, 1)
	note("former", former, err)
	formers, err := f.Formers(ctx, who, doc.ID, 0, 10)
	note("formers", formers, err)
	former, err = f.FormerByKey(ctx, who, doc.ID, "k1")
	note("former by key", former, err)
	if who != acme && !who.All() {
		changed := doc
		changed.Body, changed.Owner = []byte(`{"stolen":true}`), who.Name()
		note("replace", nil, f.Replace(ctx, who, changed, nil))
		changed.Owner = "acme"
		// Who has no name has read no version that it could keep: it shares its exchange with nobody.
		if who != us {
			note("replace and keep", nil, f.Replace(ctx, who, changed, &docstore.Former{
				Version: 2, Body: []byte(`{"forged":true}`), Key: "k2",
			}))
		}
		changed.Version = 1
		note("replace a former version", nil, f.Replace(ctx, who, changed, nil))
	}
	find := func(call string, q docstore.Query) {
		q.Limit, q.WithState = 10, true
		docs, err := f.Find(ctx, who, q)
		note(call, docs, err)
		q.Descending, q.WithState = true, false
		docs, err = f.Find(ctx, who, q)
		note(call+", descending", docs, err)
	}
	for index, value := range doc.Keys {
		// The exchange finds by a key of an organisation's own nothing that an organisation owns.
		if by := slices.IndexFunc(several.Indexes, func(i docstore.Index) bool { return i.Name == index }); who.All() &&
			!several.Indexes[by].Global {
			continue
		}
		find("find by "+index, docstore.Query{Equal: docstore.Keys{index: value}})
		if index != "policyNumber" {
			find("find by "+index+" and a number", docstore.Query{Equal: docstore.Keys{
				index: value, "policyNumber": doc.Keys["policyNumber"],
			}})
		}
		if by := several.Indexes[slices.IndexFunc(several.Indexes,
			func(i docstore.Index) bool { return i.Name == index })]; !by.Unique && !by.Global {
			find("range of "+index, docstore.Query{Ranges: []docstore.Range{{Index: index, From: value, To: value}}})
		}
	}
	return all
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// forExchange checks that an organisation cannot ask for what shows the records of all organisations.
func forExchange(t *testing.T, f fixture) {
	doc := document(docstore.Keys{"account": "marks"})
	doc.Unsent = true
	mustDo(t, f.Insert(t.Context(), acme, doc))
	changes := capability[docstore.Changes](t, f.Collection)
	ref := []docstore.Ref{{ID: doc.ID, Version: 1}}
	for _, who := range []organisation.ID{acme, others[0]} {
		for call, err := range map[string]error{
			"unsent":         result(f.Unsent(t.Context(), who, uuid.Nil, 1)),
			"sent":           result(f.Sent(t.Context(), who, ref)),
			"changes":        result(changes.Changes(t.Context(), who, "", 1)),
			"end of changes": result(changes.EndOfChanges(t.Context(), who)),
		} {
			wantError(t, call, err, organisation.ErrNamed)
		}
	}
	everybody := organisation.Exchange()
	found, err := f.Find(t.Context(), everybody, docstore.Query{Equal: docstore.Keys{"account": "marks"}, Limit: 9})
	if err != nil || !slices.Equal(ids(found), []uuid.UUID{doc.ID}) || !found[0].Unsent {
		t.Errorf("the exchange finds %v by a global index (%v)", found, err)
	}
	if removed, err := f.Sent(t.Context(), everybody, ref); err != nil || removed != 1 {
		t.Errorf("the exchange removes %d marks (%v)", removed, err)
	}
}

// uniqueWithin gives several organisations the same values.
func uniqueWithin(t *testing.T, f fixture) {
	put := func(who organisation.ID, keys docstore.Keys) (docstore.Document, error) {
		doc := document(keys)
		err := f.Insert(t.Context(), who, doc)
		doc.Version = 1
		return doc, err
	}
	everyone := append([]organisation.ID{acme}, others...)
	for i, who := range everyone {
		if _, err := put(who, docstore.Keys{"identity": "same"}); err != nil {
			t.Fatalf("%q cannot have the value of another: %v", who, err)
		}
		_, err := put(who, docstore.Keys{"identity": "same"})
		wantDuplicate(t, "a value of one's own", err, "identity")
		_, err = put(who, docstore.Keys{"policyNumber": "one"})
		if i == 0 {
			mustDo(t, err)
		} else {
			wantDuplicate(t, "a number that another has", err, "policyNumber")
		}
	}
	// "acme" and "2same" are not "acme2" and "same".
	if _, err := put(acme, docstore.Keys{"identity": "2same"}); err != nil {
		t.Errorf("a name and a value are taken for another name and its value: %v", err)
	}
	doc, err := put(acme, docstore.Keys{"identity": "mine"})
	mustDo(t, err)
	theirs, err := put(others[0], docstore.Keys{"identity": "theirs", "policyNumber": "two"})
	mustDo(t, err)
	doc.Keys = docstore.Keys{"identity": "theirs"}
	mustDo(t, f.Replace(t.Context(), acme, doc, nil))
	doc.Version++
	doc.Keys = docstore.Keys{"identity": "theirs", "policyNumber": "two"}
	wantDuplicate(t, "a number that another has", f.Replace(t.Context(), acme, doc, nil), "policyNumber")
	for who, want := range map[organisation.ID]uuid.UUID{acme: doc.ID, others[0]: theirs.ID} {
		found, err := f.Find(t.Context(), who, docstore.Query{Equal: docstore.Keys{"identity": "theirs"}, Limit: 2})
		if err != nil || !slices.Equal(ids(found), []uuid.UUID{want}) {
			t.Errorf("%q finds %v (%v), want %v", who, ids(found), err, want)
		}
	}
}

// writesFor has the exchange replace what an organisation owns, and insert for it.
func writesFor(t *testing.T, f fixture) {
	everybody := organisation.Exchange()
	doc := document(docstore.Keys{"policyNumber": "W-1", "holder": "w"})
	mustDo(t, f.Insert(t.Context(), acme, doc))
	stored, err := f.Get(t.Context(), everybody, doc.ID)
	if err != nil || stored.Owner != "acme" {
		t.Fatalf("the owner is %q (%v)", stored.Owner, err)
	}
	taken := stored
	for _, owner := range []string{"acme2", ""} {
		taken.Owner = owner
		wantError(t, "a change of the owner", f.Replace(t.Context(), everybody, taken, nil), docstore.ErrStale)
	}
	stored.Body, stored.Keys = []byte(`{"by":"exchange"}`), doc.Keys
	former := docstore.Former{Version: 1, Body: doc.Body, State: doc.State, Digest: doc.Digest}
	mustDo(t, f.Replace(t.Context(), everybody, stored, &former))
	if former, err := f.Former(t.Context(), acme, doc.ID, 1); err != nil || !bytes.Equal(former.Body, doc.Body) {
		t.Errorf("the owner finds the former version %s (%v)", former.Body, err)
	}
	row := document(docstore.Keys{"policyNumber": "W-2", "holder": "w"})
	row.Owner = "acme"
	mustDo(t, f.Insert(t.Context(), everybody, row))
	found, err := f.Find(t.Context(), acme, docstore.Query{Equal: docstore.Keys{"holder": "w"}, Limit: 9})
	if err != nil || !slices.Equal(ids(found), []uuid.UUID{doc.ID, row.ID}) {
		t.Errorf("the owner finds %v (%v)", ids(found), err)
	}
	row = document(nil)
	for _, owner := range []string{"no name", "a\x1fb", "zoë", string(bytes.Repeat([]byte("x"), 65))} {
		row.Owner = owner
		wantError(t, "an owner without a name", f.Insert(t.Context(), everybody, row), docstore.ErrUnavailable)
	}
}

// ownerOfItself inserts a document with the name of another as its owner.
func ownerOfItself(t *testing.T, f fixture) {
	for _, who := range others {
		doc := document(docstore.Keys{"holder": "self"})
		doc.Owner = "acme"
		mustDo(t, f.Insert(t.Context(), who, doc))
		if got, err := f.Get(t.Context(), who, doc.ID); err != nil || got.Owner != who.Name() {
			t.Errorf("the owner of what %q has inserted is %q (%v)", who, got.Owner, err)
		}
	}
	own := docstore.Query{Equal: docstore.Keys{"holder": "self"}, Limit: 1}
	if docs, err := f.Find(t.Context(), acme, own); err != nil || len(docs) > 0 {
		t.Errorf("found %v (%v)", docs, err)
	}
}

// findsOwn compares random finds of several organisations with a search through the documents of each.
func findsOwn(t *testing.T, f fixture) {
	random := rand.New(rand.NewPCG(3, 4))
	owned := docstore.Spec{Name: "mixed", Indexes: slices.Clone(several.Indexes)}
	collection, err := f.store.Collection(t.Context(), owned)
	if err != nil {
		t.Fatal(err)
	}
	f.whole = collectionOf(t, collection)
	everyone := []organisation.ID{us, acme, named("acme2")}
	stored := map[organisation.ID][]docstore.Document{}
	var all []docstore.Document
	for i := range f.size.Documents {
		// One has nearly all.
		who := everyone[max(0, 2-random.IntN(20))]
		keys := docstore.Keys{
			"policyNumber": fmt.Sprintf("P-%d", i), "holder": fmt.Sprintf("h%d", random.IntN(12)),
			"inception": fmt.Sprintf("2026-03-%02d", 1+random.IntN(28)),
		}
		if i%3 > 0 {
			keys["kind"] = []string{"", "motor", "cyber", "Motor"}[random.IntN(4)]
		}
		doc := document(keys)
		mustDo(t, f.Insert(t.Context(), who, doc))
		stored[who], all = append(stored[who], doc), append(all, doc)
	}
	for range f.size.Queries {
		who := everyone[random.IntN(len(everyone))]
		// What is asked for may be another's.
		q := anyQuery(random, all)
		docs, err := f.Find(t.Context(), who, q)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ids(docs), selection(stored[who], q); !slices.Equal(got, want) {
			t.Errorf("find %+v by %q\n got %v\nwant %v", q, who, got, want)
		}
		for _, doc := range docs {
			if doc.Owner != who.Name() {
				t.Errorf("the owner is %q, want %q", doc.Owner, who.Name())
			}
		}
	}
	if docs, err := f.Find(t.Context(), organisation.Exchange(), docstore.Query{Limit: len(all) + 1}); err != nil ||
		len(docs) != len(all) {
		t.Errorf("the exchange finds %d of %d documents (%v)", len(docs), len(all), err)
	}
}
