package mongo_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/deploy/standins/mongo"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
	"insurance.example/exchange/pkg/docstore/mongostore"
)

// TestConformance runs the suite of docstore on mongostore, over the wire.
func TestConformance(t *testing.T) {
	server := start(t, t.TempDir())
	conformance.Run(t, conformance.Small, func(t *testing.T) docstore.Store {
		return open(t, server, "exchange_"+strings.ReplaceAll(uuid.NewString(), "-", ""))
	})
}

func TestIndexAddedLater(t *testing.T) {
	server := start(t, t.TempDir())
	store := open(t, server, "later")
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
	if n := without(t, server, "k.claimNumber"); n != 0 {
		t.Errorf("%d documents have nothing in the unique index, where MongoDB lets one have it", n)
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

func TestDataOutlivesTheServer(t *testing.T) {
	data := t.TempDir()
	spec := docstore.Spec{Name: "claims", Indexes: []docstore.Index{{Name: "claimNumber", Unique: true}}}
	doc := docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(`{"reserve":100}`), Keys: docstore.Keys{"claimNumber": "C-1"}}

	server := start(t, data)
	store := open(t, server, "exchange")
	if err := collection(t, store, spec).Insert(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	server.Stop()

	store = open(t, start(t, data), "exchange")
	defer store.Close()
	claims := collection(t, store, spec)
	if got, err := claims.Get(t.Context(), doc.ID); err != nil || string(got.Body) != string(doc.Body) {
		t.Errorf("got %s, error %v", got.Body, err)
	}
	doc.ID = uuid.Must(uuid.NewV7())
	if index, _ := docstore.Duplicate(claims.Insert(t.Context(), doc)); index != "claimNumber" {
		t.Errorf("refused by %q", index)
	}
}

func TestUnreachableServerIsUnavailable(t *testing.T) {
	server := start(t, t.TempDir())
	uri := server.URI() + "?serverSelectionTimeoutMS=200"
	server.Stop()
	if _, err := mongostore.Open(t.Context(), uri, "exchange"); !errors.Is(err, docstore.ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
}

// without counts the claims of the database "later" that do not have the field.
func without(t *testing.T, server *mongo.Server, field string) int64 {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	missing := bson.D{{Key: field, Value: bson.D{{Key: "$exists", Value: false}}}}
	n, err := client.Database("later").Collection("claims").CountDocuments(t.Context(), missing)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func start(t *testing.T, data string) *mongo.Server {
	t.Helper()
	server, err := mongo.Start(t.Context(), "127.0.0.1:0", data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

func open(t *testing.T, server *mongo.Server, database string) *mongostore.Store {
	t.Helper()
	store, err := mongostore.Open(t.Context(), server.URI(), database)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func collection(t *testing.T, store docstore.Store, spec docstore.Spec) docstore.Collection {
	t.Helper()
	c, err := store.Collection(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
