package conformance

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// records: a read returns each document exactly as it was stored.
func records(t *testing.T, f fixture) {
	t.Run("a document comes back as it was stored", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "M-1", "holder": "h"})
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a document needs no keys and no state", func(t *testing.T) {
		doc := document(nil)
		doc.State = nil
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		doc.Version = 1
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a body keeps every byte", func(t *testing.T) {
		doc := document(nil)
		doc.Body = []byte(
			"{ \"a\" : 1.0e+2,\n\t\"b\":\"\\u0000 \u2028 \U0001F697\", \"c\":100000000000000000000000000000001 }")
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		doc.Version = 1
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a body may be of a mebibyte", func(t *testing.T) {
		doc := document(nil)
		doc.Body = append(append([]byte(`{"terms":"`), bytes.Repeat([]byte("x"), 1<<20)...), `"}`...)
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		doc.Version = 1
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a stored document does not share memory with the caller's", func(t *testing.T) {
		doc := document(nil)
		want := bytes.Clone(doc.Body)
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		clear(doc.Body)
		if got := f.get(t, doc.ID).Body; !bytes.Equal(got, want) {
			t.Errorf("body %q, want %q", got, want)
		}
	})
	t.Run("an id that nobody has is not found", func(t *testing.T) {
		_, err := f.Get(t.Context(), us, uuid.Must(uuid.NewV7()))
		wantError(t, "get", err, docstore.ErrNotFound)
	})
	t.Run("which ids documents have", func(t *testing.T) {
		var ids []uuid.UUID
		for range docstore.MaxTexts / 2 {
			ids = append(ids, f.insert(t, nil).ID, uuid.Must(uuid.NewV7()))
		}
		present, err := f.Texts(t.Context(), us, ids, "")
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if text, has := present[id]; has != (i%2 == 0) || text != "" {
				t.Errorf("id %d: present %v with the text %q", i, has, text)
			}
		}
		if none, err := f.Texts(t.Context(), us, nil, ""); err != nil || len(none) > 0 {
			t.Errorf("no ids: %v present, error %v", none, err)
		}
	})
	t.Run("the text that a member has in the documents of several ids", func(t *testing.T) { f.texts(t) })
	t.Run("an id is taken once", func(t *testing.T) {
		doc := f.insert(t, nil)
		again := doc
		again.Body = []byte(`{"other":true}`)
		wantDuplicate(t, "second insert", f.Insert(t.Context(), us, again), docstore.IDIndex)
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a key that no index holds is refused", func(t *testing.T) {
		doc := document(docstore.Keys{"claimNumber": "C-1"})
		wantError(t, "insert", f.Insert(t.Context(), us, doc), docstore.ErrUnavailable)
		_, err := f.Get(t.Context(), us, doc.ID)
		wantError(t, "get", err, docstore.ErrNotFound)
	})
	t.Run("the same collection may be opened again", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "M-2"})
		again, err := f.store.Collection(t.Context(), policies)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Get(t.Context(), us, doc.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, doc)
	})
	t.Run("collections do not see one another", func(t *testing.T) {
		other, err := f.store.Collection(t.Context(), docstore.Spec{Name: "claims", Indexes: policies.Indexes})
		if err != nil {
			t.Fatal(err)
		}
		doc := f.insert(t, docstore.Keys{"policyNumber": "M-3"})
		if _, err := other.Get(t.Context(), us, doc.ID); !errors.Is(err, docstore.ErrNotFound) {
			t.Errorf("get from the other collection: %v", err)
		}
		if err := other.Insert(t.Context(), us, doc); err != nil {
			t.Errorf("the same id and key in the other collection: %v", err)
		}
	})
	t.Run("a collection that cannot be made is refused", func(t *testing.T) {
		for _, spec := range []docstore.Spec{
			{Name: ""}, {Name: `x"; drop`}, {Name: "claims.history"}, {Name: "a",
				Indexes: []docstore.Index{{Name: "b c"}}},
			{Name: "a", Indexes: []docstore.Index{{Name: "number"}, {Name: "Number"}}},
			{Name: "a", Indexes: []docstore.Index{{Name: docstore.IDIndex}}},
		} {
			_, err := f.store.Collection(t.Context(), spec)
			wantError(t, "collection "+spec.Name, err, docstore.ErrUnavailable)
		}
	})
	t.Run("an open store can be pinged", func(t *testing.T) {
		if err := f.store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// texts reads one member of many documents: of bodies in which it comes first, last, below another member, twice as
// text of a string, as no text, and not at all, and of one that a store may have to keep as it was written.
func (f fixture) texts(t *testing.T) {
	const member = "kind"
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
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatalf("insert %s: %v", body, err)
		}
		want[doc.ID] = text
		ids = append(ids, doc.ID, uuid.Must(uuid.NewV7()))
	}
	for len(ids) < docstore.MaxTexts {
		doc := f.insert(t, nil)
		want[doc.ID] = ""
		ids = append(ids, doc.ID)
	}
	got, err := f.Texts(t.Context(), us, ids, member)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Errorf("texts of %d documents\n got %v\nwant %v", len(want), got, want)
	}
	if none, err := f.Texts(t.Context(), us, nil, member); err != nil || len(none) > 0 {
		t.Errorf("no ids: %v, error %v", none, err)
	}
	named := document(nil)
	named.Body = []byte(`{"a.b":"with a dot","a":{"b":"below"},"$a":"with a dollar sign","%a":"with a percent sign"}`)
	if err := f.Insert(t.Context(), us, named); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.b": "with a dot", "$a": "with a dollar sign",
		"%a": "with a percent sign", "a": ""} {
		if got, err := f.Texts(t.Context(), us, []uuid.UUID{named.ID}, name); err != nil || got[named.ID] != want {
			t.Errorf("member %s: %q, error %v, want %q", name, got[named.ID], err, want)
		}
	}
}
