package client_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/wait"
)

// altered is a change of an amount.
type altered struct {
	file, table, member string
	// where selects the record, one of the table.
	where string
}

// money are the kinds of amounts that records have, and former versions of them.
var money = map[string]altered{
	"a premium":              {"coverage", "policy", "$.grossWrittenPremium", ""},
	"a limit":                {"coverage", "policy", "$.indemnityLimitPolicy", ""},
	"a credit limit":         {"coverage", "policy", "$.creditLimit", ""},
	"a reserve":              {"claims", "claim", "$.reserve", ""},
	"a payment":              {"claims", "claim", "$.payments[0].paymentAmount", ""},
	"a paid amount of a row": {"claims", "claimsBordereau", "$.paid", ""},
	"a row's net premium":    {"premium", "premiumBordereau", "$.netPremium", ""},
	"a row's limit":          {"premium", "premiumBordereau", "$.indemnityLimitPolicy", "body ->> '$.period' > ''"},
	"a receipt":              {"premium", "receipt", "$.paymentAmount", ""},
	"a sum":                  {"premium", "premiumBordereau", "$.grossWrittenPremium", "body ->> '$.period' > ''"},
	"a fee":                  {"products", "product", "$.policyFee", ""},
	"a former premium":       {"coverage", "policy history", "$.grossWrittenPremium", ""},
	"a former reserve":       {"claims", "claim history", "$.reserve", ""},
	"a sum insured":          {"coverage", "property", "$.sumInsuredBuilding", ""},
}

// TestChangedMoneyIsFound changes one amount in a copy of a book. check names the record and the version, and backup
// refuses to call a copy of it verified.
func TestChangedMoneyIsFound(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "21").want(t, 0)
	wait.Until(t, func() error {
		if _, examined := s.checked(t, s.Data); examined["records with a mark"] > 0 {
			return fmt.Errorf("%d receipts await their row", examined["records with a mark"])
		}
		return nil
	})
	s.run(t, "backup", "book").want(t, 0)
	for name, c := range money {
		t.Run(name, func(t *testing.T) {
			folder := s.path(strings.NewReplacer(" ", "-", "'", "").Replace(name))
			if err := os.CopyFS(folder, os.DirFS(s.path("book"))); err != nil {
				t.Fatal(err)
			}
			where := fmt.Sprintf("body ->> '%s' IS NOT NULL", c.member)
			if c.where != "" {
				where += " AND " + c.where
			}
			changed, err := sqlitetest.ExecOf(filepath.Join(folder, "exchange.db"), c.file, fmt.Sprintf(
				`UPDATE "%s" SET body = json_set(body, '%s', 987654) WHERE rowid = (SELECT min(rowid) FROM "%[1]s" WHERE %[3]s)`,
				c.table, c.member, where))
			if err != nil || changed != 1 {
				t.Fatalf("%d rows changed, %v", changed, err)
			}
			collection := strings.TrimSuffix(c.table, " history")
			findings, _ := s.checked(t, folder)
			found := slices.IndexFunc(findings, func(f trial.Finding) bool {
				return f.Collection == collection && f.ID != "" && f.Invariant == "a version is as it was written" &&
					strings.HasPrefix(f.Found, "version ") &&
					strings.HasSuffix(f.Found, ": the body is not the one that was written")
			})
			if found < 0 {
				t.Fatalf("check finds %v", findings)
			}
			s.run(t, "backup", "--data", folder, folder+"-kept").want(t, 1, collection+" "+findings[found].ID,
				findings[found].Found)
			if _, err := os.Stat(folder + "-kept"); err == nil {
				t.Error("there is a backup")
			}
		})
	}
}
