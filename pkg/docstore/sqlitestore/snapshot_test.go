package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
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

// TestASnapshotIsAStoreThatStaysAsItWas reads a snapshot in the names of two organisations while the store goes on.
func TestASnapshotIsAStoreThatStaysAsItWas(t *testing.T) {
	ctx, path := t.Context(), fresh(t)
	store, err := sqlitestore.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	spec := docstore.Spec{Name: "thing", Indexes: []docstore.Index{{Name: "code", Unique: true}, {Name: "of"}}}
	written, err := store.Collection(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	var owners []organisation.ID
	for _, name := range []string{"acme", "zenith"} {
		owner, err := organisation.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		owners = append(owners, owner)
	}
	var docs []docstore.Document
	for i := range 7 {
		doc := docstore.Document{Body: fmt.Appendf(nil, `{"code":"%d"}`, i/2), State: []byte(`{"made":true}`),
			Keys: docstore.Keys{"code": fmt.Sprint(i / 2), "of": "all"}}
		if doc.ID, err = docstore.NewID(doc.ID); err != nil {
			t.Fatal(err)
		}
		if err := written.Insert(ctx, owners[i%2], doc); err != nil {
			t.Fatal(err)
		}
		doc.Version = 1
		docs = append(docs, doc)
	}
	replace := func(version int64) {
		t.Helper()
		docs[0].Version = version
		former := &docstore.Former{Version: version, Body: docs[0].Body, Key: fmt.Sprint("key ", version)}
		if err := written.Replace(ctx, owners[0], docs[0], former); err != nil {
			t.Fatal(err)
		}
	}
	replace(1)
	was := snapshot(t, path)
	reads, err := was.Collection(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	look := func(in docstore.Collection) (seen []any) {
		t.Helper()
		for _, who := range append(owners, organisation.Exchange(), organisation.Sole()) {
			found, err := in.Find(ctx, who, docstore.Query{Limit: 3, Settled: true, WithState: true})
			seen = append(seen, found, err)
			found, err = in.Find(ctx, who, docstore.Query{Equal: docstore.Keys{"of": "all", "code": "1"}, Limit: 9})
			seen = append(seen, found, err)
			one, err := in.Get(ctx, who, docs[0].ID)
			seen = append(seen, one, err)
			formers, err := in.Formers(ctx, who, docs[0].ID, 0, 9)
			seen = append(seen, formers, err)
		}
		return seen
	}
	before := look(written)
	if got := look(reads); !reflect.DeepEqual(got, before) {
		t.Errorf("the snapshot has %v, and the store %v", got, before)
	}
	replace(2)
	if reflect.DeepEqual(look(written), before) {
		t.Error("what is written later is not seen in the store")
	}
	if got := look(reads); !reflect.DeepEqual(got, before) {
		t.Errorf("later the snapshot has %v, and had %v", got, before)
	}
	if err := reads.Replace(ctx, owners[0], docs[0], nil); !errors.Is(err, docstore.ErrUnavailable) {
		t.Errorf("a write to a snapshot: %v", err)
	}
	spec.Indexes = append(slices.Clone(spec.Indexes), docstore.Index{Name: "later", Since: 1})
	if _, err := was.Collection(ctx, spec); !errors.Is(err, docstore.ErrNoCollection) {
		t.Errorf("a collection that was never opened so: %v", err)
	}
}
