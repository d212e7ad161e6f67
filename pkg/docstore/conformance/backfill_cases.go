package conformance

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/wait"
)

func changedMeanwhile(t *testing.T, g *growing) {
	stored := g.fill(t, 120)
	spec := wide
	opened := make(chan struct{})
	var collection docstore.Collection
	spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		<-opened
		if doc.Version > 1 {
			return keysOf(doc)
		}
		// The document changes after it was read and before it gets its keys.
		changed := numbered(slices.Index(stored, doc.ID))
		changed.Color, changed.Chassis = "green", "new "+changed.Chassis
		next := changed.of(wide, doc.ID)
		next.Version = doc.Version
		if err := collection.Replace(t.Context(), us, next, nil); err != nil {
			t.Errorf("replace: %v", err)
		}
		return keysOf(doc)
	}
	g.as(t, spec)
	collection = g.Collection
	close(opened)
	g.want(t, "color", "green", stored...)
	g.want(t, "color", "red")
	g.want(t, "color", "blue")
	for i, id := range stored {
		g.want(t, "chassis", numbered(i).Chassis)
		g.want(t, "chassis", "new "+numbered(i).Chassis, id)
		if doc, err := g.Get(t.Context(), us, id); err != nil || doc.Version != 2 {
			t.Errorf("version %d, error %v", doc.Version, err)
		}
	}
	// The values that no document has are free.
	if err := g.Insert(t.Context(), us,
		vehicle{Plate: "free", Chassis: "C-5"}.of(wide, uuid.Must(uuid.NewV7()))); err != nil {
		t.Errorf("insert: %v", err)
	}
}

func valueTwice(t *testing.T, g *growing) {
	stored := g.fill(t, 10)
	twin := numbered(3)
	twin.Plate = "twin"
	second := twin.of(narrow, uuid.Must(uuid.NewV7()))
	if err := g.Insert(t.Context(), us, second); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var lacking []uuid.UUID
	spec := wide
	spec.Lacking = func(id uuid.UUID, cause error) {
		mu.Lock()
		defer mu.Unlock()
		wantDuplicate(t, "the document that lacks its key", cause, "chassis")
		lacking = append(lacking, id)
	}
	g.as(t, spec)
	g.want(t, "color", twin.Color, append(every(stored, 2, 1), second.ID)...)
	mu.Lock()
	defer mu.Unlock()
	if len(lacking) != 1 || lacking[0] != stored[3] && lacking[0] != second.ID {
		t.Fatalf("documents that lack a key: %v", lacking)
	}
	owner := stored[3]
	if lacking[0] == owner {
		owner = second.ID
	}
	g.want(t, "chassis", twin.Chassis, owner)
	g.want(t, "plate", "twin", second.ID)
	if done := g.Backfill(); done.Lacking != 1 {
		t.Errorf("the work reports %+v", done)
	}
}

func writtenByAnother(t *testing.T, g *growing) {
	stored := g.fill(t, 20)
	g.as(t, wide)
	g.want(t, "color", "red", every(stored, 2, 0)...)

	// A release without the index changes one document, without a change of the keys that it knows, and adds another.
	old := narrow
	old.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		keys, err := keysOf(doc)
		delete(keys, "color")
		delete(keys, "chassis")
		return keys, err
	}
	g.as(t, old)
	changed := numbered(4)
	changed.Color, changed.Chassis = "green", "other"
	doc := changed.of(narrow, stored[4])
	doc.Version = 1
	if err := g.Replace(t.Context(), us, doc, nil); err != nil {
		t.Fatal(err)
	}
	added := vehicle{Plate: "added", Chassis: "added", Owner: "o9", Color: "green"}.of(narrow, uuid.Must(uuid.NewV7()))
	if err := g.Insert(t.Context(), us, added); err != nil {
		t.Fatal(err)
	}
	g.want(t, "owner", "o9", added.ID)

	g.as(t, wide)
	g.want(t, "color", "green", stored[4], added.ID)
	g.want(t, "color", "red",
		slices.DeleteFunc(every(stored, 2, 0), func(id uuid.UUID) bool { return id == stored[4] })...)
	g.want(t, "chassis", "other", stored[4])
	g.want(t, "chassis", "C-4")
	if done := g.Backfill(); done.Done != 2 {
		t.Errorf("the work reports %+v, and two documents were without the keys", done)
	}
}

// formedAnew forms the values of an index in capitals. A release that does not leaves them as they are; what it writes
// is formed anew.
func formedAnew(t *testing.T, g *growing) {
	stored := g.fill(t, 10)
	old, capitals := narrow, narrow
	old.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		keys, err := keysOf(doc)
		delete(keys, "color")
		delete(keys, "chassis")
		return keys, err
	}
	capitals.Indexes = []docstore.Index{narrow.Indexes[0], {Name: "owner", Form: "capitals"}}
	capitals.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		keys, err := old.Keys(doc)
		keys["owner"] = strings.ToUpper(keys["owner"])
		return keys, err
	}
	g.as(t, capitals)
	g.want(t, "owner", "O1", every(stored, 3, 1)...)
	g.want(t, "owner", "o1")
	g.want(t, "plate", "P-1", stored[1])
	if done := g.Backfill(); done != (docstore.Backfill{Done: int64(len(stored))}) {
		t.Errorf("the work reports %+v", done)
	}
	g.as(t, old)
	g.want(t, "owner", "O1", every(stored, 3, 1)...)
	if done := g.Backfill(); done != (docstore.Backfill{}) {
		t.Errorf("the earlier release has changed something: %+v", done)
	}
	added := vehicle{Plate: "added", Owner: "o1"}.of(narrow, uuid.Must(uuid.NewV7()))
	if err := g.Insert(t.Context(), us, added); err != nil {
		t.Fatal(err)
	}
	g.as(t, capitals)
	g.want(t, "owner", "O1", append(every(stored, 3, 1), added.ID)...)
}

func underivable(t *testing.T, g *growing) {
	stored := g.fill(t, 10)
	spec := wide
	failure := errors.New("the document has no keys")
	lacking := make(chan uuid.UUID, 10)
	spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		if doc.ID == stored[2] {
			return nil, failure
		}
		return keysOf(doc)
	}
	spec.Lacking = func(id uuid.UUID, cause error) {
		wantError(t, "derivation", cause, failure)
		lacking <- id
	}
	g.as(t, spec)
	g.want(t, "color", "red", stored[0], stored[4], stored[6], stored[8])
	g.want(t, "plate", "P-2", stored[2])
	if len(lacking) != 1 || <-lacking != stored[2] {
		t.Errorf("not told of the document that lacks its keys")
	}
}

func emptyAtOnce(t *testing.T, g *growing) {
	g.as(t, wide)
	if found, err := g.by(t, "color", "red"); err != nil || len(found) != 0 {
		t.Errorf("found %v, error %v", found, err)
	}
	doc := numbered(0).of(wide, uuid.Must(uuid.NewV7()))
	if err := g.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	if found, err := g.by(t, "color", "red"); err != nil || !slices.Equal(found, []uuid.UUID{doc.ID}) {
		t.Errorf("found %v, error %v", found, err)
	}
	if done := g.Backfill(); done != (docstore.Backfill{}) {
		t.Errorf("the work reports %+v", done)
	}
}

func withoutKeys(t *testing.T, g *growing) {
	g.fill(t, 10)
	spec := wide
	spec.Keys = nil
	g.as(t, spec)
	doc := vehicle{Plate: "later", Chassis: "later", Color: "red"}.of(wide, uuid.Must(uuid.NewV7()))
	if err := g.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	if found, err := g.by(t, "color", "red"); err != nil || !slices.Equal(found, []uuid.UUID{doc.ID}) {
		t.Errorf("found %v, error %v", found, err)
	}
}

// addedForOwners gives two organisations the same vehicles. A value that is unique in each of them then stays so, and
// each finds its own.
func addedForOwners(t *testing.T, g *growing) {
	g.as(t, narrow)
	everyone := []organisation.ID{us, acme, others[0]}
	stored := map[organisation.ID][]uuid.UUID{}
	for i := range aged / len(everyone) {
		for _, who := range everyone {
			doc := numbered(i).of(narrow, uuid.Must(uuid.NewV7()))
			if err := g.Insert(t.Context(), who, doc); err != nil {
				t.Fatal(err)
			}
			stored[who] = append(stored[who], doc.ID)
		}
	}
	g.as(t, wide)
	for deadline := time.Now().Add(wait.Longest); g.Backfill().Building > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("the indexes are still being built: %+v", g.Backfill())
		}
	}
	if lacking := g.Backfill().Lacking; lacking > 0 {
		t.Errorf("%d keys are lacking", lacking)
	}
	for who, own := range stored {
		for q, want := range map[[2]string][]uuid.UUID{
			{"color", "red"}: every(own, 2, 0), {"owner", "o1"}: every(own, 3, 1), {"chassis", "C-5"}: own[5:6],
		} {
			docs, err := g.Find(t.Context(), who, docstore.Query{Equal: docstore.Keys{q[0]: q[1]}, Limit: aged})
			if err != nil || !slices.Equal(ids(docs), want) {
				t.Errorf("%q finds %d documents by %v (%v), want %d", who, len(docs), q, err, len(want))
			}
		}
		twin := vehicle{Plate: "another", Chassis: "C-5"}.of(wide, uuid.Must(uuid.NewV7()))
		wantDuplicate(t, "insert", g.Insert(t.Context(), who, twin), "chassis")
	}
}
