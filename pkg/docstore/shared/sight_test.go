package shared_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

func named(t *testing.T, name string) organisation.ID {
	t.Helper()
	who, err := organisation.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPagesOfWhatIsShared reads the records of a participant page by page, its own among those of two policies that are
// shared with it, in both orders, and with records left out.
func TestPagesOfWhatIsShared(t *testing.T) {
	below, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	must(t, err)
	t.Cleanup(func() { must(t, below.Close()) })
	store := shared.Of(below, shared.Settings{On: true, Default: "acme"})
	records, err := store.Collection(t.Context(), docstore.Spec{
		Name: "record", SharedBy: "policyNumber", Indexes: []docstore.Index{{Name: "policyNumber"}, {Name: "kind"}},
		Keys: func(doc docstore.Document) (keys docstore.Keys, err error) {
			return keys, json.Unmarshal(doc.Body, &keys)
		},
	})
	must(t, err)
	acme, zenith := named(t, "acme"), named(t, "zenith")
	var seen, even []uuid.UUID
	for i := range 120 {
		number := []string{"SHARED-1", "SHARED-2", "KEPT", "OWN"}[i%4]
		kind := []string{"odd", "even"}[i/4%2]
		who := acme
		if number == "OWN" {
			who = zenith
		}
		id, err := docstore.NewID(uuid.Nil)
		must(t, err)
		doc := docstore.Document{ID: id, Keys: docstore.Keys{"policyNumber": number, "kind": kind}}
		doc.Body, err = json.Marshal(doc.Keys)
		must(t, err)
		must(t, records.Insert(t.Context(), who, doc))
		if number == "KEPT" {
			continue
		}
		seen = append(seen, id)
		if kind == "even" {
			even = append(even, id)
		}
	}
	lists, err := shared.OpenLists(t.Context(), store, time.Now)
	must(t, err)
	sharing := docstore.SharingOf(records)
	for _, number := range []string{"SHARED-1", "SHARED-2"} {
		change := shared.Change{PolicyNumber: number, Owner: "acme", After: new(int64),
			Participants: []shared.Participant{{Organisation: "zenith", Rights: []string{shared.ReadRight}}}}
		begun, err := lists.Make(t.Context(), change)
		must(t, err)
		change.After, change.Sequence, change.Grant = nil, begun.Sequence, true
		_, err = lists.Make(t.Context(), change)
		must(t, err)
		must(t, sharing.Stamp(t.Context(), acme, number))
		_, err = lists.Finish(t.Context(), change)
		must(t, err)
	}
	reversed := slices.Clone(seen)
	slices.Reverse(reversed)
	for _, c := range []struct {
		query docstore.Query
		want  []uuid.UUID
	}{
		{docstore.Query{Limit: 7, Settled: true}, seen},
		{docstore.Query{Limit: 200, Settled: true}, seen},
		{docstore.Query{Limit: 7, Descending: true}, reversed},
		{docstore.Query{Limit: 50, Skip: 33}, seen[33:]},
		{docstore.Query{Limit: 9, Bytes: 200}, seen},
		{docstore.Query{Limit: 4, Equal: docstore.Keys{"kind": "even"}, Settled: true}, even},
		{docstore.Query{
			Limit: 4, Ranges: []docstore.Range{{Index: "kind", From: "even", To: "even"}}, Near: true,
		}, even},
	} {
		if got := pages(t, records, zenith, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %d records, want %d", c.query, len(got), len(c.want))
		}
	}
	if got := pages(t, records, named(t, "orion"), docstore.Query{Limit: 7}); len(got) > 0 {
		t.Errorf("another organisation sees %d records", len(got))
	}
	if got := pages(t, records, zenith, docstore.Query{Limit: 7, Own: true}); len(got) != 30 {
		t.Errorf("its own are %d records", len(got))
	}
}

// pages reads a query page by page. A page ends before a document without a body.
func pages(t *testing.T, from docstore.Collection, who organisation.ID, q docstore.Query) (all []uuid.UUID) {
	t.Helper()
	for {
		docs, err := from.Find(t.Context(), who, q)
		must(t, err)
		q.Skip = 0
		more := len(docs) == q.Limit
		for _, doc := range docs {
			if doc.Body == nil {
				more = true
				break
			}
			all, q.After = append(all, doc.ID), doc.ID
		}
		if !more || len(docs) == 0 {
			return all
		}
	}
}
