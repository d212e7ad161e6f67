package backup

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/rest"
)

// empty makes the database of a service, without records.
func empty(t *testing.T, service rest.Service, data string) {
	t.Helper()
	inspected, err := service.Inspected()
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlitestore.Open(t.Context(), allinone.StoreFile(data, service.Name))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range inspected.Collections {
		if _, err := store.Collection(t.Context(), c.Spec); err != nil {
			t.Error(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreFollowsNoLink puts a link in the place of a file of a backup.
func TestRestoreFollowsNoLink(t *testing.T) {
	data, backup, restored := t.TempDir(), filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "r")
	services, err := allinone.CallersFirst()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range services {
		empty(t, s, data)
	}
	if _, err := take(t.Context(), data, backup, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parties.db", manifestFile} {
		path, elsewhere := filepath.Join(backup, name), filepath.Join(t.TempDir(), name)
		if err := errors.Join(os.Rename(path, elsewhere), os.Symlink(elsewhere, path)); err != nil {
			t.Fatal(err)
		}
		if _, err := restore(t.Context(), backup, restored, io.Discard); err == nil ||
			!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "link") {
			t.Errorf("with a link in the place of %s: %v", name, err)
		}
		if _, err := os.Stat(restored); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("something was restored: %v", err)
		}
		if err := errors.Join(os.Remove(path), os.Rename(elsewhere, path)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := restore(t.Context(), backup, restored, io.Discard); err != nil {
		t.Errorf("as it was made: %v", err)
	}
}

// TestPositionsOfTheFormerLogAreUnknown goes on reading where the former exchange was beyond its backup.
func TestPositionsOfTheFormerLogAreUnknown(t *testing.T) {
	data, backup, restored := t.TempDir(), filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "r")
	services, err := allinone.CallersFirst()
	if err != nil {
		t.Fatal(err)
	}
	var spec docstore.Spec
	for _, s := range services {
		inspected, err := s.Inspected()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range inspected.Collections {
			if c.Name == "policyWording" {
				spec = c.Spec
			}
		}
	}
	// write adds some documents to a folder and returns the end of their log.
	write := func(folder string) docstore.Position {
		t.Helper()
		store, err := sqlitestore.Open(t.Context(), allinone.StoreFile(folder, "products"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := store.Collection(t.Context(), spec)
		for range 3 {
			var id uuid.UUID
			if err == nil {
				id, err = docstore.NewID(id)
			}
			if err == nil {
				err = c.Insert(t.Context(), organisation.Sole(), docstore.Document{ID: id, Body: []byte("{}")})
			}
		}
		log, errOfLog := docstore.As[docstore.Changes](c)
		if err = errors.Join(err, errOfLog); err != nil {
			t.Fatal(err)
		}
		end, err := log.EndOfChanges(t.Context(), organisation.Sole())
		if err = errors.Join(err, store.Close()); err != nil {
			t.Fatal(err)
		}
		return end
	}
	for _, s := range services {
		empty(t, s, data)
	}
	write(data)
	if _, err := take(t.Context(), data, backup, io.Discard); err != nil {
		t.Fatal(err)
	}
	beyond := write(data)
	if _, err := restore(t.Context(), backup, restored, io.Discard); err != nil {
		t.Fatal(err)
	}
	write(restored)
	write(restored) // it has as many entries as the former one had
	store, err := sqlitestore.Open(t.Context(), allinone.StoreFile(restored, "products"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c, err := store.Collection(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	log, err := docstore.As[docstore.Changes](c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Changes(t.Context(), organisation.Sole(), beyond, 1); !errors.Is(err, docstore.ErrPosition) {
		t.Errorf("a position of the former log: %v", err)
	}
	if page, err := log.Changes(t.Context(), organisation.Sole(), "", 100); err != nil || len(page.Changes) != 9 {
		t.Errorf("%d entries, error %v", len(page.Changes), err)
	}
}

// TestAnExchangeOfTheLastReleaseLacksWhatWasAdded backs up and restores one that does not have the database of a new
// service.
func TestAnExchangeOfTheLastReleaseLacksWhatWasAdded(t *testing.T) {
	data, backup, restored := t.TempDir(), filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "r")
	lacking := ""
	services, err := allinone.CallersFirst()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range services {
		if allinone.Added(s.Name) {
			lacking = allinone.StoreFile(restored, s.Name)
			continue
		}
		empty(t, s, data)
	}
	if _, err := take(t.Context(), data, backup, io.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := restore(t.Context(), backup, restored, io.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(lacking); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", lacking, err)
	}
	if err := os.Remove(filepath.Join(backup, "parties.db")); err != nil {
		t.Fatal(err)
	}
	if _, err := restore(t.Context(), backup, filepath.Join(t.TempDir(), "r"), io.Discard); err == nil {
		t.Error("a backup that lacks parties.db is restored")
	}
}
