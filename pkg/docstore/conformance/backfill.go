package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/wait"
)

// aged is the number of documents that a collection has when an index is added: some batches of a store.
const aged = 350

// narrow and wide are a collection before and after it gets indexes.
var (
	narrow = docstore.Spec{Name: "vehicles", Indexes: []docstore.Index{{Name: "plate", Unique: true}, {Name: "owner"}}}
	wide   = docstore.Spec{Name: "vehicles", Keys: keysOf, Indexes: []docstore.Index{
		{Name: "plate", Unique: true}, {Name: "chassis", Unique: true}, {Name: "owner"}, {Name: "color"},
	}}
)

// vehicle is the body of a document, which its keys are derived from.
type vehicle struct {
	Plate   string `json:"plate"`
	Chassis string `json:"chassis"`
	Owner   string `json:"owner"`
	Color   string `json:"color"`
}

func keysOf(doc docstore.Document) (docstore.Keys, error) {
	var v vehicle
	if err := json.Unmarshal(doc.Body, &v); err != nil {
		return nil, err
	}
	return docstore.Keys{"plate": v.Plate, "chassis": v.Chassis, "owner": v.Owner, "color": v.Color}, nil
}

// of returns the document of a vehicle with its keys in the indexes of a spec.
func (v vehicle) of(spec docstore.Spec, id uuid.UUID) docstore.Document {
	body, err := json.Marshal(v)
	doc := docstore.Document{ID: id, Body: body, Keys: docstore.Keys{}}
	keys, failed := keysOf(doc)
	if err != nil || failed != nil {
		panic(errors.Join(err, failed)) // texts have JSON
	}
	for index, value := range keys {
		if spec.Has(index) {
			doc.Keys[index] = value
		}
	}
	return doc
}

// Backfill runs the tests of indexes that are added to a collection. database returns what opens a new database,
// again and again; the suite closes each store before it opens the next.
func Backfill(t *testing.T, database func(t *testing.T) (open func(t *testing.T) docstore.Store)) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *growing)
	}{
		{"an added index finds what is there", addedIndex},
		{"a find by an index that is being built is refused", refusedMeanwhile},
		{"it goes on after the store was closed", resumed},
		{"a document that changes meanwhile keeps the keys of the change", changedMeanwhile},
		{"a unique value stays that of one document", valueTwice},
		{"what a release without the index writes is found", writtenByAnother},
		{"values that are formed in another way are found", formedAnew},
		{"a document whose keys cannot be derived holds up nothing", underivable},
		{"an empty collection has all of its indexes at once", emptyAtOnce},
		{"documents with owners get keys of their owners", addedForOwners},
		{"without keys to derive an index holds what comes later", withoutKeys},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, &growing{open: database(t)}) })
	}
}

// growing is a database that is opened with one spec after another.
type growing struct {
	open  func(t *testing.T) docstore.Store
	store docstore.Store
	docstore.Collection
	docstore.Backfilling
}

// as opens the collection with a spec. The store that was open is closed first.
func (g *growing) as(t *testing.T, spec docstore.Spec) {
	t.Helper()
	g.close(t)
	store := g.open(t)
	t.Cleanup(func() { _ = store.Close() })
	g.store = store
	var err error
	if g.Collection, err = store.Collection(t.Context(), spec); err != nil {
		t.Fatalf("collection: %v", err)
	}
	g.Backfilling = capability[docstore.Backfilling](t, g.Collection)
}

func (g *growing) close(t *testing.T) {
	t.Helper()
	if g.store == nil {
		return
	}
	if err := g.store.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	g.store = nil
}

// fill stores vehicles by the narrow spec and returns their ids in order.
func (g *growing) fill(t *testing.T, count int) []uuid.UUID {
	t.Helper()
	g.as(t, narrow)
	var stored []uuid.UUID
	for i := range count {
		doc := numbered(i).of(narrow, uuid.Must(uuid.NewV7()))
		if err := g.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		stored = append(stored, doc.ID)
	}
	return stored
}

func numbered(i int) vehicle {
	return vehicle{fmt.Sprintf("P-%d", i), fmt.Sprintf("C-%d", i), fmt.Sprintf("o%d", i%3),
		[]string{"red", "blue"}[i%2]}
}

// by returns what a find by one value returns, all of it.
func (g *growing) by(t *testing.T, index, value string) ([]uuid.UUID, error) {
	docs, err := g.Find(t.Context(), us, docstore.Query{Equal: docstore.Keys{index: value}, Limit: 10 * aged})
	return ids(docs), err
}

// want waits until a find by a value is answered, and fails the test if the answer is another. It may be refused
// until then.
func (g *growing) want(t *testing.T, index, value string, want ...uuid.UUID) {
	t.Helper()
	var found []uuid.UUID
	var err error
	wait.For(t, "the index "+index, func() bool {
		found, err = g.by(t, index, value)
		return !errors.As(err, new(*docstore.BuildingError))
	})
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("%s %q finds %d documents, error %v; want %d\n got %v\nwant %v", index, value, len(found), err,
			len(want), found, want)
	}
}

// every returns each n-th of the ids, from the one at place remainder on.
func every(stored []uuid.UUID, n, remainder int) []uuid.UUID {
	var some []uuid.UUID
	for i, id := range stored {
		if i%n == remainder {
			some = append(some, id)
		}
	}
	return some
}

func addedIndex(t *testing.T, g *growing) {
	stored := g.fill(t, aged)
	g.as(t, wide)
	// What there was is found all the while.
	for deadline := time.Now().Add(wait.Longest); g.Backfill().Building > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("the indexes are still being built: %+v", g.Backfill())
		}
		if found, err := g.by(t, "owner", "o1"); err != nil || !slices.Equal(found, every(stored, 3, 1)) {
			t.Fatalf("%d documents by an old index, error %v", len(found), err)
		}
	}
	g.want(t, "color", "red", every(stored, 2, 0)...)
	g.want(t, "color", "blue", every(stored, 2, 1)...)
	for i, id := range stored {
		g.want(t, "chassis", numbered(i).Chassis, id)
		g.want(t, "plate", numbered(i).Plate, id)
	}
	docs, err := g.Find(t.Context(), us, docstore.Query{Limit: 2 * aged, WithState: true})
	if err != nil || len(docs) != aged {
		t.Fatalf("%d documents, error %v", len(docs), err)
	}
	for i, doc := range docs {
		want := numbered(i).of(wide, stored[i])
		want.Version = 1
		same(t, doc, want)
	}
	if done := g.Backfill(); done != (docstore.Backfill{Done: aged}) {
		t.Errorf("the work reports %+v", done)
	}
	second := numbered(7)
	second.Plate = "another"
	wantDuplicate(t, "insert", g.Insert(t.Context(), us, second.of(wide, uuid.Must(uuid.NewV7()))), "chassis")
}

func refusedMeanwhile(t *testing.T, g *growing) {
	stored := g.fill(t, aged)
	release := make(chan struct{})
	released := sync.OnceFunc(func() { close(release) })
	defer released()
	spec := wide
	var calls atomic.Int64
	spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		if calls.Add(1) == aged {
			<-release
		}
		return keysOf(doc)
	}
	g.as(t, spec)
	for deadline := time.Now().Add(wait.Longest); calls.Load() < aged; {
		for _, q := range []docstore.Query{
			{Equal: docstore.Keys{"color": "red"}, Limit: 1}, {Equal: docstore.Keys{"chassis": "C-1"}, Limit: 1},
			{Equal: docstore.Keys{"owner": "o1", "color": "red"},
				Limit: 1}, {Ranges: []docstore.Range{{Index: "color"}}, Limit: 1},
		} {
			_, err := g.Find(t.Context(), us, q)
			var building *docstore.BuildingError
			if !errors.As(err, &building) || !errors.Is(err, docstore.ErrUnavailable) {
				t.Fatalf("find %+v before the index is complete: error %v", q, err)
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d documents were read", calls.Load())
		}
	}
	if g.Backfill().Building != 2 {
		t.Errorf("the work reports %+v", g.Backfill())
	}
	g.want(t, "plate", "P-1", stored[1])
	released()
	g.want(t, "color", "red", every(stored, 2, 0)...)
}

func resumed(t *testing.T, g *growing) {
	stored := g.fill(t, aged)
	spec := wide
	begun, closing := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		if calls.Add(1) == aged/2 {
			close(begun)
			<-closing
		}
		return keysOf(doc)
	}
	g.as(t, spec)
	first := g.Backfilling
	<-begun
	ended := make(chan error, 1)
	store := g.store
	go func() { ended <- store.Close() }()
	close(closing)
	if err := <-ended; err != nil {
		t.Errorf("close: %v", err)
	}
	g.store = nil
	done := first.Backfill().Done
	calls.Store(aged) // beyond the call that waits
	g.as(t, spec)
	g.want(t, "color", "red", every(stored, 2, 0)...)
	if again := calls.Load() - aged; again > aged-done {
		t.Errorf("%d documents were done before, and %d of %d after", done, again, aged)
	}
	t.Logf("%d of %d were done before the store was closed", done, aged)
}
