package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// aged is the number of documents that a collection has when an index is added: some pages of a migration.
const aged = 3*docstore.MigrationLength - 1

// narrow and wide are a collection before and after it gets indexes.
var (
	narrow = docstore.Spec{Name: "vehicles", Keys: narrowKeys, Indexes: []docstore.Index{
		{Name: "plate", Unique: true}, {Name: "owner"},
	}}
	wide = docstore.Spec{Name: "vehicles", Keys: keysOf, Indexes: []docstore.Index{
		{Name: "plate", Unique: true}, {Name: "chassis", Unique: true, Since: 1}, {Name: "owner"},
		{Name: "color", Since: 1},
	}}
)

// vehicle is the body of a document, which its keys are derived from.
type vehicle struct {
	Plate   string `json:"plate"`
	Chassis string `json:"chassis"`
	Owner   string `json:"owner"`
	Color   string `json:"color"`
}

func (v vehicle) keys() docstore.Keys {
	return docstore.Keys{"plate": v.Plate, "chassis": v.Chassis, "owner": v.Owner, "color": v.Color}
}

func keysOf(doc docstore.Document) (docstore.Keys, error) {
	var v vehicle
	err := json.Unmarshal(doc.Body, &v)
	return v.keys(), err
}

func narrowKeys(doc docstore.Document) (docstore.Keys, error) {
	keys, err := keysOf(doc)
	delete(keys, "color")
	delete(keys, "chassis")
	return keys, err
}

// of returns the document of a vehicle with its keys in the indexes of a spec.
func (v vehicle) of(spec docstore.Spec, id uuid.UUID) docstore.Document {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts have JSON
	}
	keys := v.keys()
	maps.DeleteFunc(keys, func(index, _ string) bool { return !spec.Has(index) })
	return docstore.Document{ID: id, Body: body, Keys: keys}
}

// Migrations runs the tests of indexes that are added to a collection. database returns what opens a new database,
// again and again; the suite closes each store before it opens the next.
func Migrations(t *testing.T, database func(t *testing.T) (open func(t *testing.T) docstore.Store)) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *growing)
	}{
		{"an added index finds what is there", addedIndex},
		{"an index without a migration is refused", forgottenMigration},
		{"it is made again after it was ended", endedMigration},
		{"a document that cannot get a key holds up nothing", withoutKey},
		{"what a release without the index writes is found after the next start", writtenByAnother},
		{"values that are formed in another way are found", formedAnew},
		{"an empty collection has nothing to do", nothingToDo},
		{"documents with owners get keys of their owners", addedForOwners},
		{"without keys to derive an index holds what comes later", withoutKeys},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, &growing{open: database(t)}) })
	}
}

// growing is a database that is opened with one spec after another.
type growing struct {
	open func(t *testing.T) docstore.Store
	fixture
	// derived counts the documents whose keys were derived since the collection was opened last.
	derived int
}

// as opens the collection with a spec. The store that was open is closed first.
func (g *growing) as(t *testing.T, spec docstore.Spec) {
	t.Helper()
	must(t, g.try(t.Context(), t, spec))
}

func (g *growing) try(ctx context.Context, t *testing.T, spec docstore.Spec) error {
	t.Helper()
	if g.store != nil {
		must(t, g.store.Close())
	}
	g.fixture = fixture{store: g.open(t), who: us}
	t.Cleanup(func() { _ = g.store.Close() })
	g.derived = 0
	if keys := spec.Keys; keys != nil {
		spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
			g.derived++
			return keys(doc)
		}
	}
	collection, err := g.store.Collection(ctx, spec)
	if err == nil {
		g.fixture = g.on(t, collection)
	}
	return err
}

// fill stores vehicles by the narrow spec and returns their ids in order.
func (g *growing) fill(t *testing.T, count int) []uuid.UUID {
	t.Helper()
	g.as(t, narrow)
	var stored []uuid.UUID
	for i := range count {
		stored = append(stored, g.add(t, us, numbered(i), narrow))
	}
	return stored
}

// add stores a vehicle by a spec and returns its id.
func (g *growing) add(t *testing.T, who organisation.ID, v vehicle, spec docstore.Spec) uuid.UUID {
	t.Helper()
	doc := v.of(spec, uuid.Must(uuid.NewV7()))
	must(t, g.Insert(t.Context(), who, doc))
	return doc.ID
}

// wantTaken fails the test unless a vehicle is refused for its chassis.
func (g *growing) wantTaken(t *testing.T, who organisation.ID, v vehicle) {
	t.Helper()
	err := g.Insert(t.Context(), who, v.of(wide, uuid.Must(uuid.NewV7())))
	wantDuplicate(t, "insert", err, "chassis")
}

func numbered(i int) vehicle {
	return vehicle{fmt.Sprintf("P-%d", i), fmt.Sprintf("C-%d", i), fmt.Sprintf("o%d", i%3),
		[]string{"red", "blue"}[i%2]}
}

// wantDerived fails the test if the keys of another number of documents were derived.
func (g *growing) wantDerived(t *testing.T, want int) {
	t.Helper()
	if g.derived != want {
		t.Errorf("the keys of %d documents were derived, want %d", g.derived, want)
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
	var progress []int64
	spec := wide
	spec.Progress = func(documents int64) { progress = append(progress, documents) }
	g.as(t, spec)
	g.wantDerived(t, aged)
	if len(progress) < 3 || progress[len(progress)-1] != aged {
		t.Errorf("the progress was %v", progress)
	}
	g.findsBy(t, "owner", "o1", every(stored, 3, 1)...)
	g.findsBy(t, "color", "red", every(stored, 2, 0)...)
	g.findsBy(t, "color", "blue", every(stored, 2, 1)...)
	for i, id := range stored[:100] {
		g.findsBy(t, "chassis", numbered(i).Chassis, id)
		g.findsBy(t, "plate", numbered(i).Plate, id)
	}
	docs := g.found(t, docstore.Query{Limit: 2 * aged, WithState: true})
	if len(docs) != aged {
		t.Fatalf("%d documents", len(docs))
	}
	for i, doc := range docs {
		want := numbered(i).of(wide, stored[i])
		want.Version = 1
		same(t, doc, want)
	}
	g.wantTaken(t, us, vehicle{Plate: "another", Chassis: "C-7"})
	g.as(t, wide)
	g.wantDerived(t, 0)
}

// forgottenMigration adds an index whose number is none that the documents would get its keys by.
func forgottenMigration(t *testing.T, g *growing) {
	g.fill(t, 3)
	forgotten := wide
	forgotten.Indexes = slices.Clone(wide.Indexes)
	for i := range forgotten.Indexes {
		forgotten.Indexes[i].Since = 0
	}
	err := g.try(t.Context(), t, forgotten)
	if err == nil || !strings.Contains(err.Error(), `"chassis"`) || !strings.Contains(err.Error(), "Since") {
		t.Errorf("error %v", err)
	}
}

// endedMigration ends a migration in its midst, as a process does that is to stop.
func endedMigration(t *testing.T, g *growing) {
	stored := g.fill(t, aged)
	spec := wide
	ctx, cancel := context.WithCancel(t.Context())
	spec.Progress = func(int64) { cancel() }
	if err := g.try(ctx, t, spec); !errors.Is(err, context.Canceled) || !errors.Is(err, docstore.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	g.as(t, wide)
	if g.derived == 0 {
		t.Error("nothing was left to do")
	}
	g.findsBy(t, "color", "red", every(stored, 2, 0)...)
	g.findsBy(t, "color", "blue", every(stored, 2, 1)...)
}

// withoutKey has a unique value twice, and a document whose keys cannot be derived. One of the former and the latter
// get no key, which holds up nothing.
func withoutKey(t *testing.T, g *growing) {
	stored := g.fill(t, 10)
	twin := numbered(3)
	twin.Plate = "twin"
	second := g.add(t, us, twin, narrow)
	failure := errors.New("the document has no keys")
	causes := map[uuid.UUID]error{}
	spec := wide
	spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		if doc.ID == stored[2] {
			return nil, failure
		}
		return keysOf(doc)
	}
	spec.NoKey = func(id uuid.UUID, cause error) { causes[id] = cause }
	g.as(t, spec)
	wantError(t, "the document without keys", causes[stored[2]], failure)
	owner, loser := stored[3], second
	if causes[loser] == nil {
		owner, loser = loser, owner
	}
	wantDuplicate(t, "the document without its key", causes[loser], "chassis")
	if len(causes) != 2 {
		t.Errorf("told of %v", causes)
	}
	g.findsBy(t, "color", "red", stored[0], stored[4], stored[6], stored[8])
	g.findsBy(t, "color", twin.Color, append(every(stored, 2, 1), second)...)
	g.findsBy(t, "chassis", twin.Chassis, owner)
	g.findsBy(t, "plate", "twin", second)
	g.findsBy(t, "plate", "P-2", stored[2])
}

func writtenByAnother(t *testing.T, g *growing) {
	stored := g.fill(t, 20)
	g.as(t, wide)
	g.findsBy(t, "color", "red", every(stored, 2, 0)...)

	// A release without the index changes one document, without a change of the keys that it knows, and adds another.
	g.as(t, narrow)
	changed := numbered(4)
	changed.Color, changed.Chassis = "green", "other"
	doc := changed.of(narrow, stored[4])
	doc.Version = 1
	must(t, g.Replace(t.Context(), us, doc, nil))
	added := g.add(t, us, vehicle{Plate: "added", Chassis: "added", Owner: "o9", Color: "green"}, narrow)
	g.findsBy(t, "owner", "o9", added)

	g.as(t, wide)
	g.findsBy(t, "color", "green", stored[4], added)
	g.findsBy(t, "color", "red",
		slices.DeleteFunc(every(stored, 2, 0), func(id uuid.UUID) bool { return id == stored[4] })...)
	g.findsBy(t, "chassis", "other", stored[4])
	g.findsBy(t, "chassis", "C-4")
}

// formedAnew forms the values of an index in capitals.
func formedAnew(t *testing.T, g *growing) {
	stored := g.fill(t, 10)
	capitals := narrow
	capitals.Indexes = []docstore.Index{narrow.Indexes[0], {Name: "owner", Since: 1}}
	capitals.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		keys, err := narrowKeys(doc)
		keys["owner"] = strings.ToUpper(keys["owner"])
		return keys, err
	}
	g.as(t, capitals)
	g.findsBy(t, "owner", "O1", every(stored, 3, 1)...)
	g.findsBy(t, "owner", "o1")
	g.findsBy(t, "plate", "P-1", stored[1])
	g.wantDerived(t, len(stored))
}

func nothingToDo(t *testing.T, g *growing) {
	g.as(t, wide)
	g.findsBy(t, "color", "red")
	g.findsBy(t, "color", "red", g.add(t, us, numbered(0), wide))
	g.as(t, wide)
	g.wantDerived(t, 0)
}

func withoutKeys(t *testing.T, g *growing) {
	g.fill(t, 10)
	spec := wide
	spec.Keys = nil
	g.as(t, spec)
	g.findsBy(t, "color", "red", g.add(t, us, vehicle{Plate: "later", Chassis: "later", Color: "red"}, wide))
}

// addedForOwners gives three organisations the same vehicles. A value that is unique in each of them then stays so,
// and each finds its own.
func addedForOwners(t *testing.T, g *growing) {
	g.as(t, narrow)
	everyone := []organisation.ID{us, acme, others[0]}
	stored := map[organisation.ID][]uuid.UUID{}
	for i := range 100 {
		for _, who := range everyone {
			stored[who] = append(stored[who], g.add(t, who, numbered(i), narrow))
		}
	}
	spec := wide
	spec.NoKey = func(id uuid.UUID, cause error) { t.Errorf("%s gets no key: %v", id, cause) }
	g.as(t, spec)
	for who, own := range stored {
		g.by(who).findsBy(t, "color", "red", every(own, 2, 0)...)
		g.by(who).findsBy(t, "owner", "o1", every(own, 3, 1)...)
		g.by(who).findsBy(t, "chassis", "C-5", own[5])
		g.wantTaken(t, who, vehicle{Plate: "another", Chassis: "C-5"})
	}
}
