package store_test

import (
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
)

func TestIndexAddedLater(t *testing.T) {
	store, database := open(t)
	defer store.Close()
	narrow := docstore.Spec{Name: "claims", Indexes: []docstore.Index{{Name: "policyNumber"}}}
	claims := collection(t, store, narrow)
	var old []docstore.Document
	for range 3 {
		doc := docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(`{}`), Keys: docstore.Keys{"policyNumber": "M-1"}}
		if err := claims.Insert(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
		doc.Version = 1
		old = append(old, doc)
	}

	wide := narrow
	wide.Indexes = append([]docstore.Index{{Name: "claimNumber", Unique: true}}, narrow.Indexes...)
	claims = collection(t, store, wide)
	missing := bson.D{{Key: "k.claimNumber", Value: bson.D{{Key: "$exists", Value: false}}}}
	n, err := client(t).Database(database).Collection("claims").CountDocuments(t.Context(), missing)
	if err != nil || n != 0 {
		t.Errorf("%d documents have nothing in the unique index, where MongoDB lets one have it; error %v", n, err)
	}
	for i, want := range []string{"", "claimNumber"} {
		doc := old[i]
		doc.Keys = docstore.Keys{"policyNumber": "M-1", "claimNumber": "C-1"}
		if index, _ := docstore.Duplicate(claims.Replace(t.Context(), doc, nil)); index != want {
			t.Errorf("replace of document %d: refused by %q, want %q", i, index, want)
		}
	}
	docs, err := claims.Find(t.Context(), docstore.Query{Equal: docstore.Keys{"claimNumber": "C-1"}, Limit: 9})
	if err != nil || len(docs) != 1 || docs[0].ID != old[0].ID {
		t.Errorf("found %v, error %v", docs, err)
	}
}

func collection(t *testing.T, store docstore.Store, spec docstore.Spec) docstore.Collection {
	t.Helper()
	c, err := store.Collection(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
