package store_test

import (
	"testing"

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

func TestConformanceOfMigrations(t *testing.T) {
	conformance.Migrations(t, func(t *testing.T) func(t *testing.T) docstore.Store {
		d := newDatabase(t)
		return func(t *testing.T) docstore.Store {
			store, err := mongostore.Options{URI: uri(t)}.Open(t.Context(), d.name)
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
