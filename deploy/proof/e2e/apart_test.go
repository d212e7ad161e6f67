package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestSevenProcesses runs each service in a separate process, as a cluster does. It has a receiptType for refunds,
// and no reporting window.
func TestSevenProcesses(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	settings := map[string][]string{"premium": {"--refund-receipt-type", "other"}}
	var audits []string
	for _, name := range []string{"gateway", "claims", "coverage"} {
		file := filepath.Join(data, name+"-audit.log")
		audits = append(audits, file)
		settings[name] = []string{"--audit-log", file}
	}
	e, err := commands.RunApart(data, settings)
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	t.Run("story", func(t *testing.T) { runStory(t, c) })
	t.Run("audit", func(t *testing.T) { followOneRequest(t, c, audits...) })
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
			direct.Get(t, path, "X-Exchange-Caller", "tester", "X-Exchange-Scopes", trial.Developer).
				Want(t, http.StatusUnauthorized)
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
	for action, body := range map[string]any{":cancel": nil, ":renew": nil,
		":endorse": trial.Record{"endorsementType": "addition"}} {
		c.Post(t, path+action, body).Want(t, http.StatusConflict)
	}
	c.Create(t, "claim", loss(number, -2))
	c.Post(t, "/claim", loss(number, 2)).WantProblem(t, http.StatusConflict, "policy not in force at lossDate")
}

// loseServices stops services one by one. A request that needs the stopped service returns 503 and writes nothing.
// The same request succeeds once the service runs again.
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
			wait.Until(t, func() error {
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

// loseBroker records receipts while Kafka is down. They are counted once it runs again, even if it has lost what it
// had acknowledged, and even if premium was killed before it had counted them: no receipt follows that would have its
// row computed.
func loseBroker(t *testing.T, e *trial.Exchange, c *trial.Client) {
	number := policy(t, c).Text("policyNumber")
	key := fresh("key")
	// The circuit breaker of premium may still be open since coverage was down.
	wait.Until(t, func() error {
		if a := c.Post(t, "/receipt", receipt(number, 1), "Idempotency-Key", key); a.Status != http.StatusCreated {
			return fmt.Errorf("/receipt with coverage back: %d %s", a.Status, a.Body)
		}
		return nil
	})
	awaitSum(t, c, number, "new policy", "1")
	sum, other := 1, 0
	record := func() {
		for range 5 {
			c.Create(t, "receipt", receipt(number, 10))
		}
		c.Create(t, "receipt", receipt(number, 7).With("receiptType", "other"))
		sum, other = sum+50, other+7
	}
	var ended []string
	end := func(names ...string) {
		for _, name := range names {
			if err := e.Kill(name); err != nil {
				t.Fatal(err)
			}
		}
		ended = append(ended, names...)
	}
	broker := filepath.Join(e.Data, "broker")
	for _, lose := range []func() error{
		func() error {
			end("broker")
			record()
			return nil
		},
		func() error {
			record()
			wait.Until(t, func() error { return haveMessages(broker) })
			end("premium", "broker")
			return truncateLogs(broker)
		},
		func() error {
			end("broker")
			record()
			return os.RemoveAll(broker)
		},
		func() error {
			end("broker")
			record()
			end("premium")
			return nil
		},
	} {
		ended = nil
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		for _, name := range ended {
			if err := e.Restart(name); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		awaitSum(t, c, number, "new policy", fmt.Sprint(sum))
		awaitSum(t, c, number, "other", fmt.Sprint(other))
		t.Logf("the rows are right after %v", time.Since(began).Round(100*time.Millisecond))
	}
}

// logs returns the logs of a broker.
func logs(folder string) ([]string, error) {
	return filepath.Glob(filepath.Join(folder, "partitions", "*", "*.dat"))
}

// haveMessages fails unless a broker has written messages to its logs.
func haveMessages(folder string) error {
	files, err := logs(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			return nil
		}
	}
	return fmt.Errorf("the logs %v hold nothing", files)
}

// truncateLogs makes the logs of a broker empty, as retention does in time.
func truncateLogs(folder string) error {
	files, err := logs(folder)
	for _, file := range files {
		err = errors.Join(err, os.Truncate(file, 0))
	}
	return err
}
