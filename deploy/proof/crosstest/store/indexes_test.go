package store_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
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

// TestReplicasOfTwoReleases: two processes, each with indexes that the other lacks, work on the same documents, and
// none undoes what the other has done.
func TestReplicasOfTwoReleases(t *testing.T) {
	d := newDatabase(t)
	const count = 150
	spec := func(indexes ...docstore.Index) docstore.Spec {
		s := docstore.Spec{Name: policies.Name, Indexes: indexes}
		s.Keys = func(doc docstore.Document) (docstore.Keys, error) {
			keys := docstore.Keys{}
			for _, index := range indexes {
				keys[index.Name] = "all"
				if index.Unique {
					keys[index.Name] = doc.ID.String()
				}
			}
			return keys, nil
		}
		return s
	}
	first := openAs(t, d, spec())
	for range count {
		doc := policy(nil)
		insert(t, first, &doc)
	}
	color := openAs(t, d, spec(docstore.Index{Name: "color"}, docstore.Index{Name: "chassis", Unique: true}))
	size := openAs(t, d, spec(docstore.Index{Name: "size"}, docstore.Index{Name: "serial", Unique: true}))
	for _, c := range []struct {
		docstore.Collection
		index string
	}{{color, "color"}, {size, "size"}} {
		wait.For(t, "the index "+c.index, func() bool { return progress(t, c.Collection).Building == 0 })
		found, err := c.Find(t.Context(), us, docstore.Query{Equal: docstore.Keys{c.index: "all"}, Limit: 2 * count})
		if err != nil || len(found) != count {
			t.Errorf("%d documents by %s, error %v", len(found), c.index, err)
		}
	}
	if done := progress(t, color).Done + progress(t, size).Done; done > 2*count {
		t.Errorf("%d documents got their keys %d times", count, done)
	}
	live, _ := d.documents(t)
	for id, s := range live {
		if s.Version != 1 || len(s.Keys) != 4 {
			t.Errorf("document %v is at version %d with the keys %v", id, s.Version, s.Keys)
		}
	}
}

// progress returns how far the documents of a collection have got the keys of new indexes.
func progress(t *testing.T, c docstore.Collection) docstore.Backfill {
	t.Helper()
	return capability[docstore.Backfilling](t, c).Backfill()
}

// capability returns a collection as a capability, which it has.
func capability[T any](t *testing.T, c docstore.Collection) T {
	t.Helper()
	capable, err := docstore.As[T](c)
	if err != nil {
		t.Fatal(err)
	}
	return capable
}

// openAs opens the database with a spec.
func openAs(t *testing.T, d database, spec docstore.Spec) docstore.Collection {
	t.Helper()
	store, err := mongostore.Open(t.Context(), uri(t), d.name)
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
			store, err := mongostore.Open(t.Context(), uri(t), d.name)
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
			if err := c.Insert(t.Context(), us, doc); err != nil {
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
	store, err := mongostore.Open(t.Context(), uri(t), d.name)
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
