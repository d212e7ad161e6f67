package sqlitestore_test

import (
	"errors"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
)

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
