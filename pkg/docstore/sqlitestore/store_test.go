package sqlitestore

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/wait"
)

func TestSettingsThatDurabilityRestsOn(t *testing.T) {
	store, _ := opened(t, filepath.Join(t.TempDir(), "a.db"))
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal"} {
		if got := texts(t, store.writer.conn, "PRAGMA "+pragma, 0); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %v, want %s", pragma, got, want)
		}
	}
}

func TestReopenedStoreHasEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "a.db")
	store, collection := opened(t, path)
	doc := receipt("one")
	if err := collection.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	_, collection = opened(t, path)
	got, err := collection.Get(t.Context(), us, doc.ID)
	if err != nil || string(got.Body) != string(doc.Body) {
		t.Errorf("got %s, error %v", got.Body, err)
	}
	if _, duplicate := docstore.Duplicate(collection.Insert(t.Context(), us, receipt("one"))); !duplicate {
		t.Error("the unique index is gone")
	}
}

func TestIndexAddedLaterHoldsWhatIsStoredFromThenOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, collection := opened(t, path)
	old := receipt("old")
	if err := collection.Insert(t.Context(), us, old); err != nil {
		t.Fatal(err)
	}
	wider := receipts
	wider.Indexes = append([]docstore.Index{{Name: "claimNumber"}}, receipts.Indexes...)
	// An index may also become a unique one.
	wider.Indexes[2].Unique = true
	collection, err := store.Collection(t.Context(), wider)
	if err != nil {
		t.Fatal(err)
	}
	fresh := receipt("fresh")
	fresh.Keys["claimNumber"] = "C-1"
	if err := collection.Insert(t.Context(), us, fresh); err != nil {
		t.Fatal(err)
	}
	old.Version, old.Keys = 1, docstore.Keys{"claimNumber": "C-1", "reverses": "old"}
	for want := 1; want <= 2; want++ {
		docs, err := collection.Find(t.Context(), us,
			docstore.Query{Equal: docstore.Keys{"claimNumber": "C-1"}, Limit: 9})
		if err != nil || len(docs) != want {
			t.Errorf("found %d documents, error %v, want %d", len(docs), err, want)
		}
		if want == 1 {
			if err := collection.Replace(t.Context(), us, old, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	second := receipt("second")
	second.Keys["policyNumber"] = fresh.Keys["policyNumber"]
	if index, _ := docstore.Duplicate(collection.Insert(t.Context(), us, second)); index != "policyNumber" {
		t.Errorf("the index that became unique refused %q", index)
	}
}

func TestSecondStoreOfAFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, _ := opened(t, path)
	if _, err := Open(t.Context(), path); !errors.Is(err, ErrInUse) {
		t.Errorf("second open: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	opened(t, path)
}

func TestCloseEndsTheWritesThatWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, collection := opened(t, path)
	release := hold(t, store)
	var waiting sync.WaitGroup
	docs := make([]docstore.Document, 20)
	for i := range docs {
		docs[i] = receipt(uuid.NewString())
		waiting.Go(func() {
			if err := collection.Insert(t.Context(), us, docs[i]); err != nil {
				t.Errorf("insert: %v", err)
			}
		})
	}
	wait.For(t, "the condition", func() bool { return len(store.writer.queue) == len(docs) })
	closed := make(chan error, 1)
	go func() { closed <- store.Close() }()
	release()
	waiting.Wait()
	if err := <-closed; err != nil {
		t.Errorf("close: %v", err)
	}
	for call, err := range map[string]error{
		"insert": collection.Insert(t.Context(), us, receipt("late")),
		"get":    func() error { _, err := collection.Get(t.Context(), us, docs[0].ID); return err }(),
		"find": func() error {
			_, err := collection.Find(t.Context(), us, docstore.Query{Limit: 1})
			return err
		}(),
		"ping": store.Ping(t.Context()),
	} {
		if !errors.Is(err, docstore.ErrUnavailable) || !errors.Is(err, errClosed) {
			t.Errorf("%s on a closed store: %v", call, err)
		}
	}
	_, collection = opened(t, path)
	for _, doc := range docs {
		if _, err := collection.Get(t.Context(), us, doc.ID); err != nil {
			t.Errorf("get: %v", err)
		}
	}
}

func TestChangeThatFailsTakesItsGroupBack(t *testing.T) {
	store, collection := opened(t, filepath.Join(t.TempDir(), "a.db"))
	release := hold(t, store)
	doc, diskFull := receipt("beside"), errors.New("disk full")
	outcomes := make(chan error, 2)
	go func() { outcomes <- collection.Insert(t.Context(), us, doc) }()
	wait.For(t, "the condition", func() bool { return len(store.writer.queue) == 1 })
	go func() {
		outcomes <- store.writer.do(t.Context(), func(*sqlite3.Conn) error { return diskFull })
	}()
	wait.For(t, "the condition", func() bool { return len(store.writer.queue) == 2 })
	release()
	for range 2 {
		if err := <-outcomes; !errors.Is(err, docstore.ErrUnavailable) || !errors.Is(err, diskFull) {
			t.Errorf("outcome: %v", err)
		}
	}
	if _, err := collection.Get(t.Context(), us, doc.ID); !errors.Is(err, docstore.ErrNotFound) {
		t.Errorf("get of what was taken back: %v", err)
	}
	if err := collection.Insert(t.Context(), us, doc); err != nil {
		t.Errorf("insert afterwards: %v", err)
	}
}

// TestSearchIsBrokenOffWithItsContext ends the context of a search once before its statement begins to run, and once
// after its first row. Neither statement would end by itself.
func TestSearchIsBrokenOffWithItsContext(t *testing.T) {
	store, _ := opened(t, filepath.Join(t.TempDir(), "a.db"))
	const (
		numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`
		// An endless statement without a row: only the interrupt ends it.
		silent = numbers + ` WHERE i < 0`
	)
	// Once for each connection; each must serve again afterwards.
	for range cap(store.reads.idle) {
		for name, end := range map[string]func(stmt *sqlite3.Stmt, cancel func()) error{
			silent: func(stmt *sqlite3.Stmt, cancel func()) error {
				cancel()
				_, err := stmt.Step()
				return err
			},
			numbers: func(stmt *sqlite3.Stmt, cancel func()) error {
				for {
					row, err := stmt.Step()
					if err != nil || !row {
						return err
					}
					cancel()
				}
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			err := store.reads.long(ctx, name, func(stmt *sqlite3.Stmt) error { return end(stmt, cancel) })
			if !errors.Is(err, docstore.ErrUnavailable) || !errors.Is(err, context.Canceled) {
				t.Fatalf("search: %v", err)
			}
		}
		err := store.reads.long(t.Context(), `SELECT 1`, func(stmt *sqlite3.Stmt) error {
			_, err := stmt.Step()
			return err
		})
		if err != nil {
			t.Fatalf("the search that follows: %v", err)
		}
	}
}

// opened opens a store and its collection of receipts, and closes it after the test.
func opened(t *testing.T, path string) (*Store, docstore.Collection) {
	t.Helper()
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	collection, err := store.Collection(t.Context(), receipts)
	if err != nil {
		t.Fatal(err)
	}
	return store, collection
}

func receipt(reverses string) docstore.Document {
	return docstore.Document{
		ID: uuid.Must(uuid.NewV7()), Body: []byte(`{"paymentAmount":100}`),
		Keys: docstore.Keys{"reverses": reverses, "policyNumber": "M-" + reverses},
	}
}

// hold keeps the writer busy until release is called.
func hold(t *testing.T, store *Store) (release func()) {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	go func() {
		_ = store.writer.do(t.Context(), func(*sqlite3.Conn) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	return func() { close(free) }
}
