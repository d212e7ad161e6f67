// Package smoke starts the shipped command as a user does, and takes one policy through its life. It is the test of the
// whole in `make test`; the others are in `make test-e2e`.
package smoke

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

var commands *trial.Commands

func TestMain(m *testing.M) {
	trial.MainWhole(func(built *trial.Commands) (int, error) {
		commands = built
		return m.Run(), nil
	})
}

// TestAMotorPolicyUntilItsBordereau has a vehicle insured, a claim on it settled and a premium paid, and reads the row
// of the premium bordereau. Then it ends the exchange and finds all of it again.
func TestAMotorPolicyUntilItsBordereau(t *testing.T) {
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c, err := e.Client("broker", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	policy := c.Create(t, "motorCoverage", trial.Record{
		"policyholderId": c.Create(t, "personal", trial.Record{
			"firstName": "Ada", "lastName": "Example", "dob": "1990-12-10", "idType": "passport", "idNumber": "X1",
			"address": trial.Record{"city": "London", "country": "GB"},
		}).Text("id"),
		"vehicleId": c.Create(t, "vehicle", trial.Record{
			"plateNumber": "EX 2026", "vin": "WVWZZZ1JZXW000001",
		}).Text("id"),
		"driverId": c.Create(t, "driver", trial.Record{
			"name": "Ada Example", "dob": "1990-12-10", "licence": trial.Record{"expiryDate": day(1000)},
		}).Text("id"),
		"perils": []string{"fire", "hail"}, "premium": 420.50,
		"inceptionDate": instant(-30), "expiryDate": instant(335),
	})
	number := policy.Text("policyNumber")

	claim := c.Create(t, "claim", trial.Record{
		"policyNumber": number, "lossDate": instant(-3), "fnol": instant(-2), "claimType": "own property damage",
		"location": "London", "lossCause": "hail", "description": "Hail on the bonnet",
	})
	settled := c.Post(t, "/claim/"+claim.Text("id")+":settle",
		trial.Record{"paymentAmount": 300, "paymentMethod": "cash"}).Want(t, http.StatusOK).Record(t)
	if is := settled.Text("claimStatus"); is != "closed" {
		t.Errorf("the settled claim is %q, not closed", is)
	}

	c.Create(t, "receipt", trial.Record{
		"receiptType": "new policy", "policyNumber": number, "paymentAmount": 420, "premiumPaymentMethod": "cash",
	})
	row := func() error {
		rows := c.Get(t, "/premiumBordereau?policyNumber="+number).Want(t, http.StatusOK).Records(t)
		if len(rows) != 1 || rows[0].Text("grossWrittenPremium") != "420" ||
			rows[0].Text("transactionType") != "new policy" {
			return fmt.Errorf("the rows of the policy are %v, not one new policy of 420", rows)
		}
		return nil
	}
	wait.Until(t, row)

	if err := e.Stop("exchange"); err != nil {
		t.Fatal(err)
	}
	if err := e.Restart("exchange"); err != nil {
		t.Fatal(err)
	}
	if is := c.Read(t, "/claim/"+claim.Text("id")).Text("claimStatus"); is != "closed" {
		t.Errorf("after a restart the claim is %q, not closed", is)
	}
	if err := row(); err != nil {
		t.Error("after a restart:", err)
	}
}

// day returns the date some days from now.
func day(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }

// instant returns the instant some days from now.
func instant(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339) }
