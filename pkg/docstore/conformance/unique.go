package conformance

import (
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// uniqueKeys: only one document at a time has a value of a unique index.
func uniqueKeys(t *testing.T, f fixture) {
	t.Run("an insert with a value that is taken is refused by name", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": "U-1", "idempotency": "a"})
		second := document(docstore.Keys{"policyNumber": "U-1", "idempotency": "b"})
		wantDuplicate(t, "insert", f.Insert(t.Context(), us, second), "policyNumber")
		_, err := f.Get(t.Context(), us, second.ID)
		wantError(t, "get of the refused document", err, docstore.ErrNotFound)
		third := document(docstore.Keys{"policyNumber": "U-2", "idempotency": "a"})
		wantDuplicate(t, "insert", f.Insert(t.Context(), us, third), "idempotency")
	})
	t.Run("the refused document's other values are free", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": "U-3"})
		refused := document(docstore.Keys{"policyNumber": "U-3", "idempotency": "free"})
		wantDuplicate(t, "insert", f.Insert(t.Context(), us, refused), "policyNumber")
		f.insert(t, docstore.Keys{"policyNumber": "U-4", "idempotency": "free"})
	})
	t.Run("documents without the key do not collide", func(t *testing.T) {
		for range 3 {
			f.insert(t, docstore.Keys{"holder": "same"})
		}
	})
	t.Run("the empty text is a value", func(t *testing.T) {
		f.insert(t, docstore.Keys{"policyNumber": ""})
		err := f.Insert(t.Context(), us, document(docstore.Keys{"policyNumber": ""}))
		wantDuplicate(t, "insert", err, "policyNumber")
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
		same(t, f.get(t, doc.ID), doc)
		found := f.find(t, docstore.Query{Equal: docstore.Keys{"policyNumber": "U-6"}, Limit: 2})
		if len(found) != 1 || found[0] != doc.ID {
			t.Errorf("the document's value finds %v", found)
		}
	})
	t.Run("a replace keeps its own value", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "U-7"})
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Errorf("replace: %v", err)
		}
	})
	t.Run("a value that a replace gives up is free", func(t *testing.T) {
		doc := f.insert(t, docstore.Keys{"policyNumber": "U-8", "idempotency": "c"})
		doc.Keys = docstore.Keys{"policyNumber": "U-9"}
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Fatal(err)
		}
		f.insert(t, docstore.Keys{"policyNumber": "U-8", "idempotency": "c"})
	})
}
