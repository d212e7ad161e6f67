package conformance

import (
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

// TestSharing decorates a store for an exchange that organisations share. Package shared asks a store only for what the
// suite states, so that what it makes of one it makes of each.
func TestSharing(t *testing.T) {
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	must(t, err)
	f := opened(t, store, Small, policies)
	t.Run("what has no owner belongs to one for good", func(t *testing.T) { belongs(t, f) })
	t.Run("each start is with settings that keep organisations apart", func(t *testing.T) { starts(t, f) })
	t.Run("everybody reads what is public, and its owner writes", func(t *testing.T) { public(t, f) })
}

// start opens a collection of the suite's store as one of an exchange with some settings.
func (f fixture) start(t *testing.T, name string, settings shared.Settings) (docstore.Collection, error) {
	spec := several
	spec.Name, spec.Public = name, name == "published"
	return shared.Of(f.store, settings).Collection(t.Context(), spec)
}

// started is start where it succeeds.
func (f fixture) started(t *testing.T, name string, settings shared.Settings) fixture {
	t.Helper()
	collection, err := f.start(t, name, settings)
	must(t, err)
	return f.on(collection)
}

// The settings of starts.
var (
	unshared = shared.Settings{}
	byAcme   = shared.Settings{On: true, Default: "acme"}
	byZenith = shared.Settings{On: true, Default: "zenith"}
	byNobody = shared.Settings{On: true}
	zenith   = named("zenith")
)

// belongs turns on that organisations share an exchange which has documents.
func belongs(t *testing.T, f fixture) {
	before := f.started(t, "turned", unshared)
	keys := docstore.Keys{"identity": "passport 1", "holder": "h1", "policyNumber": "T-1"}
	old := before.insert(t, keys)
	f = f.started(t, "turned", byAcme)
	old.Owner = "acme"
	for _, who := range []organisation.ID{acme, everybody} {
		f.by(who).has(t, old)
	}
	var formers []docstore.Former
	for _, who := range []organisation.ID{acme, everybody} {
		next := f.by(who).get(t, old.ID)
		next.Keys = keys
		formers = append(formers, f.by(who).advance(t, next, "k1"))
	}
	fresh := f.by(acme).insert(t, docstore.Keys{"identity": "passport 2", "holder": "h1"})
	theirs := f.by(zenith).insert(t, docstore.Keys{"identity": "passport 1", "holder": "h1"})
	written := document(docstore.Keys{"holder": "h1"})
	written.Owner, written.Unsent = "acme", true
	f.by(everybody).put(t, written)
	err := f.Insert(t.Context(), acme, document(docstore.Keys{"identity": "passport 1"}))
	wantDuplicate(t, "a value from before", err, "identity")
	for who, want := range map[organisation.ID][]uuid.UUID{
		acme: {old.ID, fresh.ID, written.ID}, zenith: {theirs.ID}, named("ACME"): nil,
	} {
		f.by(who).findsBy(t, "holder", "h1", want...)
		for _, doc := range f.by(who).found(t, docstore.Query{Equal: docstore.Keys{"holder": "h1"}, Limit: 9}) {
			if doc.Owner != who.Name() {
				t.Errorf("%q finds a document of %q", who, doc.Owner)
			}
		}
	}
	if marked, err := f.Unsent(t.Context(), everybody, uuid.Nil, 9); err != nil || len(marked) != 1 ||
		marked[0].Owner != "acme" {
		t.Errorf("the documents with a mark are %v (%v)", marked, err)
	}
	wantError(t, "the marks in the name of an organisation", result(f.Unsent(t.Context(), acme, uuid.Nil, 9)),
		organisation.ErrNamed)
	unknown := document(docstore.Keys{"identity": "passport 3", "policyNumber": "T-3"})
	old.Keys = docstore.Keys{"identity": "passport 1", "policyNumber": "T-1"}
	old.Version, unknown.Version = 3, 3
	for _, who := range []organisation.ID{named("ACME"), named("acm")} {
		f.by(who).toldAlike(t, old, unknown)
	}
	f.by(acme).wantPage(t, old.ID, 0, 9, formers...)
}

// starts opens a collection with one settings after the other.
func starts(t *testing.T, f fixture) {
	opens := func(name string, settings shared.Settings, want error) {
		t.Helper()
		if _, err := f.start(t, name, settings); want != nil || err != nil {
			wantError(t, name, err, want)
		}
	}
	insert := func(name string, settings shared.Settings, who organisation.ID) {
		t.Helper()
		f.started(t, name, settings).by(who).insert(t, nil)
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
	old := f.started(t, "published", unshared).insert(t, docstore.Keys{"kind": "motor", "identity": "old"})
	old.Owner = "acme"
	f = f.started(t, "published", byAcme)
	doc := f.by(zenith).insert(t, docstore.Keys{"kind": "motor", "identity": "one"})
	everyone := []organisation.ID{acme, zenith, named("other"), everybody}
	for _, who := range everyone {
		f.by(who).has(t, old)
		f.by(who).has(t, doc)
		f.by(who).findsBy(t, "kind", "motor", old.ID, doc.ID)
		texts, err := f.Texts(t.Context(), who, []uuid.UUID{doc.ID}, "insured")
		if err != nil || texts[doc.ID] != "Zoë Çelik" {
			t.Errorf("%q reads %v (%v)", who, texts, err)
		}
	}
	stolen := doc
	stolen.Body, stolen.Owner = []byte(`{"stolen":true}`), "other"
	for _, who := range []organisation.ID{acme, named("other")} {
		wantError(t, "a replacement by another", f.Replace(t.Context(), who, stolen, nil), docstore.ErrStale)
	}
	err := f.Insert(t.Context(), acme, document(docstore.Keys{"identity": "one"}))
	wantDuplicate(t, "a value that another has", err, "identity")
	former := f.by(zenith).advance(t, doc, "k")
	for _, who := range everyone {
		f.by(who).wantFormer(t, doc.ID, former)
		f.by(who).wantPage(t, doc.ID, 0, 9, former)
		if _, err := f.FormerByKey(t.Context(), who, doc.ID, "k"); err != nil {
			t.Errorf("%q finds no version by its key: %v", who, err)
		}
	}
	fresh := document(docstore.Keys{"policyNumber": "P"})
	for call, err := range f.by(organisation.ID{}).calls(t.Context(), doc, fresh) {
		wantError(t, call+" in nobody's name", err, organisation.ErrNobody)
	}
}
