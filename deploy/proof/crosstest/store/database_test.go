package store_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/organisation"
)

// us is in whose name the tests work.
var us = organisation.Sole()

// policies is the collection of these tests.
var policies = docstore.Spec{Name: "policies", Indexes: []docstore.Index{
	{Name: "policyNumber", Unique: true}, {Name: "idempotency", Unique: true}, {Name: "holder"},
}}

// database is an empty database of the server under test, and the tests' own connection to it.
type database struct {
	name string
	*mongo.Database
}

func newDatabase(t *testing.T) database {
	t.Helper()
	c := client(t)
	name := "t" + strings.ReplaceAll(uuid.NewString(), "-", "")
	d := database{name, c.Database(name)}
	t.Cleanup(func() {
		if err := d.Drop(context.Background()); err != nil {
			t.Errorf("drop of the test's database: %v", err)
		}
	})
	return d
}

// address returns the host and port of the server under test.
func address(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(uri(t))
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// open opens the database as a store, at the server or a proxy in front of it.
func (d database) open(t *testing.T, uri string) docstore.Collection {
	t.Helper()
	store, err := mongostore.Options{URI: uri}.Open(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c, err := store.Collection(t.Context(), policies)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// through opens the database behind a proxy.
func (d database) through(t *testing.T) (docstore.Collection, *wireProxy) {
	t.Helper()
	proxy := startWire(t, address(t), nil)
	return d.open(t, proxy.URI()), proxy
}

// policy returns a new document of these keys.
func policy(keys docstore.Keys) docstore.Document {
	id := uuid.Must(uuid.NewV7())
	return docstore.Document{ID: id, Body: fmt.Appendf(nil, `{"id":%q}`, id), Keys: keys}
}

// stored is what the database holds of a document.
type stored struct {
	ID      bson.Binary       `bson:"_id"`
	Version int64             `bson:"v"`
	Keys    map[string]string `bson:"k"`
	Unsent  bool              `bson:"unsent"`
}

// documents returns all documents of the collection but its tombstones, by id, and the number of tombstones.
func (d database) documents(t *testing.T) (live map[uuid.UUID]stored, tombstones int) {
	t.Helper()
	live = map[uuid.UUID]stored{}
	for _, s := range all[stored](t, d.Collection(policies.Name)) {
		if s.Version == 0 {
			tombstones++
			continue
		}
		live[uuid.UUID(s.ID.Data)] = s
	}
	return live, tombstones
}

func all[T any](t *testing.T, c *mongo.Collection) []T {
	t.Helper()
	cursor, err := c.Find(t.Context(), bson.D{})
	if err != nil {
		t.Error(err)
		return nil
	}
	var found []T
	if err := cursor.All(t.Context(), &found); err != nil {
		t.Error(err)
	}
	return found
}

// sound fails the test unless one document at most has each unique value, and owns the claim to it.
func (d database) sound(t *testing.T) {
	t.Helper()
	live, _ := d.documents(t)
	owners := map[string]uuid.UUID{}
	for _, c := range all[struct {
		ID    string      `bson:"_id"`
		Owner bson.Binary `bson:"doc"`
	}](t, d.Collection(policies.Name+".claims")) {
		owners[c.ID] = uuid.UUID(c.Owner.Data)
	}
	holders := map[string]uuid.UUID{}
	for id, s := range live {
		for _, index := range policies.Indexes {
			value, has := s.Keys[index.Name]
			if !has || !index.Unique {
				continue
			}
			claim := index.Name + ":" + value
			if other, taken := holders[claim]; taken {
				t.Errorf("both %v and %v have %s", other, id, claim)
			}
			holders[claim] = id
			if owners[claim] != id {
				t.Errorf("%v has %s, which %v claims", id, claim, owners[claim])
			}
		}
	}
}

// usable fails the test unless a value that no document has can be given to a new one.
func (d database) usable(t *testing.T, c docstore.Collection, index, value string) {
	t.Helper()
	live, _ := d.documents(t)
	for _, s := range live {
		if has, ok := s.Keys[index]; ok && has == value {
			return
		}
	}
	doc := policy(docstore.Keys{index: value})
	if err := docstore.InsertNew(t.Context(), c, us, &doc); err != nil {
		t.Errorf("no document has the %s %q, and a new one cannot get it: %v", index, value, err)
	}
}
