package store_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/mongostore/access"
	"insurance.example/exchange/pkg/wait"
)

// TestIndexAddedLater: a unique index that the spec gets later holds what is stored from then on, where the spec does
// not say how keys are derived.
func TestIndexAddedLater(t *testing.T) {
	store, _ := open(t)
	defer store.Close()
	narrow := docstore.Spec{Name: "claims", Indexes: []docstore.Index{{Name: "policyNumber"}}}
	claims := collection(t, store, narrow)
	var old []docstore.Document
	for range 3 {
		doc := docstore.Document{
			ID: uuid.Must(uuid.NewV7()), Body: []byte(`{}`), Keys: docstore.Keys{"policyNumber": "M-1"},
		}
		insert(t, claims, &doc)
		old = append(old, doc)
	}
	wide := narrow
	wide.Indexes = append([]docstore.Index{{Name: "claimNumber", Unique: true}}, narrow.Indexes...)
	claims = collection(t, store, wide)
	for i, want := range []string{"", "claimNumber"} {
		doc := old[i]
		doc.Keys = docstore.Keys{"policyNumber": "M-1", "claimNumber": "C-1"}
		if index, _ := docstore.Duplicate(claims.Replace(t.Context(), us, doc, nil)); index != want {
			t.Errorf("replace of document %d: refused by %q, want %q", i, index, want)
		}
	}
	docs, err := claims.Find(t.Context(), us, docstore.Query{Equal: docstore.Keys{"claimNumber": "C-1"}, Limit: 9})
	if err != nil || len(docs) != 1 || docs[0].ID != old[0].ID {
		t.Errorf("found %v, error %v", docs, err)
	}
}

// migrated is a collection whose only index came with a number, and derived counts the documents that got its keys.
func migrated(number int, derived *atomic.Int64) docstore.Spec {
	return docstore.Spec{Name: policies.Name, Indexes: []docstore.Index{{Name: "color", Since: number}},
		Keys: func(docstore.Document) (docstore.Keys, error) {
			derived.Add(1)
			return docstore.Keys{"color": "red"}, nil
		}}
}

// wantAll fails the test unless a find by the index returns so many documents.
func wantAll(t *testing.T, c docstore.Collection, want int) {
	t.Helper()
	found, err := c.Find(t.Context(), us, docstore.Query{Equal: docstore.Keys{"color": "red"}, Limit: 10 * want})
	if err != nil || len(found) != want {
		t.Errorf("%d documents by the index, want %d; error %v", len(found), want, err)
	}
}

// TestReplicasMigrateOnce: two processes start at once with a new index, and each document gets its keys once.
func TestReplicasMigrateOnce(t *testing.T) {
	d := newDatabase(t)
	const count = 2 * docstore.MigrationLength
	first := openAs(t, d, docstore.Spec{Name: policies.Name})
	for range count {
		doc := policy(nil)
		insert(t, first, &doc)
	}
	var derived atomic.Int64
	var replicas sync.WaitGroup
	for range 2 {
		replicas.Go(func() { wantAll(t, openAs(t, d, migrated(1, &derived)), count) })
	}
	replicas.Wait()
	if n := derived.Load(); n != count {
		t.Errorf("the keys of %d documents were derived %d times", count, n)
	}
}

// TestAMigrationGoesOnWithoutItsProcess: a process that has ended amid a migration loses its place to another one.
func TestAMigrationGoesOnWithoutItsProcess(t *testing.T) {
	d := newDatabase(t)
	first := openAs(t, d, docstore.Spec{Name: policies.Name})
	doc := policy(nil)
	insert(t, first, &doc)
	lease := bson.D{{Key: "_id", Value: "lease"}, {Key: "holder", Value: "ended"}, {Key: "beat", Value: int64(7)}}
	if _, err := d.Collection(policies.Name+".stamps").InsertOne(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	// How long it keeps its place follows from the time of an operation.
	options := mongostore.Options{URI: uri(t), Settings: access.Settings{Timeout: time.Second}}
	store, err := options.Open(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var derived atomic.Int64
	var c docstore.Collection
	wait.For(t, "the collection", func() bool { // an operation may take longer than a second
		c, err = store.Collection(t.Context(), migrated(1, &derived))
		return err == nil
	})
	wantAll(t, c, 1)
}

// TestReplicasOfTwoReleases: a replica of the release before writes while one with another index starts and after it.
// What it has written is found after the next start.
func TestReplicasOfTwoReleases(t *testing.T) {
	d := newDatabase(t)
	before := openAs(t, d, docstore.Spec{Name: policies.Name})
	write := func() docstore.Document {
		doc := policy(nil)
		insert(t, before, &doc)
		return doc
	}
	doc := write()
	var derived atomic.Int64
	during := migrated(1, &derived)
	during.Keys = func(d docstore.Document) (docstore.Keys, error) {
		if derived.Add(1) == 1 { // the document changes after it was read, and another is written
			if err := before.Replace(t.Context(), us, doc, nil); err != nil {
				t.Error(err)
			}
			write()
		}
		return docstore.Keys{"color": "red"}, nil
	}
	after := openAs(t, d, during)
	write()
	if changed, err := after.Get(t.Context(), us, doc.ID); err != nil || changed.Version != 2 {
		t.Errorf("the document is at version %d, error %v", changed.Version, err)
	}
	if found, err := reads(t, d, migrated(1, &derived)); err == nil {
		t.Errorf("a store that only reads has %v, and some documents have no keys", found)
	}
	wantAll(t, openAs(t, d, migrated(1, &derived)), 3)
	if _, err := reads(t, d, migrated(1, &derived)); err != nil {
		t.Errorf("a store that only reads: %v", err)
	}
}

// TestAMigrationEndsAtADocumentThatCannotMatch: one that was written by hand, without the field that names its write.
func TestAMigrationEndsAtADocumentThatCannotMatch(t *testing.T) {
	d := newDatabase(t)
	doc := policy(nil)
	insert(t, openAs(t, d, docstore.Spec{Name: policies.Name}), &doc)
	id := uuid.Must(uuid.NewV7())
	byHand := bson.D{{Key: "_id", Value: bson.Binary{Subtype: bson.TypeBinaryUUID, Data: id[:]}},
		{Key: "v", Value: int64(1)}, {Key: "body", Value: bson.D{}}}
	if _, err := d.Collection(policies.Name).InsertOne(t.Context(), byHand); err != nil {
		t.Fatal(err)
	}
	store, err := mongostore.Options{URI: uri(t)}.Open(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var derived atomic.Int64
	_, err = store.Collection(t.Context(), migrated(1, &derived))
	if !errors.Is(err, mongostore.ErrRefused) || !strings.Contains(err.Error(), id.String()) {
		t.Errorf("the start says %v, want a refusal that names %v", err, id)
	}
}

// reads opens a collection of a database to be read.
func reads(t *testing.T, d database, spec docstore.Spec) (docstore.Collection, error) {
	t.Helper()
	store, err := mongostore.Options{URI: uri(t)}.OpenToRead(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store.Collection(t.Context(), spec)
}

// openAs opens the database with a spec.
func openAs(t *testing.T, d database, spec docstore.Spec) docstore.Collection {
	t.Helper()
	store, err := mongostore.Options{URI: uri(t)}.Open(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return collection(t, store, spec)
}

// TestReplicasStartAtOnce: ten processes open the same new collection at once, and each can use all of its indexes.
func TestReplicasStartAtOnce(t *testing.T) {
	d := newDatabase(t)
	var replicas sync.WaitGroup
	for range 10 {
		replicas.Go(func() {
			store, err := mongostore.Options{URI: uri(t)}.Open(t.Context(), d.name)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			defer func() { _ = store.Close() }()
			c, err := store.Collection(t.Context(), policies)
			if err != nil {
				t.Errorf("collection: %v", err)
				return
			}
			doc := policy(docstore.Keys{"policyNumber": uuid.NewString(), "holder": uuid.NewString()})
			doc.Unsent = true
			if err := docstore.InsertNew(t.Context(), c, us, &doc); err != nil {
				t.Errorf("insert: %v", err)
			}
			found, err := c.Find(t.Context(), us,
				docstore.Query{Equal: docstore.Keys{"holder": doc.Keys["holder"]}, Limit: 2})
			if err != nil || len(found) != 1 {
				t.Errorf("found %d documents, error %v", len(found), err)
			}
			if unsent, err := c.Unsent(t.Context(), us, uuid.Nil, 20); err != nil || len(unsent) == 0 {
				t.Errorf("%d unsent documents, error %v", len(unsent), err)
			}
		})
	}
	replicas.Wait()
	d.sound(t)
	for name, want := range map[string]int{policies.Name: 6, policies.Name + ".history": 2,
		policies.Name + ".claims": 1} {
		indexes, err := d.Collection(name).Indexes().ListSpecifications(t.Context())
		if err != nil || len(indexes) != want {
			t.Errorf("collection %s has %d indexes, want %d; error %v", name, len(indexes), want, err)
		}
	}
}

// TestEarlyFormIsRefused: a database of a release before claims is named, not misread.
func TestEarlyFormIsRefused(t *testing.T) {
	d := newDatabase(t)
	_, err := d.Collection(policies.Name).InsertOne(t.Context(), bson.D{
		{Key: "_id", Value: bson.Binary{Subtype: 4, Data: make([]byte, 16)}}, {Key: "v", Value: int64(1)},
		{Key: "body", Value: "{}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	store, err := mongostore.Options{URI: uri(t)}.Open(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	_, err = store.Collection(t.Context(), policies)
	if err == nil || !strings.Contains(err.Error(), "collection policies of database "+d.name) {
		t.Errorf("collection of early documents: %v", err)
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
