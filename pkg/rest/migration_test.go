package rest_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/rest"
)

// TestANewFilterFindsOldRecords: a declaration without a filter writes a database, and one with it finds the records,
// which keep their entity tags.
func TestANewFilterFindsOldRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rest.db")
	before := startOn(t, path, func(r *rest.Resource[*parcel]) { r.Filters, r.Collection = r.Filters[:1], "things" })
	books := before.parcel(`"label":"L1"`)
	tag := before.do(http.StatusOK, "GET", books, "").Header().Get("ETag")
	before.do(http.StatusCreated, "POST", "/parcel", strings.Replace(before.body(""), "books", "bottles", 1),
		"Idempotency-Key", "k")
	before.do(http.StatusBadRequest, "GET", "/parcel?contents=book", "")
	if err := before.store.Close(); err != nil {
		t.Fatal(err)
	}

	w := startOn(t, path, func(r *rest.Resource[*parcel]) { r.Filters[1].Since, r.Collection = 1, "things" })
	found := w.do(http.StatusOK, "GET", "/parcel?contents=BOOK", "")
	if id := strings.TrimPrefix(books, "/parcel/"); strings.Count(found.Body.String(), `"id"`) != 1 ||
		!strings.Contains(found.Body.String(), id) {
		t.Errorf("the list by the new filter is %s, want %s in it alone", found.Body, id)
	}
	if now := w.do(http.StatusOK, "GET", books, "").Header().Get("ETag"); now != tag {
		t.Errorf("the entity tag was %s and is %s", tag, now)
	}
	// The keys that the records had are the same.
	if list := w.do(http.StatusOK, "GET", "/parcel?label=L1", "").
		Body.String(); !strings.Contains(list, books[len("/parcel/"):]) {
		t.Errorf("the list by label is %s", list)
	}
	if list := w.do(http.StatusOK, "GET", "/parcel", "").Body.String(); strings.Count(list, `"number"`) != 2 {
		t.Errorf("the list of all is %s", list)
	}
	w.do(http.StatusConflict, "POST", "/parcel", w.body(`"label":"L1"`))
}

// TestRecordsOfAnEarlierReleaseAreFound: a database of v1.2.0 gets a filter.
func TestRecordsOfAnEarlierReleaseAreFound(t *testing.T) {
	w := earlierAs(t, func(r *rest.Resource[*parcel]) {
		r.Filters = append(r.Filters, rest.Exact("depot", func(p *parcel) string { return p.Depot }))
	})
	found := w.do(http.StatusOK, "GET", "/parcel?depot=01a200fe-e665-7e29-985a-306f1f39ad93", "")
	if !strings.Contains(found.Body.String(), strings.TrimPrefix(earlierHeld, "/parcel/")) {
		t.Errorf("the list is %s", found.Body)
	}
	w.do(http.StatusOK, "GET", "/parcel?contents=book", "")
}
