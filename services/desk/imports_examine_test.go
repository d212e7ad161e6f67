package desk_test

import (
	"os"
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/peer"
)

// TestImportsAreExamined changes one thing in what is stored of imports, one that was made, one that was cancelled and
// one that was only checked, and names what is then found.
func TestImportsAreExamined(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	m := newMakers(t)
	s := m.start(store)
	m.spoiled = []string{`"V7"`}
	applied(s, sends(s, fleetOf(300)))
	sends(s, fleetOf(2)+"refuse me;X;V\n")
	stopped := sends(s, "Name;Passport;VIN\nA;A;A\nB;B;B\nC;C;C\n")
	m.left = 4
	applied(s, stopped)
	s.Must(200, "POST", imports+"/"+stopped.Member("id")+":cancel", "")
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	nobody := func(string) (*peer.Client, error) { return nil, nil }
	sound := examine(t, path, nobody)
	if len(sound.findings) > 0 || sound.counts["imports"] != 3 || sound.counts["rows of imports"] != 306 {
		t.Fatalf("what is sound has %+v", sound)
	}
	const head, whole = ` WHERE k_of = 'import' AND body LIKE '%"state":"applied"%'`,
		"an import has all rows that it has read, checked and made"
	const own = "the outcomes of the rows of an import are those that it counts, and have its digest"
	for name, c := range map[string]struct{ sql, invariant string }{
		"it cannot be read": {`UPDATE reconciliation SET body = '{'` + head, "an import can be read"},
		"it lags behind": {
			`UPDATE reconciliation SET body = json_set(body, '$.head.done', 250)` + head,
			"an import has come as far as its counts and its state say",
		},
		"outcomes are others": {
			`UPDATE reconciliation SET body = json_set(body, '$.head.outcomes.made', 7)` + head, own,
		},
		"the digest is another": {
			`UPDATE reconciliation SET body = json_set(body, '$.head.digest', 'x')` + head, own,
		},
		"a row was ready": {
			`UPDATE reconciliationBlock SET body =
				replace(body, '"row":9,"outcome":"ready"', '"row":9,"outcome":"there"')
				WHERE k_place LIKE '%/checked/%'`, own,
		},
		"rows are gone": {`DELETE FROM reconciliationBlock WHERE k_place LIKE '%/rows/0000001'`, whole},
		"a row is gone": {
			`UPDATE reconciliationBlock SET body = json_remove(body, '$.items[3]')
				WHERE k_place LIKE '%/made/0000001'`, whole,
		},
		"keys cannot be read": {`UPDATE reconciliationBlock SET body = '{' WHERE k_place LIKE '%/keys/0000001'`, whole},
		"the file is another": {
			`UPDATE reconciliationBlock SET body =
				(SELECT max(body) FROM reconciliationBlock WHERE k_place LIKE '%/file/%')
				WHERE k_place LIKE '%/file/%'`, "the file of an import is the one that was sent",
		},
		"the file is gone": {
			`DELETE FROM reconciliationBlock WHERE k_place LIKE '%/file/0000000'`,
			"the file of an import is the one that was sent",
		},
	} {
		t.Run(name, func(t *testing.T) {
			changed := filepath.Join(t.TempDir(), "desk.db")
			if err := os.CopyFS(filepath.Dir(changed), os.DirFS(filepath.Dir(path))); err != nil {
				t.Fatal(err)
			}
			if n, err := sqlitetest.Exec(changed, c.sql); n == 0 || err != nil {
				t.Fatalf("%d rows were changed: %v", n, err)
			}
			e := examine(t, changed, nobody)
			if len(e.findings) == 0 || e.findings[0].Invariant != c.invariant ||
				e.findings[0].Collection != "reconciliation" || e.findings[0].ID == "" {
				t.Errorf("found %+v", e)
			}
		})
	}
}
