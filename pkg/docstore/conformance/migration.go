package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	narrowIndexes = []docstore.Index{{Name: "plate", Unique: true}, {Name: "owner"}}

	narrow = docstore.Spec{Name: "vehicles", Keys: narrowKeys, Indexes: narrowIndexes}
	wide   = docstore.Spec{Name: "vehicles", Keys: keysOf, Indexes: []docstore.Index{
		{Name: "plate", Unique: true}, {Name: "chassis", Unique: true, Since: 1}, {Name: "owner"},
		{Name: "color", Since: 1},
	}}
)

// keysOf returns the keys of a vehicle, which are its body.
func keysOf(doc docstore.Document) (docstore.Keys, error) {
	var keys docstore.Keys
	err := json.Unmarshal(doc.Body, &keys)
	return keys, err
}

func narrowKeys(doc docstore.Document) (docstore.Keys, error) {
	keys, err := keysOf(doc)
	return within(narrowIndexes, keys), err
}

// within returns the keys that some indexes hold.
func within(indexes []docstore.Index, all docstore.Keys) docstore.Keys {
	keys := docstore.Keys{}
	for _, index := range indexes {
		if value, has := all[index.Name]; has {
			keys[index.Name] = value
		}
	}
	return keys
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
	indexes []docstore.Index
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
	g.derived, g.indexes = 0, spec.Indexes
	if keys := spec.Keys; keys != nil {
		spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
			g.derived++
			return keys(doc)
		}
	}
	collection, err := g.store.Collection(ctx, spec)
	if err == nil {
		g.fixture = g.on(collection)
	}
	return err
}

// fill stores vehicles by the narrow spec and returns their ids in order.
func (g *growing) fill(t *testing.T, count int) []uuid.UUID {
	t.Helper()
	g.as(t, narrow)
	var ids []uuid.UUID
	for i := range count {
		ids = append(ids, g.add(t, us, numbered(i)))
	}
	return ids
}

// add stores a vehicle and returns its id.
func (g *growing) add(t *testing.T, who organisation.ID, vehicle docstore.Keys) uuid.UUID {
	t.Helper()
	return g.by(who).put(t, g.document(t, vehicle)).ID
}

// document returns a vehicle as the collection that is open has it.
func (g *growing) document(t *testing.T, vehicle docstore.Keys) docstore.Document {
	t.Helper()
	body, err := json.Marshal(vehicle)
	must(t, err)
	return docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: body, Keys: within(g.indexes, vehicle)}
}

// wantTaken fails the test unless another vehicle is refused a chassis.
func (g *growing) wantTaken(t *testing.T, who organisation.ID, chassis string) {
	t.Helper()
	another := g.document(t, docstore.Keys{"plate": "another", "chassis": chassis})
	wantDuplicate(t, "insert", g.Insert(t.Context(), who, another), "chassis")
}

// numbered returns the keys of a vehicle with a number.
func numbered(i int) docstore.Keys {
	return docstore.Keys{"plate": fmt.Sprintf("P-%d", i), "chassis": fmt.Sprintf("C-%d", i),
		"owner": fmt.Sprintf("o%d", i%3), "color": []string{"red", "blue"}[i%2]}
}

// wantDerived fails the test if the keys of another number of documents were derived.
func (g *growing) wantDerived(t *testing.T, want int) {
	t.Helper()
	if g.derived != want {
		t.Errorf("the keys of %d documents were derived, want %d", g.derived, want)
	}
}

// every returns each n-th of the ids, from the one at place remainder on.
func every(ids []uuid.UUID, n, remainder int) []uuid.UUID {
	var some []uuid.UUID
	for i, id := range ids {
		if i%n == remainder {
			some = append(some, id)
		}
	}
	return some
}

func addedIndex(t *testing.T, g *growing) {
	ids := g.fill(t, aged)
	var progress []int64
	spec := wide
	spec.Progress = func(documents int64) { progress = append(progress, documents) }
	g.as(t, spec)
	g.wantDerived(t, aged)
	if len(progress) < 3 || progress[len(progress)-1] != aged {
		t.Errorf("the progress was %v", progress)
	}
	g.findsBy(t, "owner", "o1", every(ids, 3, 1)...)
	g.findsBy(t, "color", "red", every(ids, 2, 0)...)
	g.findsBy(t, "color", "blue", every(ids, 2, 1)...)
	for i, id := range ids[:100] {
		g.findsBy(t, "chassis", numbered(i)["chassis"], id)
		g.findsBy(t, "plate", numbered(i)["plate"], id)
	}
	docs := g.found(t, docstore.Query{Limit: 2 * aged, WithState: true})
	if len(docs) != aged {
		t.Fatalf("%d documents", len(docs))
	}
	for i, doc := range docs {
		want := g.document(t, numbered(i))
		want.ID, want.Version = ids[i], 1
		same(t, doc, want)
	}
	g.wantTaken(t, us, "C-7")
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
	ids := g.fill(t, aged)
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
	g.findsBy(t, "color", "red", every(ids, 2, 0)...)
	g.findsBy(t, "color", "blue", every(ids, 2, 1)...)
}

// withoutKey has a unique value twice, and a document whose keys cannot be derived. One of the former and the latter
// get no key, which holds up nothing.
func withoutKey(t *testing.T, g *growing) {
	ids := g.fill(t, 10)
	twin := numbered(3)
	twin["plate"] = "twin"
	second := g.add(t, us, twin)
	failure := errors.New("the document has no keys")
	causes := map[uuid.UUID]error{}
	spec := wide
	spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		if doc.ID == ids[2] {
			return nil, failure
		}
		return keysOf(doc)
	}
	spec.NoKey = func(id uuid.UUID, cause error) { causes[id] = cause }
	g.as(t, spec)
	wantError(t, "the document without keys", causes[ids[2]], failure)
	owner, loser := ids[3], second
	if causes[loser] == nil {
		owner, loser = loser, owner
	}
	wantDuplicate(t, "the document without its key", causes[loser], "chassis")
	if len(causes) != 2 {
		t.Errorf("told of %v", causes)
	}
	g.findsBy(t, "color", "red", ids[0], ids[4], ids[6], ids[8])
	g.findsBy(t, "color", twin["color"], append(every(ids, 2, 1), second)...)
	g.findsBy(t, "chassis", twin["chassis"], owner)
	g.findsBy(t, "plate", "twin", second)
	g.findsBy(t, "plate", "P-2", ids[2])
}

func writtenByAnother(t *testing.T, g *growing) {
	ids := g.fill(t, 20)
	g.as(t, wide)
	g.findsBy(t, "color", "red", every(ids, 2, 0)...)

	// A release without the index changes one document, without a change of the keys that it knows, and adds another.
	g.as(t, narrow)
	changed := numbered(4)
	changed["color"], changed["chassis"] = "green", "other"
	doc := g.document(t, changed)
	doc.ID, doc.Version = ids[4], 1
	g.replace(t, doc)
	added := g.add(t, us, docstore.Keys{"plate": "added", "chassis": "added", "owner": "o9", "color": "green"})
	g.findsBy(t, "owner", "o9", added)

	g.as(t, wide)
	g.findsBy(t, "color", "green", ids[4], added)
	g.findsBy(t, "color", "red",
		slices.DeleteFunc(every(ids, 2, 0), func(id uuid.UUID) bool { return id == ids[4] })...)
	g.findsBy(t, "chassis", "other", ids[4])
	g.findsBy(t, "chassis", "C-4")
}

// formedAnew forms the values of an index in capitals.
func formedAnew(t *testing.T, g *growing) {
	ids := g.fill(t, 10)
	capitals := narrow
	capitals.Indexes = []docstore.Index{narrow.Indexes[0], {Name: "owner", Since: 1}}
	capitals.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		keys, err := narrowKeys(doc)
		keys["owner"] = strings.ToUpper(keys["owner"])
		return keys, err
	}
	g.as(t, capitals)
	g.findsBy(t, "owner", "O1", every(ids, 3, 1)...)
	g.findsBy(t, "owner", "o1")
	g.findsBy(t, "plate", "P-1", ids[1])
	g.wantDerived(t, len(ids))
}

func nothingToDo(t *testing.T, g *growing) {
	g.as(t, wide)
	g.findsBy(t, "color", "red")
	g.findsBy(t, "color", "red", g.add(t, us, numbered(0)))
	g.as(t, wide)
	g.wantDerived(t, 0)
}

func withoutKeys(t *testing.T, g *growing) {
	g.fill(t, 10)
	spec := wide
	spec.Keys = nil
	g.as(t, spec)
	g.findsBy(t, "color", "red", g.add(t, us, docstore.Keys{"plate": "later", "chassis": "later", "color": "red"}))
}

// addedForOwners gives three organisations the same vehicles. A value that is unique in each of them then stays so,
// and each finds its own.
func addedForOwners(t *testing.T, g *growing) {
	g.as(t, narrow)
	everyone := []organisation.ID{us, acme, others[0]}
	ids := map[organisation.ID][]uuid.UUID{}
	for i := range 100 {
		for _, who := range everyone {
			ids[who] = append(ids[who], g.add(t, who, numbered(i)))
		}
	}
	spec := wide
	spec.NoKey = func(id uuid.UUID, cause error) { t.Errorf("%s gets no key: %v", id, cause) }
	g.as(t, spec)
	for who, own := range ids {
		g.by(who).findsBy(t, "color", "red", every(own, 2, 0)...)
		g.by(who).findsBy(t, "owner", "o1", every(own, 3, 1)...)
		g.by(who).findsBy(t, "chassis", "C-5", own[5])
		g.wantTaken(t, who, "C-5")
	}
}
