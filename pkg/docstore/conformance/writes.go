package conformance

import (
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// uniqueKeys: only one document at a time has a value of a unique index.
func uniqueKeys(t *testing.T, f fixture) {
	refuses := func(t *testing.T, index string, keys docstore.Keys) docstore.Document {
		t.Helper()
		doc := document(keys)
		wantDuplicate(t, "insert", f.Insert(t.Context(), us, doc), index)
		return doc
	}
	t.Run("an insert with a value that is taken is refused by name", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": "U-1", "idempotency": "a"})
		second := refuses(t, "policyNumber", docstore.Keys{"policyNumber": "U-1", "idempotency": "b"})
		f.lacks(t, second.ID)
		refuses(t, "idempotency", docstore.Keys{"policyNumber": "U-2", "idempotency": "a"})
		// The other values of those that were refused are free.
		f.insert(t, docstore.Keys{"policyNumber": "U-2", "idempotency": "b"})
	})
	t.Run("the empty text is a value", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": ""})
		refuses(t, "policyNumber", docstore.Keys{"policyNumber": ""})
	})
	t.Run("values differ by case, by accent and by length", func(t *testing.T) {
		for _, value := range []string{"zoe", "Zoe", "zoë", "zoe ", "zo"} {
			f.insert(t, docstore.Keys{"policyNumber": value})
		}
	})
	t.Run("a replace with a value that is taken is refused and changes nothing", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": "U-5"})
		doc := f.insert(t, docstore.Keys{"policyNumber": "U-6"})
		changed := doc
		changed.Body, changed.Keys = []byte(`{"changed":true}`), docstore.Keys{"policyNumber": "U-5"}
		wantDuplicate(t, "replace", f.Replace(t.Context(), us, changed, nil), "policyNumber")
		f.has(t, doc)
		f.findsBy(t, "policyNumber", "U-6", doc.ID)
	})
	t.Run("a value that a replace gives up is free", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "U-8", "idempotency": "c"})
		doc.Keys = docstore.Keys{"policyNumber": "U-9"}
		f.replace(t, doc)
		f.insert(t, docstore.Keys{"policyNumber": "U-8", "idempotency": "c"})
	})
}

// versions: a replace succeeds only if the stored version is the one that was read.
func versions(t *testing.T, f fixture) {
	t.Run("a replace stores everything anew as the next version", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "V-1", "holder": "before", "kind": "motor"})
		doc.Body, doc.State = []byte(`{"status":"cancelled"}`), []byte(`{"reason":"sold"}`)
		doc.Keys, doc.Unsent = docstore.Keys{"policyNumber": "V-1", "holder": "after"}, true
		f.has(t, f.replace(t, doc))
		f.findsBy(t, "policyNumber", "V-1", doc.ID)
		f.findsBy(t, "holder", "after", doc.ID)
		f.findsBy(t, "holder", "before")
		f.findsBy(t, "kind", "motor")
	})
	t.Run("a replace can take the state and the digest away, which a former version need not have", func(t *testing.T) {
		doc := f.insert(t, nil)
		first := formerOf(doc, "")
		doc.State, doc.Digest = nil, nil
		must(t, f.Replace(t.Context(), us, doc, first))
		doc.Version = 2
		f.has(t, doc)
		f.wantFormer(t, doc.ID, *first)
		f.wantFormer(t, doc.ID, f.advance(t, doc, ""))
	})
	t.Run("another version than the stored one is stale", func(t *testing.T) {
		doc := f.replace(t, f.insert(t, nil))
		for _, version := range []int64{0, 1, 3} {
			other := doc
			other.Version, other.Body = version, []byte(`{"other":true}`)
			wantError(t, "replace of another version", f.Replace(t.Context(), us, other, nil), docstore.ErrStale)
		}
		f.has(t, doc)
	})
	t.Run("a document that is not there is stale", func(t *testing.T) {
		doc := document(nil)
		doc.Version = 1
		wantError(t, "replace", f.Replace(t.Context(), us, doc, nil), docstore.ErrStale)
		f.lacks(t, doc.ID)
	})
}
