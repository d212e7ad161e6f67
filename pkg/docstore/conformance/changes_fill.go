package conformance

import (
	"slices"
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// ChangesFill runs the tests of the log of a database that was written before there was a log. database returns what
// opens a new database, again and again, and what removes its log while no store has it open.
func ChangesFill(t *testing.T, size Size,
	database func(t *testing.T) (open func(t *testing.T) docstore.Store, forget func(t *testing.T))) {
	for name, run := range map[string]func(*testing.T, Size, func(*testing.T) docstore.Store, func(*testing.T)){
		"an old database gets its log while others write": fillMeanwhile,
		"it goes on after the store was closed":           fillResumed,
	} {
		t.Run(name, func(t *testing.T) {
			open, forget := database(t)
			run(t, size, open, forget)
		})
	}
}

// old makes a database as a release without a log of changes left it, and returns the versions that it has.
func old(t *testing.T, size Size, open func(*testing.T) docstore.Store, forget func(*testing.T)) map[version]bool {
	t.Helper()
	var stored map[version]bool
	t.Run("before", func(t *testing.T) { stored = logOf(t, size, open(t)).load(t) })
	forget(t)
	return stored
}

func fillMeanwhile(t *testing.T, size Size, open func(*testing.T) docstore.Store, forget func(*testing.T)) {
	before := old(t, size, open, forget)
	l := logOf(t, size, open(t))
	stored := l.load(t)
	for v := range before { // every third is replaced while the log may be filled, the others stay
		if v.collection == policies.Name && v.ID[15]%3 == 0 {
			l.rewrite(t, v.ID)
			v.Version++
		}
		stored[v] = true
	}
	wantWhole(t, l.read(t, "", 100, count(stored)), stored)
}

func fillResumed(t *testing.T, size Size, open func(*testing.T) docstore.Store, forget func(*testing.T)) {
	stored := old(t, size, open, forget)
	for range 3 {
		t.Run("closed at once", func(t *testing.T) {
			l := logOf(t, size, open(t))
			stored[version{policies.Name, docstore.Ref{ID: l.insert(t, nil).ID, Version: 1}}] = true
		})
	}
	l := logOf(t, size, open(t))
	all := l.read(t, "", 100, count(stored))
	wantWhole(t, all, stored)
	if again := l.read(t, "", 1000, len(all)); !slices.Equal(again, all) {
		t.Error("the log has changed after it was filled")
	}
}
