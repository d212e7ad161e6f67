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
	f = f.in(t, several)
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
	foreign.Body = fmt.Appendf(nil, `{"id":%q,"insured":"Zoë Çelik","note":%q}`, foreign.ID,
		bytes.Repeat([]byte("x"), 200_000))
	foreign = f.by(acme).put(t, foreign)
	first := formerOf(foreign, "k1")
	must(t, f.Replace(t.Context(), acme, foreign, first))
	foreign.Version = 2
	unknown := document(docstore.Keys{
		"policyNumber": "U-1", "identity": "passport 2", "holder": "h2", "inception": "2026-04-01", "kind": "cyber",
		"account": "a2",
	})
	unknown.Version = 2
	for _, who := range others {
		f.by(who).toldAlike(t, foreign, unknown)
	}
	f.by(acme).has(t, foreign)
	f.by(acme).wantPage(t, foreign.ID, 0, 9, *first)
	f.by(acme).wantFormer(t, foreign.ID, *first)
	for _, who := range []organisation.ID{acme, everybody} {
		of, no := f.by(who).answers(t, foreign), f.by(who).answers(t, unknown)
		for call := range of {
			if reflect.DeepEqual(of[call], no[call]) {
				t.Errorf("%s by %q finds nothing: %v", call, who, of[call])
			}
		}
	}
}

// toldAlike fails the test unless a caller is told the same of a document of another and of one that does not exist.
func (f fixture) toldAlike(t *testing.T, foreign, unknown docstore.Document) {
	t.Helper()
	of, no := f.answers(t, foreign), f.answers(t, unknown)
	for call := range of {
		if !reflect.DeepEqual(of[call], no[call]) {
			t.Errorf("%s by %q: %v for a document of another, and %v for none", call, f.who, of[call], no[call])
		}
	}
}

// answers returns what an organisation is told of a document, by the call. A replacement is at a version that is stale
// for those who see the document.
func (f fixture) answers(t *testing.T, doc docstore.Document) map[string]any {
	ctx, who, all := t.Context(), f.who, map[string]any{}
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
			forged := &docstore.Former{Version: 2, Body: []byte(`{"forged":true}`), Key: "k2"}
			note("replace and keep", nil, f.Replace(ctx, who, changed, forged))
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
	for _, index := range several.Indexes {
		value, has := doc.Keys[index.Name]
		// The exchange finds by a key of an organisation's own nothing that an organisation owns.
		if !has || who.All() && !index.Global {
			continue
		}
		find("find by "+index.Name, docstore.Query{Equal: docstore.Keys{index.Name: value}})
		if index.Name != "policyNumber" {
			both := docstore.Keys{index.Name: value, "policyNumber": doc.Keys["policyNumber"]}
			find("find by "+index.Name+" and a number", docstore.Query{Equal: both})
		}
		if !index.Unique && !index.Global {
			only := docstore.Range{Index: index.Name, From: value, To: value}
			find("range of "+index.Name, docstore.Query{Ranges: []docstore.Range{only}})
		}
	}
	return all
}

// forExchange checks that an organisation cannot ask for what shows the records of all organisations.
func forExchange(t *testing.T, f fixture) {
	doc := document(docstore.Keys{"account": "marks"})
	doc.Unsent = true
	doc = f.by(acme).put(t, doc)
	for _, who := range []organisation.ID{acme, others[0]} {
		for call, err := range f.by(who).callsOfExchange(t.Context(), doc) {
			wantError(t, call, err, organisation.ErrNamed)
		}
	}
	f = f.by(everybody)
	f.findsBy(t, "account", "marks", doc.ID)
	f.has(t, doc)
	if removed, err := f.Sent(t.Context(), everybody, []docstore.Ref{{ID: doc.ID, Version: 1}}); err != nil ||
		removed != 1 {
		t.Errorf("the exchange removes %d marks (%v)", removed, err)
	}
}

// uniqueWithin gives several organisations the same values.
func uniqueWithin(t *testing.T, f fixture) {
	refuses := func(who organisation.ID, index string, keys docstore.Keys) {
		t.Helper()
		wantDuplicate(t, "a value that is taken", f.Insert(t.Context(), who, document(keys)), index)
	}
	f.by(acme).insert(t, docstore.Keys{"policyNumber": "one"})
	for _, who := range append([]organisation.ID{acme}, others...) {
		f.by(who).insert(t, docstore.Keys{"identity": "same"})
		refuses(who, "identity", docstore.Keys{"identity": "same"})
		refuses(who, "policyNumber", docstore.Keys{"policyNumber": "one"})
	}
	// "acme" and "2same" are not "acme2" and "same".
	f.by(acme).insert(t, docstore.Keys{"identity": "2same"})
	doc := f.by(acme).insert(t, docstore.Keys{"identity": "mine"})
	theirs := f.by(others[0]).insert(t, docstore.Keys{"identity": "theirs", "policyNumber": "two"})
	doc.Keys = docstore.Keys{"identity": "theirs"}
	doc = f.by(acme).replace(t, doc)
	doc.Keys = docstore.Keys{"identity": "theirs", "policyNumber": "two"}
	wantDuplicate(t, "a number that another has", f.Replace(t.Context(), acme, doc, nil), "policyNumber")
	f.by(acme).findsBy(t, "identity", "theirs", doc.ID)
	f.by(others[0]).findsBy(t, "identity", "theirs", theirs.ID)
}

// writesFor has the exchange replace what an organisation owns, and insert for it.
func writesFor(t *testing.T, f fixture) {
	doc := f.by(acme).insert(t, docstore.Keys{"policyNumber": "W-1", "holder": "w"})
	stored := f.by(everybody).get(t, doc.ID)
	same(t, stored, doc)
	taken := stored
	for _, owner := range []string{"acme2", ""} {
		taken.Owner = owner
		wantError(t, "a change of the owner", f.Replace(t.Context(), everybody, taken, nil), docstore.ErrStale)
	}
	stored.Body, stored.Keys = []byte(`{"by":"exchange"}`), doc.Keys
	must(t, f.Replace(t.Context(), everybody, stored, formerOf(doc, "")))
	f.by(acme).wantFormer(t, doc.ID, *formerOf(doc, ""))
	row := document(docstore.Keys{"policyNumber": "W-2", "holder": "w"})
	row.Owner = "acme"
	f.by(everybody).put(t, row)
	f.by(acme).findsBy(t, "holder", "w", doc.ID, row.ID)
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
		f.by(who).has(t, f.by(who).put(t, doc))
	}
	f.by(acme).findsBy(t, "holder", "self")
}

// findsOwn compares random finds of several organisations with a search through the documents of each.
func findsOwn(t *testing.T, f fixture) {
	random := rand.New(rand.NewPCG(3, 4))
	f = f.in(t, docstore.Spec{Name: "mixed", Indexes: several.Indexes})
	everyone := []organisation.ID{us, acme, named("acme2")}
	docs := map[organisation.ID][]docstore.Document{}
	var all []docstore.Document
	for i := range f.size.Documents {
		// One has nearly all.
		who := everyone[max(0, 2-random.IntN(20))]
		doc := f.by(who).insert(t, anyKeys(i, random))
		docs[who], all = append(docs[who], doc), append(all, doc)
	}
	for range f.size.Queries {
		who := everyone[random.IntN(len(everyone))]
		q := anyQuery(random, all) // what is asked for may be another's
		f.by(who).compare(t, docs[who], q)
		if slices.ContainsFunc(f.by(who).found(t, q), func(d docstore.Document) bool { return d.Owner != who.Name() }) {
			t.Errorf("what %q finds by %+v has other owners", who, q)
		}
	}
	f.by(everybody).finds(t, docstore.Query{Limit: len(all) + 1}, ids(all)...)
}
