package e2e_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// runStory takes a motor policy through its life, as the interface describes it.
func runStory(t *testing.T, c *trial.Client) {
	t.Run("products", func(t *testing.T) { sellProduct(t, c) })
	t.Run("coverage", func(t *testing.T) { coverMotor(t, c) })
	t.Run("claim", func(t *testing.T) { handleClaim(t, c) })
	t.Run("endorsement", func(t *testing.T) { endorsePolicy(t, c) })
	t.Run("extension", func(t *testing.T) { extendPolicy(t, c) })
	t.Run("renewal", func(t *testing.T) { renewPolicy(t, c) })
	t.Run("cancellation", func(t *testing.T) { cancelPolicy(t, c) })
	t.Run("receipts", func(t *testing.T) { recordReceipts(t, c) })
	t.Run("refund", func(t *testing.T) { refundReceipt(t, c) })
	t.Run("bordereau", func(t *testing.T) { aggregatePremium(t, c) })
}

// wantMembers compares members by their text.
func wantMembers(t *testing.T, is trial.Record, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if is.Text(name) != value {
			t.Errorf("%s is %q, not %q", name, is.Text(name), value)
		}
	}
}

func sellProduct(t *testing.T, c *trial.Client) {
	lines := c.Get(t, "/productCatalog").Want(t, http.StatusOK).Records(t)
	if len(lines) != 65 {
		t.Fatalf("the catalogue has %d lines", len(lines))
	}
	for i, line := range lines {
		if line.Text("code") != strconv.Itoa(i+1) || line.Text("description") == "" {
			t.Errorf("line %d is %v", i+1, line)
		}
	}
	body := product(t, c)
	made := c.Create(t, "product", body)
	wantMembers(t, made, map[string]string{"wording": body.Text("wordingId"), "lineOfBusiness": "7", "currency": "GBP",
		"policyFee": "12.5"})
	if _, both := made["wordingId"]; both {
		t.Error("two names of the wording come back")
	}
}

func coverMotor(t *testing.T, c *trial.Client) {
	all := insure(t, c)
	driver := c.Read(t, "/driver/"+all.driver)
	wantMembers(t, driver, map[string]string{"driverDOB": "1985-12-10", "dob": ""})

	key := fresh("key")
	body := all.motor()
	made := c.Create(t, "motorCoverage", body, "Idempotency-Key", key)
	wantMembers(t, made, map[string]string{
		"status": "in force", "grossWrittenPremium": "1200", "premium": "", "policyholderId": all.policyholder,
		"vehicleId": all.vehicle, "driverId": all.driver, "inceptionDate": body.Text("inceptionDate"),
	})
	if made.Text("id") == "" || made.Text("policyNumber") == "" {
		t.Fatalf("id or policyNumber is missing in %v", made)
	}
	again := c.Post(t, "/motorCoverage", body, "Idempotency-Key", key).Want(t, http.StatusOK)
	if again.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("the replay is not marked")
	}
	wantMembers(t, again.Record(t), map[string]string{"id": made.Text("id"), "policyNumber": made.Text("policyNumber")})
	found := c.Get(t, "/motorCoverage?policyNumber="+made.Text("policyNumber")).Want(t, http.StatusOK).Records(t)
	if len(found) != 1 || found[0].Text("id") != made.Text("id") {
		t.Errorf("the policy number finds %v", found)
	}
}

func handleClaim(t *testing.T, c *trial.Client) {
	number := policy(t, c).Text("policyNumber")
	made := c.Create(t, "claim", loss(number, -3))
	wantMembers(t, made, map[string]string{
		"status": "open", "claimStatus": "open", "reserve": "0", "policyNumber": number,
		"description": "Hail on the bonnet",
	})
	path := "/claim/" + made.Text("id")

	for _, url := range []string{"https://files.example/1.jpg", "https://files.example/2.pdf"} {
		c.Post(t, path+"/documents", trial.Record{"url": url, "type": "evidence"}).Want(t, http.StatusOK)
	}
	documents, _ := c.Read(t, path)["documents"].([]any)
	if !slices.Equal(documents, []any{"https://files.example/1.jpg", "https://files.example/2.pdf"}) {
		t.Errorf("documents are %v", documents)
	}

	revised := c.Put(t, path, trial.Record{"liabilityShare": 50, "reserve": 4000}).Want(t, http.StatusOK).Record(t)
	wantMembers(t, revised, map[string]string{
		"liabilityShare": "50", "reserve": "4000", "claimStatus": "open", "lastUpdate": today(), "location": "London",
		"claimNumber": made.Text("claimNumber"),
	})

	c.Post(t, path+":reopen", nil).Want(t, http.StatusConflict)
	settle := func(amount int, method string) trial.Record {
		t.Helper()
		body := trial.Record{"paymentAmount": amount, "paymentMethod": method}
		return c.Post(t, path+":settle", body).Want(t, http.StatusOK).Record(t)
	}
	wantMembers(t, settle(1234567, "cash"),
		map[string]string{"status": "closed", "claimStatus": "closed", "paymentMethod": "cash"})
	c.Post(t, path+":settle", trial.Record{"paymentAmount": 1, "paymentMethod": "cash"}).Want(t, http.StatusConflict)
	reopened := c.Post(t, path+":reopen", nil).Want(t, http.StatusOK).Record(t)
	wantMembers(t, reopened, map[string]string{"status": "reopened", "claimStatus": "reopened", "reopenDate": today()})
	c.Post(t, path+":reopen", nil).Want(t, http.StatusConflict)
	wantMembers(t, settle(7654321, "cheque"), map[string]string{"status": "closed", "reopenDate": today()})

	found := c.Get(t, "/claim?policyNumber="+number).Want(t, http.StatusOK)
	if claims := found.Records(t); len(claims) != 1 || claims[0].Text("claimNumber") != made.Text("claimNumber") {
		t.Errorf("the policy number finds %v", claims)
	}
	for _, payment := range []string{"1234567", "7654321"} {
		if !strings.Contains(string(found.Body), payment) {
			t.Errorf("the payment of %s is not kept: %s", payment, found.Body)
		}
	}
	if byNumber := c.Get(t, "/claim?claimNumber="+made.Text("claimNumber")).Records(t); len(byNumber) != 1 {
		t.Errorf("the claim number finds %v", byNumber)
	}
}
