package rest_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
)

// TestARecordThatAnotherProgramHasChanged changes the database of a running server. What was changed is not shown as
// what the record was, and is not the basis of another version.
func TestARecordThatAnotherProgramHasChanged(t *testing.T) {
	for name, c := range map[string]struct {
		sql string
		// wrong says what is refused: the present parcel, or what it was at first.
		present, first bool
		version        string
	}{
		"the present version": {
			`UPDATE parcel SET body = replace(body, 'books', 'pearls')`, true, false, "version 2"},
		"what is kept about it": {
			`UPDATE parcel SET state = replace(state, '"by":"ada"', '"by":"eve"')`, true, true, "version 2"},
		"a former version": {
			`UPDATE "parcel history" SET body = replace(body, 'books', 'pearls')`, false, true, "version 1"},
		"what is kept about a former version": {
			`UPDATE "parcel history" SET state = replace(state, '"by":"ada"', '"by":"eve"')`, false, true, "version 1"},
		"all of a version without its digest": {
			`UPDATE parcel SET body = replace(body, 'books', 'pearls'), digest = NULL`, false, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			database := filepath.Join(t.TempDir(), "rest.db")
			w := startOn(t, database, nil)
			path := w.parcel("")
			made := w.now
			w.pass(time.Minute)
			w.do(200, "POST", path+"/scan", "")
			scanned := w.now
			if changed, err := sqlitetest.Exec(database, c.sql); err != nil || changed != 1 {
				t.Fatalf("%d rows changed, %v", changed, err)
			}
			refuses := func(yes bool, method, path, body string) {
				t.Helper()
				if !yes {
					w.do(200, method, path, body)
					return
				}
				r := w.do(500, method, path, body)
				w.wants(r, problem.Altered)
				if !strings.Contains(r.Body.String(), c.version) || strings.Contains(r.Body.String(), "docstore") {
					t.Errorf("problem %s", r.Body)
				}
			}
			refuses(c.first, "GET", asOf(path, made), "")
			refuses(c.present, "GET", asOf(path, scanned), "")
			refuses(strings.Contains(c.sql, "SET state"), "GET", "/x/history"+path, "")
			before := w.do(200, "GET", path, "").Header().Get("ETag")
			refuses(c.present, "PUT", path, strings.TrimSuffix(w.body(""), "}")+`,"note":1}`)
			refuses(c.present, "POST", path+"/scan", "")
			if c.present {
				if after := w.do(200, "GET", path, "").Header().Get("ETag"); after != before {
					t.Errorf("the parcel was at %s and is at %s", before, after)
				}
			}
		})
	}
}

// TestARecordWithoutDigestsGetsThem: the chain begins with the next version of a record of an earlier release.
func TestARecordWithoutDigestsGetsThem(t *testing.T) {
	w := earlier(t)
	if before := w.digest(earlierHeld); before != nil {
		t.Errorf("an earlier release has written the digest %x", before)
	}
	w.do(200, "POST", earlierHeld+"/scan", "")
	first := w.digest(earlierHeld)
	w.alter(earlierHeld, func(p *parcel) { p.Scans = append(p.Scans, "altered") })
	w.do(200, "POST", earlierHeld+"/scan", "")
	last := w.digest(earlierHeld)
	if first.Prior() != 0 || last.Version() != first.Version()+2 || last.Prior() != first.Version()+1 {
		t.Errorf("the digests are of versions %d and %d, which follow %d and %d", first.Version(), last.Version(),
			first.Prior(), last.Prior())
	}
}

// digest returns the digest that a parcel is stored with.
func (w *world) digest(path string) docstore.Digest {
	w.t.Helper()
	doc, err := w.parcels.Stored().Get(w.t.Context(), organisation.Sole(),
		uuid.MustParse(strings.TrimPrefix(path, "/parcel/")))
	if err != nil {
		w.t.Fatal(err)
	}
	return doc.Digest
}
