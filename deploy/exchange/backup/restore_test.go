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
)

// empty makes the file of an exchange, without records, and returns the spec of one of its collections.
func empty(t *testing.T, data string) (of docstore.Spec) {
	t.Helper()
	services, err := allinone.CallersFirst()
	if err != nil {
		t.Fatal(err)
	}
	file, err := sqlitestore.Open(t.Context(), allinone.RecordsFile(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range services {
		inspected, err := s.Inspected()
		if err != nil {
			t.Fatal(err)
		}
		store := file.Of(s.Name)
		for _, c := range inspected.Collections {
			if _, err := store.Collection(t.Context(), c.Spec); err != nil {
				t.Error(err)
			}
			if c.Name == "policyWording" {
				of = c.Spec
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return of
}

// TestRestoreFollowsNoLink puts a link in the place of a file of a backup.
func TestRestoreFollowsNoLink(t *testing.T) {
	data, backup, restored := t.TempDir(), filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "r")
	empty(t, data)
	if _, err := take(t.Context(), data, backup, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"exchange.db", sumOf("exchange.db")} {
		path, elsewhere := filepath.Join(backup, name), filepath.Join(t.TempDir(), name)
		if err := errors.Join(os.Rename(path, elsewhere), os.Symlink(elsewhere, path)); err != nil {
			t.Fatal(err)
		}
		if err := restore(t.Context(), backup, restored, io.Discard); err == nil ||
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
	if err := restore(t.Context(), backup, restored, io.Discard); err != nil {
		t.Errorf("as it was made: %v", err)
	}
}

// TestPositionsOfTheFormerLogAreUnknown goes on reading where the former exchange was beyond its backup.
func TestPositionsOfTheFormerLogAreUnknown(t *testing.T) {
	data, backup, restored := t.TempDir(), filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "r")
	spec := empty(t, data)
	// write adds some documents to a folder and returns the end of their log.
	write := func(folder string) docstore.Position {
		t.Helper()
		file, err := sqlitestore.Open(t.Context(), allinone.RecordsFile(folder))
		if err != nil {
			t.Fatal(err)
		}
		store := file.Of("products")
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
		end, err := c.EndOfChanges(t.Context(), organisation.Sole())
		if err = errors.Join(err, store.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		return end
	}
	write(data)
	if _, err := take(t.Context(), data, backup, io.Discard); err != nil {
		t.Fatal(err)
	}
	beyond := write(data)
	if err := restore(t.Context(), backup, restored, io.Discard); err != nil {
		t.Fatal(err)
	}
	write(restored)
	write(restored) // it has as many entries as the former one had
	file, err := sqlitestore.Open(t.Context(), allinone.RecordsFile(restored))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	store := file.Of("products")
	defer store.Close()
	c, err := store.Collection(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Changes(t.Context(), organisation.Sole(), beyond, 1); !errors.Is(err, docstore.ErrPosition) {
		t.Errorf("a position of the former log: %v", err)
	}
	if page, err := c.Changes(t.Context(), organisation.Sole(), "", 100); err != nil || len(page.Changes) != 9 {
		t.Errorf("%d entries, error %v", len(page.Changes), err)
	}
}
