package desk_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// TestAReplicaWhoseClockIsBehindPrepares has the contract made by a replica whose clock is half a minute ahead of the
// one that prepares. The version was prepared before its contract was made, by their clocks, and can be approved.
func TestAReplicaWhoseClockIsBehindPrepares(t *testing.T) {
	w := newWorld(t, "2026-12-01T00:01:30Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	s := w.start()
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, `2026-01"`, `2026-11"`, 1)+`}`)
	w.clock.Pass(-30 * time.Second)
	w.record("P", "new policy", 100, "").RecordedAt = "2026-11-30T12:00:00Z"
	signedOff(s, november, "original")
}

// TestClaimsThatComeAfterNoClaim has claims of a month reported as none while the first one is on its way. What is
// examined later does not expect it in that version.
func TestClaimsThatComeAfterNoClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "2026-11-30T23:59:59Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	s := w.startOn(store)
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, `2026-01"`, `2026-11"`, 1)+`}`)
	w.file("P", 1000)
	late := w.claims
	w.claims = nil
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, claimsOf+"2026-11", "nil")
	w.claims = late
	w.until(t, "2027-01-01T00:01:00Z")
	signedOff(s, claimsOf+"2026-12", "original")
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if e := w.examine(t, path); len(e.findings) > 0 || e.counts["versions made anew"] != 2 {
		t.Errorf("found %+v", e)
	}
}
