package copies_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/deploy/proof/e2e/copies"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/number"
	"insurance.example/exchange/pkg/organisation"
)

// spec has an index whose values follow from the id, one whose values are replaced by the caller, one whose values
// are in the state as well, one whose values are nowhere else, and one whose values are not unique.
var spec = docstore.Spec{Name: "record", Indexes: []docstore.Index{
	{Name: "number", Unique: true}, {Name: "passport", Unique: true}, {Name: "key", Unique: true},
	{Name: "pair", Unique: true}, {Name: "city"},
}}

// in does something with the collection of a file that no process has open.
func in(t *testing.T, file string, does func(docstore.Collection)) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	collection, err := store.Collection(t.Context(), spec)
	if err == nil {
		does(collection)
	}
	if closed := store.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
}

// TestCopiesAreUnique copies a document with unique keys. Each copy has others, and the store finds it by them.
func TestCopiesAreUnique(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	first := docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(`{"passport":"P-1","said":"the text k/1 of it"}`),
		State: []byte(`{"key":{"name":"k/1"}}`)}
	first.Keys = docstore.Keys{"number": number.Of(copies.Policy, first.ID), "passport": "P-1", "key": "k/1",
		"pair": "a\x1fb", "city": "Riga"}
	in(t, file, func(c docstore.Collection) {
		if err := c.Insert(t.Context(), organisation.Sole(), first); err != nil {
			t.Fatal(err)
		}
	})
	const count = 3
	var ids []uuid.UUID
	err := copies.Insert(t.Context(), file, spec.Name, first.ID.String(), count, func(nth int, id uuid.UUID) []string {
		ids = append(ids, id)
		return []string{"P-1", fmt.Sprint("P-", nth+2)}
	})
	if err != nil {
		t.Fatal(err)
	}
	in(t, file, func(c docstore.Collection) {
		for nth, id := range ids {
			name := id.String()
			passport := fmt.Sprint("P-", nth+2)
			for index, value := range (docstore.Keys{"number": number.Of(copies.Policy, id), "passport": passport,
				"key": name, "pair": name}) {
				found, err := c.Find(t.Context(), organisation.Sole(),
					docstore.Query{Equal: docstore.Keys{index: value}, Limit: 2, WithState: true})
				if err != nil {
					t.Fatal(err)
				}
				if len(found) != 1 || found[0].ID != id ||
					string(found[0].Body) != `{"passport":"`+passport+`","said":"the text k/1 of it"}` ||
					string(found[0].State) != `{"key":{"name":"`+name+`"}}` {
					t.Errorf("by %s %q there is %v, not the copy %v", index, value, found, id)
				}
			}
		}
		all, err := c.Find(t.Context(), organisation.Sole(),
			docstore.Query{Equal: docstore.Keys{"city": "Riga"}, Limit: count + 2})
		if err != nil || len(all) != count+1 {
			t.Errorf("there are %d documents with one city, error %v", len(all), err)
		}
	})
}
