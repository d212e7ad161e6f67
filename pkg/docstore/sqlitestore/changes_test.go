package sqlitestore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

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
	page, err := policies.Changes(t.Context(), us, "", 10)
	if err != nil || len(page.Changes) != 2 || page.Changes[1].At.Before(page.Changes[0].At) ||
		page.Changes[0].At.Before(time.Now()) {
		t.Errorf("%+v, error %v; want two entries, the second not before the first", page.Changes, err)
	}
}

// TestARecordWithoutALogIsRefused opens files as releases before v1.1.0 left them, and as later ones did before and
// after they had put all records into the log. What is refused stays as it was.
func TestARecordWithoutALogIsRefused(t *testing.T) {
	for as, c := range map[string]struct {
		statements string
		refused    bool
	}{
		"before v1.1.0":       {`DROP TABLE "log of changes"; DROP TABLE "collections of the log"`, true},
		"of another one only": {`DELETE FROM "collections of the log"`, true},
		"half way": {`ALTER TABLE "collections of the log" ADD COLUMN filled INTEGER;
			UPDATE "collections of the log" SET filled = 7`, true},
		"done": {`ALTER TABLE "collections of the log" ADD COLUMN filled INTEGER`, false},
	} {
		t.Run(as, func(t *testing.T) {
			path := fresh(t)
			store := open(t, path)
			policies, err := store.Collection(t.Context(), coverage)
			if err == nil {
				err = policies.Insert(t.Context(), us, policy())
			}
			if err := errors.Join(err, store.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := sqlitetest.Exec(path, c.statements); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				store := open(t, path)
				_, err := store.Collection(t.Context(), coverage)
				if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "exchange of v1.2.0") {
					t.Errorf("it is opened with the error %v", err)
				}
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
