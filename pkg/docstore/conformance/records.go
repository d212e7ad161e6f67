package conformance

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// records: a read returns each document exactly as it was stored.
func records(t *testing.T, f fixture) {
	for _, c := range []struct {
		name, body, state string
		keys              docstore.Keys
	}{
		{"with keys and a state", `{"a":1}`, `{"b":2}`, docstore.Keys{"policyNumber": "M-1", "holder": "h"}},
		{"without keys and a state", `{"a":1}`, "", nil},
		{"of any bytes", "{ \"a\" : 1.0e+2,\n\t\"b\":\"\\u0000 \u2028 \U0001F697\", " +
			"\"c\":100000000000000000000000000000001 }", "", nil},
		{"of a mebibyte", `{"terms":"` + strings.Repeat("x", 1<<20) + `"}`, "", nil},
	} {
		t.Run("a document "+c.name+" comes back as it was stored", func(t *testing.T) {
			doc := document(c.keys)
			doc.Body, doc.State = []byte(c.body), []byte(c.state)
			f.has(t, f.put(t, doc))
		})
	}
	t.Run("a stored document does not share memory with the caller's", func(t *testing.T) {
		doc := f.insert(t, nil)
		want := doc
		want.Body = bytes.Clone(doc.Body)
		clear(doc.Body)
		f.has(t, want)
	})
	t.Run("the text that a member has in the documents of several ids", f.texts)
	t.Run("an id is taken once", func(t *testing.T) {
		doc := f.insert(t, nil)
		again := doc
		again.Body = []byte(`{"other":true}`)
		wantDuplicate(t, "second insert", f.Insert(t.Context(), us, again), docstore.IDIndex)
		f.has(t, doc)
	})
	t.Run("a key that no index holds is refused", func(t *testing.T) {
		doc := document(docstore.Keys{"claimNumber": "C-1"})
		wantError(t, "insert", f.Insert(t.Context(), us, doc), docstore.ErrUnavailable)
		f.lacks(t, doc.ID)
	})
	t.Run("the same collection may be opened again", func(t *testing.T) { f.in(t, policies).has(t, f.insert(t, nil)) })
	t.Run("collections do not see one another", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "M-3"})
		f.advance(t, doc, "")
		other := f.in(t, docstore.Spec{Name: "claims", Indexes: policies.Indexes})
		other.lacks(t, doc.ID)
		other.noFormer(t, doc.ID, 1)
		other.put(t, doc)
	})
	t.Run("a collection that cannot be made is refused", func(t *testing.T) {
		for _, spec := range []docstore.Spec{
			{Name: ""}, {Name: `x"; drop`}, {Name: "claims.history"},
			{Name: "a", Indexes: []docstore.Index{{Name: "b c"}}},
			{Name: "a", Indexes: []docstore.Index{{Name: "number"}, {Name: "Number"}}},
			{Name: "a", Indexes: []docstore.Index{{Name: docstore.IDIndex}}},
		} {
			err := result(f.store.Collection(t.Context(), spec))
			wantError(t, "collection "+spec.Name, err, docstore.ErrUnavailable)
		}
	})
	t.Run("an open store can be pinged", func(t *testing.T) { must(t, f.store.Ping(t.Context())) })
}

// texts asks which of many documents there are, and reads one member of them: of bodies in which it comes first, last,
// below another member, twice as text of a string, as no text, and not at all, and of one that a store may have to keep
// as it was written.
func (f fixture) texts(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	want := map[uuid.UUID]string{}
	var ids []uuid.UUID
	for body, text := range map[string]string{
		`{"kind":"Farm","other":1}`:                         "Farm",
		`{"other":{"kind":"wrong"},"kind":"Çatı \"katı\""}`: `Çatı "katı"`,
		`{"other":"\"kind\":\"wrong\"","kind":""}`:          "",
		`{"kind":7}`:                 "",
		`{"kind":null}`:              "",
		`{"kind":["Farm"]}`:          "",
		`{"other":{"kind":"wrong"}}`: "",
		`{}`:                         "",
		`{ "spaced": 1, "kind": "Kept as it is" }`:  "Kept as it is",
		`{"deep":` + deep + `,"kind":"Below much"}`: "Below much",
	} {
		doc := document(nil)
		doc.Body = []byte(body)
		want[f.put(t, doc).ID] = text
		ids = append(ids, doc.ID, uuid.Must(uuid.NewV7()))
	}
	for len(ids) < docstore.MaxTexts {
		doc := f.insert(t, nil)
		want[doc.ID] = ""
		ids = append(ids, doc.ID)
	}
	there := map[uuid.UUID]string{}
	for id := range want {
		there[id] = ""
	}
	for member, want := range map[string]map[uuid.UUID]string{"kind": want, "": there} {
		if got, err := f.Texts(t.Context(), us, ids, member); err != nil || !maps.Equal(got, want) {
			t.Errorf("texts %q of %d documents, error %v\n got %v\nwant %v", member, len(want), err, got, want)
		}
		if none, err := f.Texts(t.Context(), us, nil, member); err != nil || len(none) > 0 {
			t.Errorf("no ids: %v, error %v", none, err)
		}
	}
	named := document(nil)
	named.Body = []byte(`{"a.b":"with a dot","a":{"b":"below"},"$a":"with a dollar sign","%a":"with a percent sign"}`)
	f.put(t, named)
	for name, want := range map[string]string{"a.b": "with a dot", "$a": "with a dollar sign",
		"%a": "with a percent sign", "a": ""} {
		if got, err := f.Texts(t.Context(), us, []uuid.UUID{named.ID}, name); err != nil || got[named.ID] != want {
			t.Errorf("member %s: %q, error %v, want %q", name, got[named.ID], err, want)
		}
	}
}
