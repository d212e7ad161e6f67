package desk_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/services/desk"
)

// examined is what an examination has found.
type examined struct {
	findings, notes []docstore.Finding
	counts          map[string]int
}

// examine looks for faults in the database of a desk, as the command check does. The other services are those of the
// world, as long as they are there.
func (w *world) examine(t *testing.T, path string) (e examined) {
	t.Helper()
	return examine(t, path, func(name string) (*peer.Client, error) {
		if w.gone[name] {
			return nil, nil
		}
		return peer.New(peer.Config{Name: name, Address: "http://" + name, Handler: w.peers()[name]})
	})
}

// examine looks for faults in the database of a desk with clients of the other services.
func examine(t *testing.T, path string, peers func(name string) (*peer.Client, error)) (e examined) {
	t.Helper()
	snapshot, err := sqlitestore.OpenSnapshot(path)
	if err != nil {
		t.Fatal(err)
	}
	inspected, err := desk.Service().Inspected()
	if err != nil {
		t.Fatal(err)
	}
	e.counts = map[string]int{}
	note := func(to *[]docstore.Finding) func(docstore.Finding) error {
		return func(f docstore.Finding) error {
			*to = append(*to, f)
			return nil
		}
	}
	err = inspect.Examine(context.Background(), inspected, inspect.Examination{
		Store: snapshot, Report: note(&e.findings), Note: note(&e.notes),
		Count: func(sort string, n int) { e.counts[sort] += n },
		Peer:  peers,
	})
	if err != nil {
		t.Error(err)
	}
	if err := snapshot.Close(); err != nil {
		t.Error(err)
	}
	return e
}

// bookOfVersions makes versions of every sort, and returns their world and the database of the desk, which nobody uses.
// A preparation of them was refused after its lines were written.
func bookOfVersions(t *testing.T) (w *world, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w = newWorld(t, "2026-11-10T12:00:00Z")
	s := w.startOn(store)
	terms := func(commission string) string {
		return `{` + strings.NewReplacer(`2026-01"`, `2026-11"`, `"15"`, `"`+commission+`"`).Replace(sterling) + `}`
	}
	s.Must(200, "PUT", "/x/contract/C", terms("15"))
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	w.policies["Q"] = policy{"petCoverage", "2020-01-01T00:00:00Z", "Bo", "in force"}
	for i := range 1102 {
		w.record("P", "new policy", int64(1+i), "")
	}
	w.record("Q", "new policy", 40, "")
	claim := w.file("P", 1000)
	w.settle(claim, 400)
	w.until(t, "2026-12-01T00:01:00Z")
	s.Must(409, "POST", november+":prepare", `{"type":"nil"}`, caller, "anna")
	v := s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	s.Must(200, "POST", november+"/versions/"+number(v)+":reject", `{"reason":"too early"}`, caller, "bob")
	signedOff(s, november, "original")
	w.until(t, "2026-12-02T00:00:00Z")
	s.Must(200, "PUT", "/x/supplement/claim/"+claim.id, `{"feesPaid":12.20}`)
	signedOff(s, claimsOf+"2026-11", "original")
	w.until(t, "2026-12-02T00:01:00Z")
	s.Must(200, "PUT", "/x/contract/C/policy/Q", "")
	s.Must(200, "PUT", "/x/contract/C", terms("20"))
	w.change("P", policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Li", "cancelled"})
	s.Must(200, "PUT", "/x/supplement/claim/"+claim.id, `{"feesPaid":13}`)
	w.reopen(claim)
	w.until(t, "2026-12-03T00:00:00Z")
	signedOff(s, november, "correction")
	w.until(t, "2026-12-10T00:00:00Z")
	w.record("Q", "mid term adjustment", 7, "")
	w.policies["T"] = policy{"travelCoverage", "2026-03-01T00:00:00Z", "Cy", "in force"}
	w.record("T", "new policy", 9, "")
	w.until(t, "2027-01-01T00:01:00Z")
	signedOff(s, "/x/bordereau/C/premium/2026-12", "original")
	signedOff(s, claimsOf+"2026-12", "original")
	// Another contract has a receipt of the same time as the last one.
	s.Must(200, "PUT", "/x/contract/D", `{`+strings.NewReplacer(`2026-01"`, `2026-12"`, `motorCoverage`,
		`travelCoverage`).Replace(sterling)+`}`)
	signedOff(s, "/x/bordereau/D/premium/2026-12", "original")
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return w, path
}

// TestWhatIsStoredIsExamined changes one thing in the database of a desk, or in what the other services have, and names
// what is then found.
func TestWhatIsStoredIsExamined(t *testing.T) {
	t.Parallel()
	w, path := bookOfVersions(t)
	sound := w.examine(t, path)
	if len(sound.findings) > 0 || len(sound.notes) > 0 || sound.counts["versions of bordereaux"] != 7 ||
		sound.counts["versions made anew"] != 6 || sound.counts["lines of bordereaux"] != 1102*2+1103+1+1+1+1 {
		t.Fatalf("what is sound has %+v", sound)
	}
	const premium = ` WHERE body LIKE '%"kind":"premium"%' AND body LIKE '%"versions":%'`
	cases := map[string]struct{ sql, invariant, found string }{
		"a line is altered": {
			`UPDATE block SET body = replace(body, '"gross":777.00', '"gross":778.00')`,
			"the lines and the head of a version have its digest", "/x/bordereau/C/premium/2026-11/versions/1 has ",
		},
		"a line of claims is altered": {
			`UPDATE block SET body = replace(body, '"paid":400.00', '"paid":401.00')`,
			"the lines and the head of a version have its digest", "/x/bordereau/C/claims/2026-11/versions/1 has ",
		},
		"a member is added to a line": {
			`UPDATE block SET body = replace(body, '"gross":777.00', '"gross":777.00,"note":"x"')`,
			"the lines and the head of a version have its digest", "/x/bordereau/C/premium/2026-11/versions/1 has ",
		},
		"a block is gone": {
			`DELETE FROM block WHERE k_place LIKE '%/lines/0000002'`, "a version of a bordereau has all of its blocks",
			"block 2 of the lines of /x/bordereau/C/premium/2026-11/versions/",
		},
		"findings are gone": {
			`DELETE FROM block WHERE k_place LIKE '%/findings/0000000'`,
			"a version of a bordereau has all of its blocks", "block 0 of the findings of ",
		},
		"outcomes of checks are gone": {
			`DELETE FROM block WHERE k_place LIKE '%/checks/0000000'`,
			"a version of a bordereau has all of its blocks", "block 0 of the checks of ",
		},
		"a line is gone": {
			`UPDATE block SET body = json_remove(body, '$.items[7]') WHERE k_place LIKE '%/lines/0000001'`,
			"a version of a bordereau has all of its blocks", "block 1 of the lines of /x/bordereau/C/premium/2026-11",
		},
		"a block cannot be read": {
			`UPDATE block SET body = '{"items":[' WHERE k_place LIKE '%/lines/0000001'`,
			"a version of a bordereau has all of its blocks", "block 1 of the lines of /x/bordereau/C/premium/2026-11",
		},
		"the digest before is another's": {
			`UPDATE ledger SET body = json_set(body, '$.versions[3].head.previous',
				json_extract(body, '$.versions[0].head.digest'))` + premium,
			"a version names the digest of the version approved before it",
			"/x/bordereau/C/premium/2026-12/versions/1 names ",
		},
		"a total is altered": {
			`UPDATE ledger SET body = json_set(body, '$.versions[1].head.totals[0].gross', 1)` + premium,
			"the lines and the head of a version have its digest", "/x/bordereau/C/premium/2026-11/versions/2 has ",
		},
		"a rejected version stands": {
			`UPDATE ledger SET body = json_set(body, '$.versions[2].head.type', 'additional')` + premium,
			"a receipt is in one line of the versions that stand", "several lines of ",
		},
		"a receipt is under two contracts": {
			`UPDATE block SET body = (SELECT body FROM block WHERE body LIKE '%"policyNumber":"T"%"gross":9.00%')
				WHERE body LIKE '%"gross":7.00%' AND k_place LIKE '%/lines/0000000' AND length(body) < 2000`,
			"a receipt is in one line of the versions that stand", "several lines of ",
		},
		"a ledger cannot be read": {
			`UPDATE ledger SET body = '{'` + premium, "a ledger can be read", "",
		},
	}
	for _, name := range chance.Sample(slices.Sorted(maps.Keys(cases)), 3) {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			changed := filepath.Join(t.TempDir(), "desk.db")
			if err := os.CopyFS(filepath.Dir(changed), os.DirFS(filepath.Dir(path))); err != nil {
				t.Fatal(err)
			}
			if n, err := sqlitetest.Exec(changed, c.sql); n == 0 || err != nil {
				t.Fatalf("%d rows were changed: %v", n, err)
			}
			e := w.examine(t, changed)
			for _, f := range e.findings {
				if f.Invariant == c.invariant && strings.HasPrefix(f.Found, c.found) && f.Collection == "ledger" &&
					f.ID != "" {
					return
				}
			}
			t.Errorf("found %+v", e)
		})
	}
	// What the other services have now is not what they had.
	anew := func(cell string) {
		t.Helper()
		e := w.examine(t, path)
		if len(e.findings) == 0 || e.findings[0].Invariant != "a version is what its sources give" ||
			!strings.Contains(e.findings[0].Found, cell) {
			t.Errorf("%s: found %+v", cell, e.findings)
		}
	}
	w.receipts[500].Amount++
	anew(w.receipts[500].ID + " commission 75.15")
	w.receipts[500].Amount--
	gone := w.receipts[600]
	w.receipts = append(w.receipts[:600:600], w.receipts[601:]...)
	anew(gone.ID)
	w.receipts = append(w.receipts[:600:600], append([]*receipt{gone}, w.receipts[600:]...)...)
	w.claims[0].happened[1].paid++
	anew(w.claims[0].id + " indemnity")
	w.claims[0].happened[1].paid--
	w.past["P"][0].holder = "Somebody"
	anew("insured ")
	w.lost = map[string]bool{"P": true}
	if e := w.examine(t, path); len(e.findings) > 0 || len(e.notes) < 1 ||
		!strings.Contains(fmt.Sprint(e.notes), "what the policy P was then, which was not kept") {
		t.Errorf("without what P was: %+v", e)
	}
	w.lost, w.past["P"][0].holder = nil, "Ann Lee"
	w.away["coverage"] = true
	if e := w.examine(t, path); len(e.findings) > 0 || len(e.notes) < 1 || e.counts["versions made anew"] != 0 {
		t.Errorf("while coverage does not respond: %+v", e)
	}
	w.away["coverage"], w.gone = false, map[string]bool{"parties": true}
	if e := w.examine(t, path); len(e.findings) > 0 || len(e.notes) > 0 || e.counts["versions made anew"] != 0 {
		t.Errorf("without the database of parties: %+v", e)
	}
	w.gone = nil
	if e := w.examine(t, path); len(e.findings) > 0 || e.counts["versions made anew"] != 6 {
		t.Errorf("in the end there is %+v", e)
	}
}
