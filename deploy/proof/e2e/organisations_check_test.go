package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/exchange/check"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/wait"
)

// drift is a change by hand, with what check says of it.
type drift struct{ service, sql, says string }

// damages are changes of who owns a record, and of who sees it.
var damages = map[string]drift{
	"an access list names another": {
		"claims", `UPDATE accessList SET body = replace(body, 'orion', 'vega')`,
		"claims accessList ",
	},
	"an access list gives another right": {
		"coverage", `UPDATE accessList SET body = replace(body, '["read"]', '["read","premium"]')`,
		"an access list is as it was written: found the body is not the one that was written, expected what its " +
			"digest vouches for",
	},
	"a claim has another owner": {
		"claims", `UPDATE claim SET owner = 'vega'`, "a record is found by its keys",
	},
	"a vehicle has another owner": {
		"coverage", `UPDATE vehicle SET owner = 'vega' WHERE owner IS NOT NULL`,
		"a record has the owner that wrote it: found vega, expected zenith, of event 1",
	},
	"a party has another owner": {
		"parties", `UPDATE personal SET owner = 'vega'`, "a record is found by its keys",
	},
}

// drifts are changes of how a participant finds a policy, or what is under it.
var drifts = map[string]drift{
	"the stamp of a policy is gone": {
		"coverage", `DELETE FROM accessStamp`, "each participant of a policy finds the record: found orion does not, " +
			"expected that it does: put the access list of POL-",
	},
	"the stamp of a claim is gone": {
		"claims", `DELETE FROM accessStamp WHERE k_about LIKE 'claim' || char(31) || '%'`, "claims claim ",
	},
	"the stamp of a receipt is gone": {
		"premium", `DELETE FROM accessStamp WHERE k_about LIKE 'receipt%'`, "premium receipt ",
	},
	"a stamp is another's": {
		"claims", `UPDATE accessStamp SET body = json_set(body, '$.organisation', 'vega')`,
		"each participant of a policy finds the record: found orion does not",
	},
	"a stamp is of another policy": {
		"claims", `UPDATE accessStamp SET body = json_set(body, '$.policyNumber', 'POL-1')`,
		"each participant of a policy finds the record: found orion does not",
	},
	"a stamp is found by another value": {
		"premium", `UPDATE accessStamp SET k_record = 'x' || k_record`,
		"found orion finds it by the values of another, expected its own: put the access list of POL-",
	},
	"what finds the policy is gone": {
		"coverage", `DELETE FROM accessGrant`, "coverage accessGrant",
	},
	"what finds the policy has another value": {
		"claims", `UPDATE accessGrant SET k_participant = 'vega'`,
		"each participant of a policy finds it: found orion finds it by the values of another",
	},
}

// TestCheckOfTwoOrganisations compares the rows of each organisation with its own claims, and what the participants of
// a policy find with its access list. What it finds is mended by the owner of the policy.
func TestCheckOfTwoOrganisations(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e, err := commands.RunInOne(data, "EXCHANGE_ORG_CLAIM=org", "EXCHANGE_ORG_DEFAULT=acme")
	trial.EndWith(t, e, err)
	share := func(with ...string) {
		list := []trial.Record{}
		for _, name := range with {
			list = append(list, trial.Record{"organisation": name, "rights": []string{"read"}})
		}
		for _, name := range []string{"acme", "zenith"} {
			c := member(t, e, name)
			for _, p := range c.Get(t, "/motorCoverage").Want(t, http.StatusOK).Records(t) {
				path := "/x/access/" + p.Text("policyNumber")
				c.Put(t, path, trial.Record{"participants": list}).Want(t, http.StatusOK)
			}
		}
	}
	for _, name := range []string{"acme", "zenith"} {
		c := member(t, e, name)
		number := policy(t, c).Text("policyNumber")
		claim := c.Create(t, "claim", loss(number, -2))
		c.Create(t, "receipt", receipt(number, 700))
		c.Create(t, "claimsBordereau", trial.Record{
			"policyNumber": number, "fnol": claim.Text("fnol"), "claimStatus": claim.Text("claimStatus"),
		})
		wait.Until(t, func() error {
			if rows := c.Get(t, "/premiumBordereau").Want(t, http.StatusOK).Records(t); len(rows) != 1 {
				return fmt.Errorf("the rows are %v", rows)
			}
			return nil
		})
	}
	share("vega", "orion")
	share("orion") // what vega has had is left, and is no fault
	is := func(data string, wanted ...string) {
		t.Helper()
		said := checkOf(data)
		for _, want := range wanted {
			if !strings.Contains(said, want) {
				t.Errorf("check does not say %q: %s", want, said)
			}
		}
	}
	if err := e.Stop("exchange"); err != nil {
		t.Fatal(err)
	}
	is(data, "Notes: 0. Faults: 0.", "6 access lists", "16 stamps")
	for _, changes := range []map[string]drift{damages, drifts} {
		for name, by := range changes {
			damaged := t.TempDir()
			if err := os.CopyFS(damaged, os.DirFS(data)); err != nil {
				t.Fatal(err)
			}
			changed, err := sqlitetest.ExecOf(filepath.Join(damaged, "exchange.db"), by.service, by.sql)
			if err != nil || changed == 0 {
				t.Fatal(name, changed, err)
			}
			is(damaged, by.says)
		}
	}
	for _, by := range drifts {
		// What one has removed the next does not find.
		if _, err := sqlitetest.ExecOf(filepath.Join(data, "exchange.db"), by.service, by.sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Restart("exchange"); err != nil {
		t.Fatal(err)
	}
	share("grus")
	share("orion")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	is(data, "Faults: 0.")
}

// checkOf returns what check says of a data folder.
func checkOf(data string) string {
	var said bytes.Buffer
	command := check.Command(nil, &said, &said)
	command.SilenceUsage, command.SilenceErrors = true, true
	command.SetArgs([]string{"--data", data})
	if err := command.Execute(); err != nil {
		return errors.Join(errors.New(said.String()), err).Error()
	}
	return said.String()
}
