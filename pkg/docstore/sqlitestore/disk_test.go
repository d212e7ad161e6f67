package sqlitestore

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// TestFullDatabaseRefusesWrites lets SQLite find no room for another page, as on a full disk. The write is refused as
// unavailable, with the file and the remedy, what is stored can be read, and writes succeed once there is room.
func TestFullDatabaseRefusesWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, collection := opened(t, path)
	stored := receipt("stored")
	if err := collection.Insert(t.Context(), us, stored); err != nil {
		t.Fatal(err)
	}
	pages := texts(t, store.writer.conn, "PRAGMA page_count", 0)[0]
	texts(t, store.writer.conn, "PRAGMA max_page_count = "+pages, 0)
	var refused error
	for nth := 0; refused == nil; nth++ {
		doc := receipt(fmt.Sprint(nth))
		doc.Body = fmt.Appendf(nil, `{"note":%q}`, strings.Repeat("x", 2000))
		refused = collection.Insert(t.Context(), us, doc)
	}
	if !errors.Is(refused, docstore.ErrUnavailable) {
		t.Errorf("the error is not docstore.ErrUnavailable: %v", refused)
	}
	for _, words := range []string{path, "its disk is full", "free some space"} {
		if !strings.Contains(refused.Error(), words) {
			t.Errorf("%q does not say %q", refused, words)
		}
	}
	if _, err := collection.Get(t.Context(), us, stored.ID); err != nil {
		t.Errorf("get: %v", err)
	}
	texts(t, store.writer.conn, "PRAGMA max_page_count = 1000000", 0)
	if err := collection.Insert(t.Context(), us, receipt("afterwards")); err != nil {
		t.Errorf("insert with room again: %v", err)
	}
}
