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

func keysOf(doc docstore.Document) (docstore.Keys, error) {
	var v vehicle
	if err := json.Unmarshal(doc.Body, &v); err != nil {
		return nil, err
	}
	return docstore.Keys{"plate": v.Plate, "chassis": v.Chassis, "owner": v.Owner, "color": v.Color}, nil
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
		{"a unique value stays that of one document", valueTwice},
		{"what a release without the index writes is found after the next start", writtenByAnother},
		{"values that are formed in another way are found", formedAnew},
		{"a document whose keys cannot be derived holds up nothing", underivable},
		{"an empty collection has nothing to do", nothingToDo},
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
	// derived counts the documents whose keys were derived since the collection was opened last.
	derived int
}

// as opens the collection with a spec. The store that was open is closed first.
func (g *growing) as(t *testing.T, spec docstore.Spec) {
	t.Helper()
	if err := g.try(t.Context(), t, spec); err != nil {
		t.Fatalf("collection: %v", err)
	}
}

func (g *growing) try(ctx context.Context, t *testing.T, spec docstore.Spec) (err error) {
	t.Helper()
	if g.store != nil {
		if err := g.store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	g.store = g.open(t)
	t.Cleanup(func() { _ = g.store.Close() })
	g.derived = 0
	if keys := spec.Keys; keys != nil {
		spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
			g.derived++
			return keys(doc)
		}
	}
	g.Collection, err = g.store.Collection(ctx, spec)
	return err
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

// want fails the test if a find by a value returns other documents.
func (g *growing) want(t *testing.T, index, value string, want ...uuid.UUID) {
	t.Helper()
	g.wantOf(t, us, index, value, want...)
}

func (g *growing) wantOf(t *testing.T, who organisation.ID, index, value string, want ...uuid.UUID) {
	t.Helper()
	docs, err := g.Find(t.Context(), who, docstore.Query{Equal: docstore.Keys{index: value}, Limit: 2 * aged})
	if found := ids(docs); err != nil || !slices.Equal(found, want) {
		t.Errorf("%s %q finds %d documents, error %v; want %d\n got %v\nwant %v", index, value, len(found), err,
			len(want), found, want)
	}
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
	g.want(t, "owner", "o1", every(stored, 3, 1)...)
	g.want(t, "color", "red", every(stored, 2, 0)...)
	g.want(t, "color", "blue", every(stored, 2, 1)...)
	for i, id := range stored[:100] {
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
	second := numbered(7)
	second.Plate = "another"
	wantDuplicate(t, "insert", g.Insert(t.Context(), us, second.of(wide, uuid.Must(uuid.NewV7()))), "chassis")
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
	g.want(t, "color", "red", every(stored, 2, 0)...)
	g.want(t, "color", "blue", every(stored, 2, 1)...)
}

func valueTwice(t *testing.T, g *growing) {
	stored := g.fill(t, 10)
	twin := numbered(3)
	twin.Plate = "twin"
	second := twin.of(narrow, uuid.Must(uuid.NewV7()))
	if err := g.Insert(t.Context(), us, second); err != nil {
		t.Fatal(err)
	}
	var without []uuid.UUID
	spec := wide
	spec.NoKey = func(id uuid.UUID, cause error) {
		wantDuplicate(t, "the document without its key", cause, "chassis")
		without = append(without, id)
	}
	g.as(t, spec)
	g.want(t, "color", twin.Color, append(every(stored, 2, 1), second.ID)...)
	if len(without) != 1 || without[0] != stored[3] && without[0] != second.ID {
		t.Fatalf("documents without a key: %v", without)
	}
	owner := stored[3]
	if without[0] == owner {
		owner = second.ID
	}
	g.want(t, "chassis", twin.Chassis, owner)
	g.want(t, "plate", "twin", second.ID)
}

func writtenByAnother(t *testing.T, g *growing) {
	stored := g.fill(t, 20)
	g.as(t, wide)
	g.want(t, "color", "red", every(stored, 2, 0)...)

	// A release without the index changes one document, without a change of the keys that it knows, and adds another.
	g.as(t, narrow)
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
	g.want(t, "owner", "O1", every(stored, 3, 1)...)
	g.want(t, "owner", "o1")
	g.want(t, "plate", "P-1", stored[1])
	g.wantDerived(t, len(stored))
}

func underivable(t *testing.T, g *growing) {
	stored := g.fill(t, 10)
	spec := wide
	failure := errors.New("the document has no keys")
	var without []uuid.UUID
	spec.Keys = func(doc docstore.Document) (docstore.Keys, error) {
		if doc.ID == stored[2] {
			return nil, failure
		}
		return keysOf(doc)
	}
	spec.NoKey = func(id uuid.UUID, cause error) {
		wantError(t, "derivation", cause, failure)
		without = append(without, id)
	}
	g.as(t, spec)
	g.want(t, "color", "red", stored[0], stored[4], stored[6], stored[8])
	g.want(t, "plate", "P-2", stored[2])
	if !slices.Equal(without, stored[2:3]) {
		t.Errorf("told of %v", without)
	}
}

func nothingToDo(t *testing.T, g *growing) {
	g.as(t, wide)
	g.want(t, "color", "red")
	doc := numbered(0).of(wide, uuid.Must(uuid.NewV7()))
	if err := g.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	g.want(t, "color", "red", doc.ID)
	g.as(t, wide)
	g.wantDerived(t, 0)
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
	g.want(t, "color", "red", doc.ID)
}

// addedForOwners gives three organisations the same vehicles. A value that is unique in each of them then stays so,
// and each finds its own.
func addedForOwners(t *testing.T, g *growing) {
	g.as(t, narrow)
	everyone := []organisation.ID{us, acme, others[0]}
	stored := map[organisation.ID][]uuid.UUID{}
	for i := range 100 {
		for _, who := range everyone {
			doc := numbered(i).of(narrow, uuid.Must(uuid.NewV7()))
			if err := g.Insert(t.Context(), who, doc); err != nil {
				t.Fatal(err)
			}
			stored[who] = append(stored[who], doc.ID)
		}
	}
	spec := wide
	spec.NoKey = func(id uuid.UUID, cause error) { t.Errorf("%s gets no key: %v", id, cause) }
	g.as(t, spec)
	for who, own := range stored {
		g.wantOf(t, who, "color", "red", every(own, 2, 0)...)
		g.wantOf(t, who, "owner", "o1", every(own, 3, 1)...)
		g.wantOf(t, who, "chassis", "C-5", own[5])
		twin := vehicle{Plate: "another", Chassis: "C-5"}.of(wide, uuid.Must(uuid.NewV7()))
		wantDuplicate(t, "insert", g.Insert(t.Context(), who, twin), "chassis")
	}
}
