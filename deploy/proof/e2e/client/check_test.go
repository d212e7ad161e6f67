package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/wait"
)

// checked runs check on a data folder and returns its findings and how many things of each sort it has examined.
func (s *shell) checked(t *testing.T, data string) (findings []trial.Finding, examined map[string]int) {
	t.Helper()
	r := s.run(t, "check", "-o", "json", "--data", data)
	findings, examined, err := trial.ReadFindings(r.lines())
	if err != nil {
		t.Fatalf("%v\n%s", err, r.stderr)
	}
	if status := min(1, len(findings)); r.status != status {
		t.Errorf("the status is %d with %d findings\n%s", r.status, len(findings), r.stderr)
	}
	return findings, examined
}

// breach is a change by hand that breaks an invariant.
type breach struct {
	file, sql string
	// invariant is what check must say of a record of the collection.
	collection, invariant string
}

// breaches break each invariant that check knows.
var breaches = map[string]breach{
	"a key is changed": {
		"parties", `UPDATE personal SET k_lastName = 'x' WHERE id = (SELECT min(id) FROM personal)`, "personal",
		"a record is found by its keys",
	},
	"a key is gone": {
		"claims",
		`UPDATE claim SET k_idempotency = NULL WHERE id = (SELECT min(id) FROM claim WHERE k_idempotency IS NOT NULL)`,
		"claim", "a record is found by its keys",
	},
	"a body is changed": {
		"parties",
		`UPDATE personal SET body = json_set(body, '$.lastName', 'Other') WHERE id = (SELECT max(id) FROM personal)`,
		"personal", "a version is as it was written",
	},
	"a body is no record": {
		"coverage", `UPDATE driver SET body = '{' WHERE id = (SELECT min(id) FROM driver)`, "driver",
		"a record can be read",
	},
	"a record has another's id": {
		"coverage",
		`UPDATE vehicle SET body = json_set(body, '$.id', '0190a8d5-0000-7000-8000-000000000000') WHERE id = (SELECT min(id) FROM vehicle)`, "vehicle", "the id of the record is that of its document",
	},
	"a state is unknown": {
		"claims",
		`UPDATE claim SET body = json_set(body, '$.claimStatus', 'lost') WHERE id = (SELECT min(id) FROM claim)`,
		"claim", "the state is in its value set",
	},
	"a state was not reached": {
		"claims",
		`UPDATE claim SET body = json_set(body, '$.claimStatus', 'closed') WHERE id = (SELECT min(id) FROM claim WHERE body LIKE '%"claimStatus":"open"%')`, "claim", "the state is the one of the last transition",
	},
	"a version is 0": {
		"coverage", `UPDATE vehicle SET version = 0 WHERE id = (SELECT min(id) FROM vehicle)`, "vehicle",
		"versions begin at 1",
	},
	"a former version is gone": {
		"coverage", `DELETE FROM "policy history" WHERE rowid = (SELECT min(rowid) FROM "policy history")`, "policy",
		"every event is in the record or in a former version",
	},
	"a former version is newer": {
		"coverage", `UPDATE "policy history" SET version = 99 WHERE rowid = (SELECT min(rowid) FROM "policy history")`,
		"policy", "every event is in the record or in a former version",
	},
	"a former version is empty": {
		"claims", `UPDATE "claim history" SET body = '[' WHERE rowid = (SELECT min(rowid) FROM "claim history")`,
		"claim", "a former version can be read",
	},
	"a former version's key": {
		"claims", `UPDATE "claim history" SET key = 'x' WHERE rowid = (SELECT min(rowid) FROM "claim history")`,
		"claim", "a former version is found by its Idempotency-Key",
	},
	"a former version's id": {
		"claims",
		`UPDATE "claim history" SET body = json_set(body, '$.id', '0190a8d5-0000-7000-8000-000000000000') WHERE rowid = (SELECT min(rowid) FROM "claim history")`, "claim", "a former version has the id of its record",
	},
	"a digest is gone": {
		"coverage",
		`UPDATE policy SET digest = NULL WHERE version > 1 AND id = (SELECT max(id) FROM policy WHERE version > 1)`,
		"policy", "a version is as it was written",
	},
	"a former version's digest is gone": {
		"claims", `UPDATE "claim history" SET digest = NULL WHERE rowid = (SELECT min(rowid) FROM "claim history")`,
		"claim", "a version is as it was written",
	},
	"an earlier version was put back": {
		"claims",
		`UPDATE claim SET version = 1, body = (SELECT body FROM "claim history" h WHERE h.id = claim.id AND h.version = 1) WHERE id = (SELECT min(id) FROM "claim history")`, "claim", "a version is as it was written",
	},
	"a vehicle is gone": {
		"coverage",
		`DELETE FROM vehicle WHERE '"' || lower(hex(id)) || '"' IN (SELECT '"' || replace(body ->> '$.vehicleId', '-', '') || '"' FROM policy)`, "policy", "vehicleId names a record that is there",
	},
	"a party is gone": {
		"parties", `DELETE FROM personal`, "policy", "policyholderId names a record that is there",
	},
	"policies are gone": {
		"coverage", `DELETE FROM policy; DELETE FROM "policy history"`, "claim",
		"policyNumber names a record that is there",
	},
	"a wording is gone": {
		"products", `DELETE FROM policyWording`, "product", "wording names a record that is there",
	},
	"claims are gone": {
		"claims", `DELETE FROM claim; DELETE FROM "claim history"`, "receipt",
		"claimNumber names a record that is there",
	},
	"a receipt has changed": {
		"premium",
		`UPDATE receipt SET body = json_set(body, '$.paymentAmount', 987654) WHERE id = (SELECT min(id) FROM receipt)`,
		"premiumBordereau", "a row is the sum of its receipts",
	},
	"a sum has changed": {
		"premium",
		`UPDATE premiumBordereau SET body = json_set(body, '$.grossWrittenPremium', 987654) WHERE k_row = (SELECT min(k_row) FROM premiumBordereau)`, "premiumBordereau", "a row is the sum of its receipts",
	},
	"a row is gone": {
		"premium", `DELETE FROM premiumBordereau WHERE k_row = (SELECT min(k_row) FROM receipt)`, "receipt",
		"a receipt without a mark is in a row",
	},
	"receipts of a row": {
		"premium", `DELETE FROM receipt WHERE k_row = (SELECT min(k_row) FROM receipt)`, "premiumBordereau",
		"a row has receipts",
	},
	"refunds of parts are more than their receipt": {
		"premium",
		`UPDATE receipt SET body = json_set(body, '$.paymentAmount', 987654, '$.refundedAmount', 987654 + (body ->> '$.refundedAmount') - (body ->> '$.paymentAmount')) WHERE body ->> '$.refundNumber' = 2`, "receipt", "the refunds of a receipt are no more than it",
	},
	"a refund of all is more than its receipt": {
		"premium",
		`UPDATE receipt SET body = json_set(body, '$.paymentAmount', 987654) WHERE body ->> '$.reverses' IS NOT NULL AND body ->> '$.refundNumber' IS NULL`, "receipt", "the refunds of a receipt are no more than it",
	},
	"a sum of refunds has changed": {
		"premium",
		`UPDATE receipt SET body = json_set(body, '$.refundedAmount', 1) WHERE body ->> '$.refundNumber' = 2`,
		"receipt", "refundedAmount is the sum of the refunds so far",
	},
	"a first refund is gone": {
		"premium", `DELETE FROM receipt WHERE body ->> '$.refundNumber' = 1`, "receipt",
		"the refunds of a receipt have the numbers from 1 on",
	},
	"a refund has no number that can be": {
		"premium", `UPDATE receipt SET body = json_set(body, '$.refundNumber', 0) WHERE body ->> '$.refundNumber' = 1`,
		"receipt", "the refunds of a receipt have the numbers from 1 on",
	},
	"a receipt moves": {
		"premium",
		`UPDATE receipt SET body = json_set(body, '$.policyNumber', (SELECT max(k_policyNumber) FROM receipt)) WHERE id = (SELECT min(id) FROM receipt WHERE k_policyNumber <> (SELECT max(k_policyNumber) FROM receipt))`, "receipt", "a receipt is in a row of its policy",
	},
	"a mark has been left on": {
		"premium",
		`UPDATE receipt SET id = X'0fffffffffff70008000000000000000' WHERE id = (SELECT max(id) FROM receipt); UPDATE receipt SET unsent = 1 WHERE id = (SELECT min(id) FROM receipt)`, "receipt", "a message about a record is acted on",
	},
}

// TestCheckNamesEveryFault checks a seeded book without faults, and copies of it with one fault each.
func TestCheckNamesEveryFault(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "check").want(t, 1, "nothing was examined")
	s.run(t, "seed", "--size", "21").want(t, 0)
	wait.Until(t, func() error {
		findings, examined := s.checked(t, s.Data)
		if len(findings) > 0 {
			t.Fatalf("the book has faults: %v", findings)
		}
		if waiting := examined["records with a mark"]; waiting > 0 {
			return fmt.Errorf("%d receipts await their row", waiting)
		}
		for _, sort := range trial.Examined() {
			if examined[sort] == 0 {
				t.Fatalf("no %s were examined: %v", sort, examined)
			}
		}
		return nil
	})
	s.run(t, "backup", "book").want(t, 0)
	for name, breach := range breaches {
		t.Run(name, func(t *testing.T) {
			folder := s.path(strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), "'", ""))
			if err := os.CopyFS(folder, os.DirFS(s.path("book"))); err != nil {
				t.Fatal(err)
			}
			changed, err := sqlitetest.ExecOf(filepath.Join(folder, "exchange.db"), breach.file, breach.sql)
			if err != nil {
				t.Fatal(err)
			}
			if changed == 0 {
				t.Fatal("no row was changed")
			}
			findings, _ := s.checked(t, folder)
			for _, f := range findings {
				if f.Collection == breach.collection && f.Invariant == breach.invariant && f.Found != f.Expected {
					return
				}
			}
			t.Errorf("check does not say that %q of %s is broken: %v", breach.invariant, breach.collection, findings)
		})
	}
}

// TestCheckNamesADamagedFile clears a page of a database, and takes an index from another one.
func TestCheckNamesADamagedFile(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "7").want(t, 0)
	s.run(t, "backup", "book").want(t, 0)
	file, err := os.OpenFile(s.path("book/exchange.db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(make([]byte, 4096), info.Size()-4096)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	s.run(t, "check", "--data", s.path("book")).want(t, 1, "the database is sound: found ")
	s.run(t, "backup", "again").want(t, 0)
	if _, err := sqlitetest.Exec(s.path("again/exchange.db"), `DROP INDEX "premium_receipt by row"`); err != nil {
		t.Fatal(err)
	}
	s.run(t, "check", "--data", s.path("again")).want(t, 1, "the records of premium cannot be examined further",
		"no such index: premium_receipt by row")
	s.run(t, "check", "--data", s.path("none")).want(t, 2, "--data")
	s.run(t, "check", "more").want(t, 2, "takes no arguments")
	s.run(t, "check", "--store", "sqlite:coverage.db").want(t, 2, "setting store", "--data")
	s.run(t, "check", "--store", "mongodb://127.0.0.1:1", "--data", "book").want(t, 2, "settings data and store")
	s.run(t, "check", "--store", "mongodb://127.0.0.1:1", "--mongo-selection-timeout", "50ms").
		want(t, 3, "MongoDB at 127.0.0.1:1 does not respond", "--store")
}

// TestCheckNotesWhatRowsContradict writes rows of both bordereaux that other records contradict, and some that agree.
// check notes the former, and calls none of them a fault.
func TestCheckNotesWhatRowsContradict(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	said := s.run(t, "seed", "--size", "21").want(t, 0).stdout
	claims := s.records(t, "claim")
	paid := claims[slices.IndexFunc(claims, func(c trial.Record) bool { return c.Text("claimStatus") == "closed" })]
	rows := s.records(t, "premiumBordereau")
	kept := rows[slices.IndexFunc(rows, func(r trial.Record) bool { return r["treatyReference"] != nil })]
	create := func(resource string, record trial.Record) string {
		body, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		var created trial.Record
		line := s.run(t, "create", resource, "--body", string(body), "-o", "json").want(t, 0).stdout
		if err := json.Unmarshal([]byte(line), &created); err != nil {
			t.Fatal(err)
		}
		return created.Text("id")
	}
	claimRow := func(treaty string, changed trial.Record) string {
		row := trial.Record{"treatyReference": treaty, "policyNumber": paid["policyNumber"], "fnol": paid["fnol"]}
		maps.Copy(row, changed)
		return create("claimsBordereau", row)
	}
	premiumRow := func(amount any) string {
		return create("premiumBordereau", trial.Record{"policyNumber": kept["policyNumber"],
			"transactionType": kept["transactionType"], "grossWrittenPremium": amount})
	}
	claimRow("agrees", trial.Record{"claimStatus": paid["claimStatus"], "GrosslLossReserve": paid["reserve"]})
	claimRow("mended", trial.Record{"claimStatus": "reopened"})
	claimRow("mended", trial.Record{"claimStatus": paid["claimStatus"]})
	premiumRow(kept["grossWrittenPremium"])
	want := []string{
		claimRow("status", trial.Record{"claimStatus": "reopened"}),
		claimRow("paid", trial.Record{"paid": 98_765}),
		claimRow("reserve", trial.Record{"GrosslLossReserve": 98_765}),
		claimRow("unknown", trial.Record{"fnol": "1999-01-01T00:00:00Z"}),
		premiumRow(98_765),
	}
	var noted []string
	r := s.run(t, "check", "-o", "json", "--data", s.Data).want(t, 0)
	for _, line := range r.lines() {
		var f trial.Finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if f.Note {
			noted = append(noted, f.ID)
		}
	}
	// seed makes one such row itself, and says so.
	if len(noted) != len(want)+1 || !strings.Contains(said, "its row in the claims bordereau still says") {
		t.Errorf("%d notes:\n%s", len(noted), r.stdout)
	}
	for i, id := range want {
		if !slices.Contains(noted, id) {
			t.Errorf("row %d is not noted:\n%s", i, r.stdout)
		}
	}
	s.run(t, "check", "--data", s.Data).want(t, 0, "note: premium premiumBordereau "+want[4], "found 98765, expected",
		fmt.Sprintf("Notes: %d. Faults: 0.", len(want)+1))
}
