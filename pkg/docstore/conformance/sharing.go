package conformance

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/organisation"
)

// sharing: a store is decorated for an exchange that organisations share.
func sharing(t *testing.T, f fixture) {
	t.Run("what has no owner belongs to one for good", func(t *testing.T) { belongs(t, f) })
	t.Run("each start is with settings that keep organisations apart", func(t *testing.T) { starts(t, f) })
	t.Run("everybody reads what is public, and its owner writes", func(t *testing.T) { public(t, f) })
}

// opens returns a collection of the suite's store as one of an exchange with some settings. The kinds of documents are
// those of shared.
func opens(t *testing.T, f fixture, name string, settings shared.Settings) (fixture, error) {
	t.Helper()
	spec := several
	spec.Name, spec.Public = name, name == "published"
	collection, err := shared.Of(f.store, settings).Collection(t.Context(), spec)
	if err == nil {
		f.whole = collectionOf(t, collection)
	}
	return f, err
}

func opened(t *testing.T, f fixture, name string, settings shared.Settings) fixture {
	t.Helper()
	f, err := opens(t, f, name, settings)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The settings of starts.
var (
	unshared  = shared.Settings{}
	byAcme    = shared.Settings{On: true, Default: "acme"}
	byZenith  = shared.Settings{On: true, Default: "zenith"}
	byNobody  = shared.Settings{On: true}
	everybody = organisation.Exchange()
	zenith    = named("zenith")
)

// belongs turns on that organisations share an exchange which has documents.
func belongs(t *testing.T, f fixture) {
	before := opened(t, f, "turned", unshared)
	old := document(docstore.Keys{"identity": "passport 1", "holder": "h1", "policyNumber": "T-1"})
	mustDo(t, before.Insert(t.Context(), us, old))
	old.Version = 1
	after := opened(t, f, "turned", byAcme)
	for _, who := range []organisation.ID{acme, everybody} {
		got, err := after.Get(t.Context(), who, old.ID)
		if err != nil || got.Owner != "acme" {
			t.Errorf("%q gets a document of %q (%v)", who, got.Owner, err)
		}
	}
	former := docstore.Former{Version: 1, Body: old.Body, State: old.State, Digest: old.Digest, Key: "k1"}
	for _, who := range []organisation.ID{acme, everybody} {
		next, err := after.Get(t.Context(), who, old.ID)
		mustDo(t, err)
		next.Keys = docstore.Keys{"identity": "passport 1", "holder": "h1", "policyNumber": "T-1"}
		mustDo(t, after.Replace(t.Context(), who, next, &former))
		former.Version, former.Key = 2, ""
	}
	fresh := document(docstore.Keys{"identity": "passport 2", "holder": "h1"})
	mustDo(t, after.Insert(t.Context(), acme, fresh))
	theirs := document(docstore.Keys{"identity": "passport 1", "holder": "h1"})
	mustDo(t, after.Insert(t.Context(), zenith, theirs))
	written := document(docstore.Keys{"holder": "h1"})
	written.Owner, written.Unsent = "acme", true
	mustDo(t, after.Insert(t.Context(), everybody, written))
	err := after.Insert(t.Context(), acme, document(docstore.Keys{"identity": "passport 1"}))
	wantDuplicate(t, "a value from before", err, "identity")
	for who, want := range map[organisation.ID][]uuid.UUID{
		acme: {old.ID, fresh.ID, written.ID}, zenith: {theirs.ID}, named("ACME"): nil,
	} {
		found, err := after.Find(t.Context(), who, docstore.Query{Equal: docstore.Keys{"holder": "h1"}, Limit: 9})
		if err != nil || !slices.Equal(ids(found), want) {
			t.Errorf("%q finds %v (%v), want %v", who, ids(found), err, want)
		}
		for _, doc := range found {
			if doc.Owner != who.Name() {
				t.Errorf("%q finds a document of %q", who, doc.Owner)
			}
		}
	}
	if marked, err := after.Unsent(t.Context(), everybody, uuid.Nil, 9); err != nil || len(marked) != 1 ||
		marked[0].Owner != "acme" {
		t.Errorf("the documents with a mark are %v (%v)", marked, err)
	}
	wantError(t, "the marks in the name of an organisation", result(after.Unsent(t.Context(), acme, uuid.Nil, 9)),
		organisation.ErrNamed)
	unknown := document(docstore.Keys{"identity": "passport 3", "holder": "h3", "policyNumber": "T-3"})
	unknown.Version, old.Version = 3, 3
	old.Keys = docstore.Keys{"identity": "passport 1", "policyNumber": "T-1"}
	unknown.Keys = docstore.Keys{"identity": "passport 3", "policyNumber": "T-3"}
	for _, who := range []organisation.ID{named("ACME"), named("acm")} {
		if of, no := answers(t, after, who, old), answers(t, after, who, unknown); !reflect.DeepEqual(of, no) {
			t.Errorf("by %q: %v for a document from before, and %v for none", who, of, no)
		}
	}
	formers, err := after.Formers(t.Context(), acme, old.ID, 0, 9)
	if err != nil || len(formers) != 2 {
		t.Errorf("the owner finds the former versions %v (%v)", formers, err)
	}
}

// starts opens a collection with one settings after the other.
func starts(t *testing.T, f fixture) {
	opens := func(name string, settings shared.Settings, want error) {
		t.Helper()
		if _, err := opens(t, f, name, settings); want != nil || err != nil {
			wantError(t, name, err, want)
		}
	}
	insert := func(name string, settings shared.Settings, who organisation.ID) {
		t.Helper()
		mustDo(t, opened(t, f, name, settings).Insert(t.Context(), who, document(nil)))
	}
	// An exchange that has records.
	insert("old", unshared, us)
	opens("old", byNobody, shared.ErrUnowned)
	opens("old", byAcme, nil)
	opens("old", byNobody, nil)
	opens("old", byZenith, shared.ErrSettled)
	insert("old", byNobody, acme)
	opens("old", unshared, nil) // as long as one alone has records, nothing is kept apart
	insert("old", byAcme, zenith)
	opens("old", unshared, shared.ErrOwned)
	opens("old", byZenith, shared.ErrSettled)
	opens("old", byAcme, nil)
	opens("old", byNobody, nil)
	// One that was shared from its beginning.
	opens("new", byNobody, nil)
	opens("new", byAcme, nil)
	opens("new", byZenith, nil)
	opens("new", unshared, nil)
	insert("new", unshared, us)
	opens("new", byAcme, shared.ErrSettled) // it was to be zenith's
	opens("new", byNobody, nil)
	opens("fresh", byNobody, nil)
	insert("fresh", byNobody, acme)
	opens("fresh", byAcme, shared.ErrSettled)
	opens("fresh", unshared, shared.ErrOwned)
	opens("fresh", byNobody, nil)
	// One that was shared for a time without a record.
	opens("tried", byNobody, nil)
	insert("tried", unshared, us)
	opens("tried", byNobody, shared.ErrUnowned)
	opens("tried", byAcme, nil)
}

// public has several read what one owns.
func public(t *testing.T, f fixture) {
	before := opened(t, f, "published", unshared)
	old := document(docstore.Keys{"kind": "motor", "identity": "old"})
	mustDo(t, before.Insert(t.Context(), us, old))
	f = opened(t, f, "published", byAcme)
	doc := document(docstore.Keys{"kind": "motor", "identity": "one"})
	mustDo(t, f.Insert(t.Context(), zenith, doc))
	everyone := []organisation.ID{acme, zenith, named("other"), everybody}
	for _, who := range everyone {
		for id, owner := range map[uuid.UUID]string{old.ID: "acme", doc.ID: "zenith"} {
			if got, err := f.Get(t.Context(), who, id); err != nil || got.Owner != owner {
				t.Errorf("%q gets a document of %q (%v), want one of %s", who, got.Owner, err, owner)
			}
		}
		found, err := f.Find(t.Context(), who, docstore.Query{Equal: docstore.Keys{"kind": "motor"}, Limit: 9})
		if err != nil || !slices.Equal(ids(found), []uuid.UUID{old.ID, doc.ID}) {
			t.Errorf("%q finds %v (%v)", who, ids(found), err)
		}
		texts, err := f.Texts(t.Context(), who, []uuid.UUID{doc.ID}, "insured")
		if err != nil || texts[doc.ID] != "Zoë Çelik" {
			t.Errorf("%q reads %v (%v)", who, texts, err)
		}
	}
	doc.Version = 1
	stolen := doc
	stolen.Body, stolen.Owner = []byte(`{"stolen":true}`), "other"
	former := docstore.Former{Version: 1, Body: doc.Body, State: doc.State, Digest: doc.Digest, Key: "k"}
	for _, who := range []organisation.ID{acme, named("other")} {
		wantError(t, "a replacement by another", f.Replace(t.Context(), who, stolen, nil), docstore.ErrStale)
	}
	err := f.Insert(t.Context(), acme, document(docstore.Keys{"identity": "one"}))
	wantDuplicate(t, "a value that another has", err, "identity")
	mustDo(t, f.Replace(t.Context(), zenith, doc, &former))
	for _, who := range everyone {
		kept, err := f.Former(t.Context(), who, doc.ID, 1)
		if err != nil || !bytes.Equal(kept.Body, doc.Body) {
			t.Errorf("%q finds the former version %s (%v)", who, kept.Body, err)
		}
		if all, err := f.Formers(t.Context(), who, doc.ID, 0, 9); err != nil || len(all) != 1 {
			t.Errorf("%q finds the former versions %v (%v)", who, all, err)
		}
		if _, err := f.FormerByKey(t.Context(), who, doc.ID, "k"); err != nil {
			t.Errorf("%q finds no version by its key: %v", who, err)
		}
	}
	var nobody organisation.ID
	wantError(t, "a read in nobody's name", result(f.Get(t.Context(), nobody, doc.ID)), organisation.ErrNobody)
	wantError(t, "a find in nobody's name", result(f.Find(t.Context(), nobody, docstore.Query{Limit: 1})),
		organisation.ErrNobody)
}
