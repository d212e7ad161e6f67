package sqlitestore_test

import (
	"errors"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
)

// TestWritesOfAnEarlierReleaseAreLogged changes a file with its triggers alone, as a release does that does not know
// the log.
func TestWritesOfAnEarlierReleaseAreLogged(t *testing.T) {
	path := fresh(t)
	store := open(t, path)
	doc := policy()
	policies, err := store.Collection(t.Context(), coverage)
	if err == nil {
		err = policies.Insert(t.Context(), us, doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`UPDATE coverage SET version = version + 1, body = '{}'`,
		`INSERT INTO coverage (id, version, body, unsent) VALUES (zeroblob(16), 1, '{}', 1)`,
		`UPDATE coverage SET unsent = 0`,
	} {
		if _, err := sqlitetest.Exec(path, sql); err != nil {
			t.Fatal(err)
		}
	}
	store = open(t, path)
	defer store.Close()
	if policies, err = store.Collection(t.Context(), coverage); err != nil {
		t.Fatal(err)
	}
	doc.Version = 2
	if err := policies.Replace(t.Context(), us, doc, nil); err != nil {
		t.Fatal(err)
	}
	log, err := docstore.As[docstore.Changes](policies)
	if err != nil {
		t.Fatal(err)
	}
	page, err := log.Changes(t.Context(), us, "", 10)
	want := []docstore.Ref{{ID: doc.ID, Version: 1}, {ID: doc.ID, Version: 2}, {Version: 1}, {ID: doc.ID, Version: 3}}
	if err != nil || len(page.Changes) != len(want) {
		t.Fatalf("%v, error %v; want %v", page.Changes, err, want)
	}
	for i, entry := range page.Changes {
		if entry.Ref != want[i] || entry.Collection != coverage.Name {
			t.Errorf("entry %d is %v of %s, want %v", i, entry.Ref, entry.Collection, want[i])
		}
	}
}

// TestInstantsOfTheLogAscend opens a file whose last entry is of a later instant, as after the clock was set back.
func TestInstantsOfTheLogAscend(t *testing.T) {
	path := fresh(t)
	store := open(t, path)
	policies, err := store.Collection(t.Context(), coverage)
	if err == nil {
		err = policies.Insert(t.Context(), us, policy())
	}
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitetest.Exec(path, `UPDATE "log of changes" SET at = at + 3600000`); err != nil {
		t.Fatal(err)
	}
	store = open(t, path)
	defer store.Close()
	if policies, err = store.Collection(t.Context(), coverage); err == nil {
		err = policies.Insert(t.Context(), us, policy())
	}
	if err != nil {
		t.Fatal(err)
	}
	log, err := docstore.As[docstore.Changes](policies)
	if err != nil {
		t.Fatal(err)
	}
	page, err := log.Changes(t.Context(), us, "", 10)
	if err != nil || len(page.Changes) != 2 || page.Changes[1].At.Before(page.Changes[0].At) ||
		page.Changes[0].At.Before(time.Now()) {
		t.Errorf("%+v, error %v; want two entries, the second not before the first", page.Changes, err)
	}
}
