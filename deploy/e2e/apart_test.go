package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/e2e/trial"
)

// TestSevenProcesses runs each service in a separate process, as a cluster does. It has a receiptType for refunds,
// and no reporting window.
func TestSevenProcesses(t *testing.T) {
	t.Parallel()
	e, err := commands.RunApart(t.TempDir(), map[string][]string{"premium": {"--refund-receipt-type", "other"}})
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	t.Run("story", func(t *testing.T) { runStory(t, c) })
	t.Run("settings", func(t *testing.T) { obeySettings(t, c) })
	t.Run("credential", func(t *testing.T) { refuseStrangers(t, e, c) })
	t.Run("lapse", func(t *testing.T) { lapsePolicy(t, e, c) })
	t.Run("service outage", func(t *testing.T) { loseServices(t, e, c) })
	t.Run("broker outage", func(t *testing.T) { loseBroker(t, e, c) })
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func obeySettings(t *testing.T, c *trial.Client) {
	number := policy(t, c).Text("policyNumber")
	late := c.Create(t, "claim", loss(number, -90).With("fnol", instant(0)))
	if late["warnings"] != nil {
		t.Errorf("no reporting window is set, yet there are warnings: %v", late["warnings"])
	}
	path := "/receipt/" + c.Create(t, "receipt", receipt(number, 8)).Text("id")
	refund := c.Post(t, path+":refund", nil).Want(t, http.StatusCreated).Record(t)
	wantMembers(t, refund, map[string]string{"receiptType": "other", "paymentAmount": "8"})
}

// refuseStrangers calls services directly. They accept requests only from the gateway.
func refuseStrangers(t *testing.T, e *trial.Exchange, c *trial.Client) {
	p := policy(t, c)
	for service, paths := range map[string][]string{
		"parties":  {"/personal", "/internal/party/" + p.Text("policyholderId")},
		"products": {"/product", "/productCatalog"},
		"coverage": {"/motorCoverage/" + p.Text("id"), "/internal/policy/" + p.Text("policyNumber")},
		"claims":   {"/claim"},
		"premium":  {"/receipt", "/premiumBordereau"},
	} {
		direct := c.At("http://" + e.Address(service))
		for _, path := range paths {
			direct.Get(t, path).Want(t, http.StatusUnauthorized)
			direct.Get(t, path, "X-Exchange-Caller", "tester", "X-Exchange-Scopes", trial.Developer).Want(t, http.StatusUnauthorized)
			direct.Get(t, path, "X-Exchange-Credential", "another-secret-altogether").Want(t, http.StatusUnauthorized)
		}
		direct.With("").Get(t, paths[0], "X-Exchange-Credential", trial.Credential).Want(t, http.StatusOK)
	}
	billing := c.At("http://" + e.Address("coverage"))
	billing.Post(t, internalapi.NonPaymentPath+p.Text("policyNumber"), nil).Want(t, http.StatusUnauthorized)
	wantMembers(t, c.Read(t, "/motorCoverage/"+p.Text("id")), map[string]string{"status": "in force"})
}

// lapsePolicy reports non-payment as a billing system does. No public operation does it.
func lapsePolicy(t *testing.T, e *trial.Exchange, c *trial.Client) {
	p := policy(t, c)
	path, number := "/motorCoverage/"+p.Text("id"), p.Text("policyNumber")
	billing := c.At("http://" + e.Address("coverage"))
	report := func() trial.Response {
		return billing.Post(t, internalapi.NonPaymentPath+number, nil, "X-Exchange-Credential", trial.Credential)
	}
	report().Want(t, http.StatusNoContent)
	wantMembers(t, c.Read(t, path), map[string]string{"status": "lapsed"})
	report().Want(t, http.StatusConflict)
	for action, body := range map[string]any{":cancel": nil, ":renew": nil, ":endorse": trial.Record{"endorsementType": "addition"}} {
		c.Post(t, path+action, body).Want(t, http.StatusConflict)
	}
	c.Create(t, "claim", loss(number, -2))
	c.Post(t, "/claim", loss(number, 2)).WantProblem(t, http.StatusConflict, "policy not in force at lossDate")
}

// loseServices stops services one by one. A request that needs the stopped service returns 503 and writes nothing. The same
// request succeeds once the service runs again.
func loseServices(t *testing.T, e *trial.Exchange, c *trial.Client) {
	all := insure(t, c)
	number := c.Create(t, "motorCoverage", all.motor()).Text("policyNumber")
	for service, needed := range map[string]map[string]trial.Record{
		"parties":  {"/personal": personal(), "/motorCoverage": all.motor()},
		"coverage": {"/vehicle": vehicle(), "/claim": loss(number, -1)},
	} {
		if err := e.Kill(service); err != nil {
			t.Fatal(err)
		}
		key := fresh("key")
		for path, body := range needed {
			if a := c.Post(t, path, body, "Idempotency-Key", key); a.Status != http.StatusServiceUnavailable {
				t.Errorf("%s without %s: %d %s", path, service, a.Status, a.Body)
			}
		}
		c.Create(t, "policyWording", wording()) // needs neither
		if err := e.Restart(service); err != nil {
			t.Fatal(err)
		}
		for path, body := range needed {
			trial.Eventually(t, func() error {
				if a := c.Post(t, path, body, "Idempotency-Key", key); a.Status != http.StatusCreated {
					return fmt.Errorf("%s with %s back: %d %s", path, service, a.Status, a.Body)
				}
				return nil
			})
			c.Post(t, path, body, "Idempotency-Key", key).Want(t, http.StatusOK)
		}
	}
	claims := c.Get(t, "/claim?policyNumber="+number).Want(t, http.StatusOK).Records(t)
	if len(claims) != 1 {
		t.Errorf("there are %d claims of one", len(claims))
	}
}

// loseBroker records receipts while Kafka is down. They are counted once it runs again, even if it has lost all its data.
func loseBroker(t *testing.T, e *trial.Exchange, c *trial.Client) {
	number := policy(t, c).Text("policyNumber")
	key := fresh("key")
	// The circuit breaker of premium may still be open since coverage was down.
	trial.Eventually(t, func() error {
		if a := c.Post(t, "/receipt", receipt(number, 1), "Idempotency-Key", key); a.Status != http.StatusCreated {
			return fmt.Errorf("/receipt with coverage back: %d %s", a.Status, a.Body)
		}
		return nil
	})
	awaitSum(t, c, number, "new policy", "1")
	for outage := range 2 {
		if err := e.Kill("broker"); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			c.Create(t, "receipt", receipt(number, 10))
		}
		c.Create(t, "receipt", receipt(number, 7).With("receiptType", "other"))
		if outage == 1 {
			if err := os.RemoveAll(filepath.Join(e.Data, "broker")); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Restart("broker"); err != nil {
			t.Fatal(err)
		}
		awaitSum(t, c, number, "new policy", fmt.Sprint(1+50*(outage+1)))
		awaitSum(t, c, number, "other", fmt.Sprint(7*(outage+1)))
	}
}
