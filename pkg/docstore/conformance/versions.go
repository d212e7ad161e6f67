package conformance

import (
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// versions: a replace succeeds only if the stored version is the one that was read.
func versions(t *testing.T, f fixture) {
	t.Run("a replace stores everything anew as the next version", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "V-1", "holder": "before", "kind": "motor"})
		doc.Body, doc.State = []byte(`{"status":"cancelled"}`), []byte(`{"reason":"sold"}`)
		doc.Keys, doc.Unsent = docstore.Keys{"policyNumber": "V-1", "holder": "after"}, true
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Fatal(err)
		}
		doc.Version = 2
		same(t, f.get(t, doc.ID), doc)
		for _, c := range []struct {
			keys docstore.Keys
			want int
		}{
			{docstore.Keys{"policyNumber": "V-1"}, 1}, {docstore.Keys{"holder": "after"}, 1},
			{docstore.Keys{"holder": "before"}, 0}, {docstore.Keys{"kind": "motor"}, 0},
		} {
			if got := f.find(t, docstore.Query{Equal: c.keys, Limit: 9}); len(got) != c.want {
				t.Errorf("%v finds %d documents, want %d", c.keys, len(got), c.want)
			}
		}
	})
	t.Run("a replace can take the state away", func(t *testing.T) {
		doc := f.insert(t, nil)
		doc.State = nil
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Fatal(err)
		}
		doc.Version = 2
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a replace can take the digest away", func(t *testing.T) {
		doc := f.insert(t, nil)
		former := formerOf(doc, "")
		doc.Digest = nil
		if err := f.Replace(t.Context(), us, doc, former); err != nil {
			t.Fatal(err)
		}
		doc.Version = 2
		same(t, f.get(t, doc.ID), doc)
		f.wantFormer(t, doc.ID, *former)
	})
	t.Run("a version that was replaced is stale", func(t *testing.T) {
		doc := f.insert(t, nil)
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Fatal(err)
		}
		late := doc
		late.Body = []byte(`{"late":true}`)
		wantError(t, "replace of version 1", f.Replace(t.Context(), us, late, nil), docstore.ErrStale)
		doc.Version = 2
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a version to come is stale", func(t *testing.T) {
		doc := f.insert(t, nil)
		ahead := doc
		ahead.Version = 2
		wantError(t, "replace of version 2", f.Replace(t.Context(), us, ahead, nil), docstore.ErrStale)
		same(t, f.get(t, doc.ID), doc)
	})
	t.Run("a document that is not there is stale", func(t *testing.T) {
		doc := document(nil)
		doc.Version = 1
		wantError(t, "replace", f.Replace(t.Context(), us, doc, nil), docstore.ErrStale)
		_, err := f.Get(t.Context(), us, doc.ID)
		wantError(t, "get", err, docstore.ErrNotFound)
	})
	t.Run("versions grow by one", func(t *testing.T) {
		doc := f.insert(t, nil)
		for want := int64(2); want < 8; want++ {
			if err := f.Replace(t.Context(), us, f.get(t, doc.ID), nil); err != nil {
				t.Fatal(err)
			}
			if got := f.get(t, doc.ID).Version; got != want {
				t.Fatalf("version %d, want %d", got, want)
			}
		}
	})
}
