package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, size(), func(t *testing.T) docstore.Store { return open(t, fresh(t)) })
}

func TestConformanceOfBackfill(t *testing.T) {
	conformance.Backfill(t, func(t *testing.T) func(t *testing.T) docstore.Store {
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

// TestConformanceOfOldLogs removes all that an earlier release would not have made.
func TestConformanceOfOldLogs(t *testing.T) {
	database := func(t *testing.T) (func(*testing.T) docstore.Store, func(*testing.T)) {
		path := fresh(t)
		forget := func(t *testing.T) {
			for _, sql := range []string{
				`DROP TABLE "log of changes"`, `DROP TABLE "collections of the log"`,
			} {
				if _, err := sqlitetest.Exec(path, sql); err != nil {
					t.Fatal(err)
				}
			}
		}
		return func(t *testing.T) docstore.Store { return open(t, path) }, forget
	}
	conformance.ChangesFill(t, size(), database)
}

// size returns how much is stored and asked; little with -short.
func size() conformance.Size {
	if testing.Short() {
		return conformance.Small
	}
	return conformance.Full
}
