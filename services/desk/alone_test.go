package desk_test

import (
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
)

// TestAReceiptOfAClaimAlone has receipts that name a claim and no policy. Each is a line under the contract of the
// claim's policy. An approved version of a release that left them out stays as it is, and the next one has them as
// late.
func TestAReceiptOfAClaimAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	s := w.startOn(store)
	s.Must(200, "PUT", "/x/contract/C", under("motorCoverage"))
	w.record("P", "new policy", 100, "")
	leftOut := w.record("", "claim payment", 40, "") // as if it named nothing
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	const older = `UPDATE ledger SET body = json_remove(body, '$.versions[0].read.taken', '$.versions[0].read.left')`
	if n, err := sqlitetest.Exec(path, older); n != 1 || err != nil {
		t.Fatal(n, err)
	}

	if store, err = sqlitestore.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	leftOut.ofClaim = "P"
	s = w.startOn(store)
	w.record("", "claim payment", 60, "").ofClaim = "P"
	w.until(t, "2027-01-01T00:01:00Z")
	signedOff(s, "/x/bordereau/C/premium/2026-12", "original")
	lines := s.Must(200, "GET", "/x/bordereau/C/premium/2026-12/versions/1/lines", "").Body["lines"].([]any)
	if len(lines) != 2 {
		t.Fatal(lines)
	}
	for i, late := range []bool{true, false} {
		line := lines[i].(map[string]any)
		if _, is := line["late"]; is != late || line["policyNumber"] != "P" || line["section"] != "claimPayments" {
			t.Errorf("late: %v; %v", late, line)
		}
	}
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if e := w.examine(t, path); len(e.findings) > 0 || e.counts["versions made anew"] != 2 {
		t.Errorf("%+v", e)
	}
}
