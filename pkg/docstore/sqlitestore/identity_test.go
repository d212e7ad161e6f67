package sqlitestore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFileOfALaterReleaseIsRefused gives a file the version that a later release would.
func TestAFileOfALaterReleaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claims.db")
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, as := range []Identity{{Service: "claims"}, {Service: "parties", Exchange: "one"}, {Exchange: "two"}} {
		is, err := store.Identify(t.Context(), as)
		if err != nil || is.Service != "claims" || is.Exchange != "one" && as.Exchange != "" {
			t.Errorf("asked for %+v, the database is %+v (%v)", as, is, err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	const userVersion = 60 // where the header of a database of SQLite has it, in four bytes
	if _, err := file.WriteAt([]byte{0, 0, 0, schemaVersion + 1}, userVersion); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "later release") ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("opening it: %v", err)
	}
	if _, err := OpenSnapshot(path); err == nil || !strings.Contains(err.Error(), "later release") {
		t.Errorf("a snapshot of it: %v", err)
	}
}
