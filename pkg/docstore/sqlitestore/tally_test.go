package sqlitestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// killed writes as a crash leaves them the files of a database that holds some documents in its file and others only
// in its log, and returns their ids.
func killed(t *testing.T, path string) (ids []uuid.UUID) {
	t.Helper()
	running := filepath.Join(t.TempDir(), "a.db")
	store, collection := opened(t, running)
	for nth := range 40 {
		doc := receipt(fmt.Sprint(nth))
		if err := collection.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		if nth == 30 {
			if err := store.writer.do(t.Context(), func(*sqlite3.Conn) error { return nil }); err != nil {
				t.Fatal(err)
			}
			texts(t, store.writer.conn, "PRAGMA wal_checkpoint(FULL)", 0)
		}
		ids = append(ids, doc.ID)
	}
	for _, suffix := range []string{"", "-wal", "-tally"} {
		content, err := os.ReadFile(running + suffix)
		if err == nil {
			err = os.WriteFile(path+suffix, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// cut shortens a file to a number of bytes.
func cut(t *testing.T, path string, bytes int64) {
	t.Helper()
	if err := os.Truncate(path, bytes); err != nil {
		t.Fatal(err)
	}
}

func TestLossIsRefusedAtTheStart(t *testing.T) {
	remove := func(t *testing.T, path string) {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		lose func(t *testing.T, path string)
		says string
	}{
		"the log is gone": {func(t *testing.T, path string) { remove(t, path+"-wal") },
			"transactions, and held 4"},
		"the log is empty": {func(t *testing.T, path string) { cut(t, path+"-wal", 0) },
			"transactions, and held 4"},
		"the end of the log is gone": {func(t *testing.T, path string) { cut(t, path+"-wal", 10*pageSize) },
			"transactions, and held 4"},
		"the database is gone": {remove, "it has 0 bytes, and had "},
		"the end of the database is gone": {func(t *testing.T, path string) { cut(t, path, size(t, path)-pageSize) },
			"bytes, and had "},
		"the database is an empty one": {func(t *testing.T, path string) { cut(t, path, 0) },
			"it has 0 bytes, and had "},
		"another database is in its place": {another, "it holds 0 transactions, and held 4"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			killed(t, path)
			c.lose(t, path)
			for range 2 { // a refused start changes nothing of that
				store, err := Open(t.Context(), path)
				if err == nil {
					_ = store.Close()
				}
				if !errors.Is(err, ErrLost) || !errors.Is(err, docstore.ErrUnavailable) {
					t.Fatalf("error %v, want ErrLost", err)
				}
				for _, words := range []string{path, c.says, "restore a backup", "remove " + path + "-tally"} {
					if !strings.Contains(err.Error(), words) {
						t.Errorf("%q does not say %q", err, words)
					}
				}
			}
		})
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// another puts a database that is larger in the place of the one at path, as an older release left it: without a tally.
func another(t *testing.T, path string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other.db")
	store, collection := opened(t, other)
	for nth := range 20 {
		doc := receipt(fmt.Sprint(nth))
		doc.Body = fmt.Appendf(nil, `{"note":%q}`, strings.Repeat("x", 20_000))
		if err := collection.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, other, "DROP TABLE "+quoted(tallyTable))
	if err := errors.Join(os.Remove(path+"-wal"), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
}

// run runs a statement as another program does, which copies the log into the file when it ends.
func run(t *testing.T, path, sql string) {
	t.Helper()
	conn, err := connect(path, sqlite3.ReadWrite, []string{sql})
	if err == nil {
		err = conn.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestStartAfterACrashOrAfterAnAcceptedLoss(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, path string) error
		kept   int
	}{
		"after a crash": {func(*testing.T, string) error { return nil }, 40},
		"after another program has opened it": {func(t *testing.T, path string) error {
			run(t, path, "SELECT count(*) FROM receipts")
			if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("the log is still there: %w", err)
			}
			return nil
		}, 40},
		"without its note": {func(_ *testing.T, path string) error { return os.Remove(path + "-tally") }, 40},
		"an accepted loss": {func(_ *testing.T, path string) error {
			return errors.Join(os.Remove(path+"-wal"), os.Remove(path+"-tally"))
		}, 31},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			ids := killed(t, path)
			if err := c.change(t, path); err != nil {
				t.Fatal(err)
			}
			_, collection := opened(t, path)
			for nth, id := range ids {
				_, err := collection.Get(t.Context(), us, id)
				if kept := err == nil; kept != (nth < c.kept) {
					t.Errorf("document %d: %v", nth, err)
				}
			}
		})
	}
}

// TestPingFailsWhileNothingCanBeWritten has every transaction fail that changes something, as on a full disk. Ping
// says so without another write, and no longer once there is room.
func TestPingFailsWhileNothingCanBeWritten(t *testing.T) {
	for name, before := range map[string]func(t *testing.T, store *Store, collection docstore.Collection){
		"a write has failed": func(t *testing.T, _ *Store, collection docstore.Collection) {
			if err := collection.Insert(t.Context(), us, receipt("refused")); !errors.Is(err, docstore.ErrUnavailable) {
				t.Fatalf("insert: %v", err)
			}
		},
		"the last write was long ago": func(t *testing.T, store *Store, _ docstore.Collection) {
			if err := store.writer.do(t.Context(), func(*sqlite3.Conn) error {
				store.writer.proven = time.Now().Add(-provenFor)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			store, collection := opened(t, path)
			if err := collection.Insert(t.Context(), us, receipt("stored")); err != nil {
				t.Fatal(err)
			}
			texts(t, store.writer.conn,
				`CREATE TEMP TRIGGER full BEFORE UPDATE ON `+quoted(
					tallyTable)+` BEGIN SELECT RAISE(FAIL, 'no room'); END`, 0)
			before(t, store, collection)
			for range 2 {
				err := store.Ping(t.Context())
				if !errors.Is(err, docstore.ErrUnavailable) || !strings.Contains(err.Error(), path) ||
					!strings.Contains(err.Error(), "no room") {
					t.Errorf("ping: %v", err)
				}
			}
			texts(t, store.writer.conn, `DROP TRIGGER full`, 0)
			if err := store.Ping(t.Context()); err != nil {
				t.Errorf("ping with room again: %v", err)
			}
		})
	}
}
