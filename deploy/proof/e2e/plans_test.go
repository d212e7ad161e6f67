package e2e_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/proof/e2e/plans"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// TestNoSearchScans asks SQLite for the plans of all statements by which the searches that the declarations allow are
// read. Each finds its rows by an index, and sorts no more than the few that are in a range.
func TestNoSearchScans(t *testing.T) {
	t.Parallel()
	finds, statements := 0, 0
	for _, d := range plans.Finds(t, allinone.Services()) {
		store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), d.Name+".db"))
		if err != nil {
			t.Fatal(err)
		}
		finds += d.Ask(t, store)
		used, err := store.Plans(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for sql, plan := range used {
			statements++
			if wrong := wrongPlan(sql, plan); wrong != "" {
				t.Errorf("%s: %s\n%s", wrong, sql, strings.Join(plan, "; "))
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d finds by %d statements", finds, statements)
}

// ranged matches the statements for a range.
var ranged = regexp.MustCompile(`INDEXED BY "\w+ by \w+" .* k_\w+ >= `)

// wrongPlan returns what is wrong with SQLite's plan of a statement.
func wrongPlan(sql string, plan []string) string {
	// What is counted up to a bound was searched before.
	if i := len(plan) - 1; plan[i] == "SCAN (subquery-1)" {
		plan = plan[:i]
	}
	text := strings.Join(plan, "; ")
	switch {
	case strings.Contains(text, "SCAN"):
		return "it scans"
	case strings.Contains(text, "TEMP B-TREE") && !ranged.MatchString(sql):
		return "it sorts more than the few that are in a range"
	case strings.Contains(sql, " +k_") && !strings.Contains(text, "id>? AND id<?)"):
		return "what it compares has no bound"
	case strings.Contains(sql, " k_") && !strings.Contains(text, "(k_"):
		return "it reads no index of its condition"
	}
	return ""
}
