package store_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
	"insurance.example/exchange/pkg/docstore/mongostore"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Full, func(t *testing.T) docstore.Store {
		store, _ := open(t)
		return store
	})
}

// TestFollowersOfSeveralProcesses has three processes write, while one of them follows the pages.
func TestFollowersOfSeveralProcesses(t *testing.T) {
	d := newDatabase(t)
	conformance.Following(t, 50, d.open(t, uri(t)), d.open(t, uri(t)), d.open(t, uri(t)))
}

func TestConformanceOfRanges(t *testing.T) {
	conformance.Ranges(t, func(t *testing.T) docstore.Store {
		store, _ := open(t)
		return store
	})
}

func TestConformanceOfBackfill(t *testing.T) {
	conformance.Backfill(t, func(t *testing.T) func(t *testing.T) docstore.Store {
		d := newDatabase(t)
		return func(t *testing.T) docstore.Store {
			store, err := mongostore.Open(t.Context(), uri(t), d.name)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
	})
}

func TestConformanceOfChanges(t *testing.T) {
	conformance.Changes(t, conformance.Full, func(t *testing.T) docstore.Store {
		store, _ := open(t)
		return store
	})
}

func TestConformanceOfChangesFill(t *testing.T) {
	conformance.ChangesFill(t, conformance.Full,
		func(t *testing.T) (func(t *testing.T) docstore.Store, func(t *testing.T)) {
			d := newDatabase(t)
			return func(t *testing.T) docstore.Store {
				store, err := mongostore.Open(t.Context(), uri(t), d.name)
				if err != nil {
					t.Fatal(err)
				}
				return store
			}, d.forgetLog
		})
}

// forgetLog makes a database as if a release without the log of changes had written it.
func (d database) forgetLog(t *testing.T) {
	t.Helper()
	for _, name := range []string{"log.head", "log.segments"} {
		if err := d.Collection(name).Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"policies", "renewals"} {
		_, err := d.Collection(name).UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$unset", Value: bson.D{
			{Key: "i", Value: ""}, {Key: "g", Value: ""}, {Key: "s", Value: ""},
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
}
