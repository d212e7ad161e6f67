package sqlitestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// ofService is a service with records in a store: documents, former versions and a log of changes.
type ofService struct {
	docstore.Collection
	ids []uuid.UUID
	end docstore.Position
}

// serve opens a collection, which is named as that of every other service, and writes some documents if it is new.
func serve(t *testing.T, store docstore.Store, name string) *ofService {
	t.Helper()
	c, err := store.Collection(t.Context(), coverage)
	if err != nil {
		t.Fatal(err)
	}
	s := &ofService{Collection: c}
	found, err := s.Find(t.Context(), us, docstore.Query{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	for i := len(found); i < 3; i++ {
		doc := policy()
		doc.Body = fmt.Appendf(nil, `{"of":%q,"nth":%d}`, name, i)
		if err := s.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		doc.Version = 1
		if err := s.Replace(t.Context(), us, doc, &docstore.Former{Version: 1, Body: doc.Body}); err != nil {
			t.Fatal(err)
		}
		found = append(found, doc)
	}
	for _, doc := range found {
		s.ids = append(s.ids, doc.ID)
	}
	if s.end, err = s.EndOfChanges(t.Context(), us); err != nil {
		t.Fatal(err)
	}
	return s
}

// has compares what a service has with what it wrote.
func (s *ofService) has(t *testing.T, name string, wrote *ofService) {
	t.Helper()
	found, err := s.Find(t.Context(), us, docstore.Query{Limit: 9})
	if err != nil || len(found) != len(wrote.ids) {
		t.Fatalf("%s has %d documents, and wrote %d: %v", name, len(found), len(wrote.ids), err)
	}
	for i, doc := range found {
		if want := fmt.Sprintf(`{"of":%q,"nth":%d}`, name, i); doc.ID != wrote.ids[i] || string(doc.Body) != want ||
			doc.Version != 2 {
			t.Errorf("%s has %s at version %d, and wrote %s", name, doc.Body, doc.Version, want)
		}
		if former, err := s.Former(t.Context(), us, doc.ID, 1); err != nil || string(former.Body) != string(doc.Body) {
			t.Errorf("%s has the former version %s: %v", name, former.Body, err)
		}
	}
	page, err := s.Changes(t.Context(), us, "", 99)
	if err != nil || len(page.Changes) != 2*len(found) || page.Next != wrote.end {
		t.Errorf("the log of %s has %d entries up to %s, and had them up to %s: %v", name, len(page.Changes), page.Next,
			wrote.end, err)
	}
	for _, change := range page.Changes {
		if change.Collection != coverage.Name {
			t.Errorf("an entry is of the collection %s", change.Collection)
		}
	}
}

// TestServicesInOneFileAreApart has two services in one file, which is closed with the last of them.
func TestServicesInOneFileAreApart(t *testing.T) {
	path := fresh(t)
	file := open(t, path)
	wrote := map[string]*ofService{}
	stores := map[string]*sqlitestore.Store{"one": file.Of("one"), "other": file.Of("other")}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for name, store := range stores {
		wrote[name] = serve(t, store, name)
	}
	for name, s := range wrote {
		s.has(t, name, s)
	}
	if _, err := wrote["one"].Changes(t.Context(), us, wrote["other"].end, 1); !errors.Is(err,
		docstore.ErrPosition) {
		t.Errorf("a position in the log of another service: %v", err)
	}
	if err := stores["one"].Close(); err != nil {
		t.Fatal(err)
	}
	wrote["other"].has(t, "other", wrote["other"])
	if _, err := sqlitestore.Open(t.Context(), path); !errors.Is(err, sqlitestore.ErrInUse) {
		t.Errorf("while one store is open: %v", err)
	}
	if err := stores["other"].Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(path + "*"); err != nil || len(left) != 1 {
		t.Errorf("after the last one is closed there are %v, %v", left, err)
	}
}

// TestFilesOfServicesAreJoined joins the files that two services had, of which one is open at first.
func TestFilesOfServicesAreJoined(t *testing.T) {
	files, wrote := map[string]string{"one": fresh(t), "other": fresh(t)}, map[string]*ofService{}
	path := filepath.Join(t.TempDir(), "all.db")
	for name, file := range files {
		store := open(t, file)
		wrote[name] = serve(t, store, name)
		if err := sqlitestore.Join(t.Context(), path, files, nil); !errors.Is(err, sqlitestore.ErrInUse) {
			t.Errorf("while %s is open: %v", name, err)
		}
		if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
			t.Errorf("a join that failed has left %v", left)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path+"-joining", []byte("of a start that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sqlitestore.Join(t.Context(), path, files, nil); err != nil {
		t.Fatal(err)
	}
	file := open(t, path)
	defer file.Close()
	for name := range files {
		store := file.Of(name)
		serve(t, store, name).has(t, name, wrote[name])
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAFileHasOneOwnerAtATime opens and closes a file by several at once. A store that ends removes the file of its
// lock, which another one may be about to take.
func TestAFileHasOneOwnerAtATime(t *testing.T) {
	path := fresh(t)
	var owners atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for opened := 0; opened < 10; {
				store, err := sqlitestore.Open(t.Context(), path)
				if errors.Is(err, sqlitestore.ErrInUse) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				opened++
				if n := owners.Add(1); n != 1 {
					t.Errorf("%d stores have the file open", n)
				}
				runtime.Gosched()
				owners.Add(-1)
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
