package rest_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// TestSearchSeesEveryOlderRecordWhileOthersAreMade follows searches of each kind of lead while 10,000 records are
// made.
func TestSearchSeesEveryOlderRecordWhileOthersAreMade(t *testing.T) {
	w, _ := crates(t)
	older := map[string]bool{}
	var mu sync.Mutex
	var writes errgroup.Group
	writes.SetLimit(64)
	create := func(note bool) {
		writes.Go(func() error {
			reply := w.send("POST", "/crate", `{"code":"a","owner":"Ada","due":"2026-01-01T00:00:00Z","worth":1}`)
			if reply.Code != 201 {
				return fmt.Errorf("status %d: %s", reply.Code, reply.Body)
			}
			if note {
				mu.Lock()
				older[reply.text("id")] = true
				mu.Unlock()
			}
			return nil
		})
	}
	for range chance.Fewer(2500, 10) {
		create(true)
	}
	if err := writes.Wait(); err != nil {
		t.Fatal(err)
	}
	made := make(chan struct{})
	go func() {
		defer close(made)
		for range chance.Fewer(10_000, 10) {
			create(false)
		}
	}()
	for _, query := range []string{
		"code=a", "dueFrom=2026-01-01&worth=1", "ownerPrefix=ad&worthTo=1", "", "code=a&code=b&order=newest",
		"due=2026-01-01&order=newest",
	} {
		seen := map[string]int{}
		for _, id := range w.along("/x/search/good?limit=200&" + query) {
			if seen[id]++; seen[id] > 1 {
				t.Errorf("%s shows %s again", query, id)
			}
		}
		for id := range older {
			if seen[id] != 1 {
				t.Fatalf("%s shows an older record %d times", query, seen[id])
			}
		}
	}
	<-made
	if err := writes.Wait(); err != nil {
		t.Fatal(err)
	}
	// What was acknowledged is found, by conditions that few of many meet as well.
	id := w.do(201, "POST", "/crate", `{"code":"a","owner":"Ada","due":"2026-01-02T00:00:00Z","worth":7}`).text("id")
	for _, query := range []string{
		"code=a&worth=7", "dueFrom=2026-01-01&worth=7&order=newest", "ownerPrefix=AD&worthFrom=2",
	} {
		if ids := w.along("/x/search/crate?" + query); !slices.Equal(ids, []string{id}) {
			t.Errorf("%s finds %v, not %s", query, ids, id)
		}
	}
}

// TestANewSearchFindsOldRecords: the records of a database that had no search are found.
func TestANewSearchFindsOldRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rest.db")
	before := startOn(t, path, nil)
	books := strings.TrimPrefix(before.parcel(`"label":"L1"`), "/parcel/")
	before.do(404, "GET", "/x/search/parcel?depot=x", "")
	if err := before.store.Close(); err != nil {
		t.Fatal(err)
	}
	w := startOn(t, path, func(r *rest.Resource[*parcel]) {
		r.Search = []search.Field{search.Text("size").Leads(),
			search.Name("contents").Leads(), search.ID("depot").Leads()}
		for i := range r.Search {
			r.Search[i].Since = 1
		}
	})
	depot := w.do(200, "GET", "/parcel/"+books, "").text("depot")
	found := w.do(200, "GET", "/x/search/parcel?depot="+depot, "")
	if !strings.Contains(found.Body.String(), books) {
		t.Errorf("the search by a new index finds %s, not %s", found.Body, books)
	}
}
