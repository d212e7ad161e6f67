package shared_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

// TestSharingDoesNotGrowTheStore shares a policy with ever other organisations, two at a time, and counts what is kept
// about that.
func TestSharingDoesNotGrowTheStore(t *testing.T) {
	const records, cycles = 5, 12
	below, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	must(t, err)
	t.Cleanup(func() { must(t, below.Close()) })
	store := shared.Of(below, shared.Settings{On: true, Default: "acme"})
	all, err := store.Collection(t.Context(), docstore.Spec{
		Name: "record", SharedBy: "policyNumber",
		Indexes: []docstore.Index{{Name: "policyNumber"}, {Name: "number", Unique: true, Global: true}},
		Keys: func(doc docstore.Document) (keys docstore.Keys, err error) {
			return keys, json.Unmarshal(doc.Body, &keys)
		},
	})
	must(t, err)
	var made int
	add := func() {
		made++
		id, err := docstore.NewID(uuid.Nil)
		must(t, err)
		doc := docstore.Document{ID: id, Keys: docstore.Keys{"policyNumber": "P", "number": fmt.Sprint(made)}}
		doc.Body, err = json.Marshal(doc.Keys)
		must(t, err)
		must(t, all.Insert(t.Context(), named(t, "acme"), doc))
	}
	for range records {
		add()
	}
	lists, err := shared.OpenLists(t.Context(), store, time.Now)
	must(t, err)
	sharing, err := docstore.As[docstore.Sharing](all)
	must(t, err)
	share := func(with ...string) {
		t.Helper()
		change := shared.Change{PolicyNumber: "P", Owner: "acme", After: new(int64)}
		if was, err := lists.Of(t.Context(), "P"); err != nil || was != nil {
			must(t, err)
			change.After = &was.Sequence
		}
		for _, name := range with {
			change.Participants = append(change.Participants,
				shared.Participant{Organisation: name, Rights: []string{shared.ReadRight}})
		}
		begun, err := lists.Make(t.Context(), change)
		must(t, err)
		change.After, change.Sequence, change.Grant = nil, begun.Sequence, true
		_, err = lists.Make(t.Context(), change)
		must(t, err)
		must(t, sharing.Stamp(t.Context(), named(t, "acme"), "P"))
		_, err = lists.Finish(t.Context(), change)
		must(t, err)
	}
	// sees returns how many records an organisation finds in a list, by number and by id.
	sees := func(name string) (found int) {
		t.Helper()
		who := named(t, name)
		own := pages(t, all, who, docstore.Query{Limit: 100})
		for i := range made {
			docs, err := all.Find(t.Context(), who, docstore.Query{
				Equal: docstore.Keys{"number": fmt.Sprint(i + 1)}, Limit: 1,
			})
			must(t, err)
			if len(docs) == 1 {
				found++
				_, err := all.Get(t.Context(), who, docs[0].ID)
				must(t, err)
			}
		}
		if found != len(own) {
			t.Errorf("%s finds %d records, and %d in a list", name, found, len(own))
		}
		return found
	}
	name := func(i int) string { return fmt.Sprintf("o%d", i) }
	for i := range cycles {
		share(name(i), name(i+1))
		for j := range cycles + 1 {
			want := 0
			if j == i || j == i+1 {
				want = made
			}
			if got := sees(name(j)); got != want {
				t.Fatalf("cycle %d: %s sees %d of %d records", i, name(j), got, want)
			}
		}
		share()
		if got := sees(name(i)); got != 0 {
			t.Fatalf("cycle %d: %s sees %d records after the sharing has ended", i, name(i), got)
		}
	}
	share(name(0), name(1))
	add()
	if got := sees(name(1)); got != made {
		t.Errorf("%d of %d records are seen with the one that was added", got, made)
	}
	for collection, want := range map[string]int{"accessList": 1, "accessGrant": 2, "accessStamp": 2 * made} {
		kept, err := below.Collection(t.Context(), docstore.Spec{
			Name: collection, Unlogged: true, Unowned: true,
		})
		must(t, err)
		docs, err := kept.Find(t.Context(), organisation.Exchange(), docstore.Query{Limit: 1000})
		must(t, err)
		if len(docs) != want {
			t.Errorf("%s has %d documents, want %d", collection, len(docs), want)
		}
	}
}
