package sqlitestore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// takeAll takes all connections.
func takeAll(t *testing.T, r *readers) (taken []*reader) {
	t.Helper()
	for range cap(r.places) {
		one, err := r.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, one)
	}
	return taken
}

// TestOnlyConnectionsInUseAtOnceAreOpened reads one document after another, then takes all connections.
func TestOnlyConnectionsInUseAtOnceAreOpened(t *testing.T) {
	store, collection := opened(t, filepath.Join(t.TempDir(), "a.db"))
	doc := receipt("one")
	if err := collection.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := collection.Get(t.Context(), us, doc.ID); err != nil {
			t.Fatal(err)
		}
	}
	if open := len(store.reads.idle); open != 1 {
		t.Errorf("%d connections are open after one read at a time, want 1", open)
	}
	taken := takeAll(t, store.reads)
	left, leave := context.WithCancel(t.Context())
	leave()
	waited := make(chan error, 1)
	go func() {
		one, err := store.reads.take(t.Context())
		if err == nil {
			store.reads.give(one)
		}
		waited <- err
	}()
	if _, err := store.reads.take(left); !errors.Is(err, context.Canceled) {
		t.Errorf("with all connections in use: error %v", err)
	}
	select {
	case err := <-waited:
		t.Errorf("a read was served with all connections in use: error %v", err)
	default:
	}
	for _, one := range taken {
		store.reads.give(one)
	}
	if err := <-waited; err != nil {
		t.Errorf("the read that waited: %v", err)
	}
	if open := len(store.reads.idle); open != len(taken) {
		t.Errorf("%d connections are open, want %d", open, len(taken))
	}
}

// TestFurtherConnectionIsToTheSameFile moves the database away while it is in use. What is open reads on, and what
// would be another file is not opened.
func TestFurtherConnectionIsToTheSameFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, collection := opened(t, path)
	doc := receipt("one")
	if err := collection.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(path, path+"-away"), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := collection.Get(t.Context(), us, doc.ID); err != nil {
		t.Errorf("by the connection that was open: %v", err)
	}
	first, err := store.reads.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range cap(store.reads.places) + 1 { // a failure takes no place
		if _, err := collection.Get(t.Context(), us, doc.ID); !errors.Is(err, docstore.ErrUnavailable) ||
			!errors.Is(err, errReplaced) {
			t.Errorf("by another connection: error %v", err)
		}
	}
	if err := errors.Join(os.Remove(path), os.Rename(path+"-away", path)); err != nil {
		t.Fatal(err)
	}
	if _, err := collection.Get(t.Context(), us, doc.ID); err != nil {
		t.Errorf("by another connection, when the file is back: %v", err)
	}
	store.reads.give(first)
}
