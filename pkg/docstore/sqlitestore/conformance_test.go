package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, size(), func(t *testing.T) docstore.Store { return open(t, fresh(t)) })
}

func TestConformanceOfMigrations(t *testing.T) {
	conformance.Migrations(t, func(t *testing.T) func(t *testing.T) docstore.Store {
		path := fresh(t)
		return func(t *testing.T) docstore.Store { return open(t, path) }
	})
}

// fresh returns the path of a database that does not exist.
func fresh(t testing.TB) string { return filepath.Join(t.TempDir(), "exchange.db") }

func open(t testing.TB, path string) *sqlitestore.Store {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestConformanceOfRanges(t *testing.T) {
	conformance.Ranges(t, func(t *testing.T) docstore.Store { return open(t, fresh(t)) })
}

func TestConformanceOfChanges(t *testing.T) {
	conformance.Changes(t, size(), func(t *testing.T) docstore.Store { return open(t, fresh(t)) })
}

// size returns how much is stored and asked; little with -short.
func size() conformance.Size {
	if testing.Short() {
		return conformance.Small
	}
	return conformance.Full
}
