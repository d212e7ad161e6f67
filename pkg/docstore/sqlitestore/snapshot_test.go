package sqlitestore_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

var letters = docstore.Spec{Name: "letter", Indexes: []docstore.Index{{Name: "number", Unique: true}}}

// lettersIn opens the collection of a database, which the end of the test closes.
func lettersIn(t *testing.T, path string) docstore.Collection {
	t.Helper()
	store := open(t, path)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	collection, err := store.Collection(t.Context(), letters)
	if err != nil {
		t.Fatal(err)
	}
	return collection
}

func write(ctx context.Context, collection docstore.Collection) error {
	id := uuid.Must(uuid.NewV7())
	return collection.Insert(ctx, us,
		docstore.Document{ID: id, Body: make([]byte, 3000), Keys: docstore.Keys{"number": id.String()}})
}

func count(t *testing.T, collection docstore.Collection) int {
	t.Helper()
	docs, err := collection.Find(t.Context(), us, docstore.Query{Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	return len(docs)
}

// snapshot takes a snapshot, which the end of the test closes.
func snapshot(t *testing.T, path string) *sqlitestore.Snapshot {
	t.Helper()
	s, err := sqlitestore.OpenSnapshot(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func faults(t *testing.T, path string) []string {
	t.Helper()
	s, err := sqlitestore.OpenSnapshot(path)
	if err != nil {
		t.Fatal(err)
	}
	faults, err := s.Faults(t.Context())
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return faults
}

// TestACopyIsTheDatabaseAtTheInstantOfItsSnapshot writes before the snapshot, between it and the copy, and while it
// is copied. Only what was written before is in the copy.
func TestACopyIsTheDatabaseAtTheInstantOfItsSnapshot(t *testing.T) {
	path, to := fresh(t), fresh(t)
	collection := lettersIn(t, path)
	const before = 1000
	for range before {
		if err := write(t.Context(), collection); err != nil {
			t.Fatal(err)
		}
	}
	s := snapshot(t, path)
	if err := write(t.Context(), collection); err != nil {
		t.Fatal(err)
	}
	copied := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		for {
			if err := write(t.Context(), collection); err != nil {
				t.Error(err)
			}
			select {
			case <-copied:
				return
			default:
			}
		}
	})
	var last, total int64
	steps := 0
	err := s.Copy(t.Context(), to, func(done, of int64) error {
		last, total = done, of
		if steps++; steps > before {
			return errors.New("the copy begins again whenever something is written")
		}
		return write(t.Context(), collection)
	})
	close(copied)
	writers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || info.Size() != total || last != total {
		t.Errorf("mode %v, size %d; progress %d of %d", info.Mode(), info.Size(), last, total)
	}
	if files, _ := filepath.Glob(to + "*"); len(files) != 1 {
		t.Errorf("the copy is %v", files)
	}
	if faults := faults(t, to); len(faults) > 0 {
		t.Error(faults)
	}
	if n := count(t, lettersIn(t, to)); n != before {
		t.Errorf("the copy has %d documents, want %d", n, before)
	}
}

func TestTheFaultsOfADamagedFileAreNamed(t *testing.T) {
	path, to := fresh(t), fresh(t)
	collection := lettersIn(t, path)
	for range 100 {
		if err := write(t.Context(), collection); err != nil {
			t.Fatal(err)
		}
	}
	if err := snapshot(t, path).Copy(t.Context(), to, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []struct {
		name     string
		from, to int
	}{
		{"a page in the middle", len(data) / 2, len(data)/2 + 4096},
		{"the second half", len(data) / 2, len(data)},
	} {
		damaged := append([]byte(nil), data...)
		clear(damaged[damage.from:damage.to])
		file := fresh(t)
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if faults := faults(t, file); len(faults) == 0 {
			t.Errorf("%s: no faults", damage.name)
		}
	}
	no := fresh(t)
	if err := os.WriteFile(no, []byte("this is no database, whatever its name says"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitestore.OpenSnapshot(no); !errors.Is(err, docstore.ErrUnavailable) {
		t.Error(err)
	}
}

func TestWhatCannotBeCopied(t *testing.T) {
	path := fresh(t)
	if _, err := sqlitestore.OpenSnapshot(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := write(t.Context(), lettersIn(t, path)); err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, path)
	if err := s.Copy(t.Context(), path, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there is written over: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Copy(ctx, fresh(t), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := s.Faults(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
