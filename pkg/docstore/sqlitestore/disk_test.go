package sqlitestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
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

// TestPingWritesUnlessAWriteHasJustSucceeded: only a write shows that the disk has room.
func TestPingWritesUnlessAWriteHasJustSucceeded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, collection := opened(t, path)
	if err := collection.Insert(t.Context(), us, receipt("stored")); err != nil {
		t.Fatal(err)
	}
	log := func() int64 {
		t.Helper()
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	ping := func() error {
		t.Helper()
		return store.Ping(t.Context())
	}
	before := log()
	if err := ping(); err != nil || log() != before {
		t.Errorf("after a write, ping: %v, and the log has %d bytes and had %d", err, log(), before)
	}
	if err := store.writer.do(t.Context(), func(*sqlite3.Conn) error {
		store.writer.proven = time.Now().Add(-provenFor)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := ping(); err != nil || log() == before {
		t.Errorf("long after a write, ping: %v, and the log has %d bytes as before", err, before)
	}
	texts(t, store.writer.conn, "PRAGMA query_only = ON", 0)
	for range 2 {
		if err := ping(); !errors.Is(err, docstore.ErrUnavailable) || !strings.Contains(err.Error(), path) {
			t.Errorf("while nothing can be written, ping: %v", err)
		}
	}
	texts(t, store.writer.conn, "PRAGMA query_only = OFF", 0)
	if err := ping(); err != nil {
		t.Errorf("ping in the end: %v", err)
	}
}
