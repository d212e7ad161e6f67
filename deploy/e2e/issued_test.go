package e2e_test

import (
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

// TestIssuedMembersAreNotTaken: what the exchange issues is never taken from the body of a create.
func TestIssuedMembersAreNotTaken(t *testing.T) {
	t.Parallel()
	c := caller(t)
	body := insure(t, c).motor().With("policyNumber", noPolicy).With("status", "cancelled")
	made := c.Create(t, "motorCoverage", body)
	wantMembers(t, made, map[string]string{"status": "in force"})
	if made.Text("policyNumber") == noPolicy {
		t.Error("the policy number is the caller's")
	}
	number := made.Text("policyNumber")
	sent := loss(number, -1)
	for member, value := range map[string]string{
		"claimNumber": "CLM-MINE", "claimStatus": "closed", "lastUpdate": "2020-01-01", "reopenDate": "2020-01-01",
	} {
		sent[member] = value
	}
	claim := c.Create(t, "claim", sent)
	wantMembers(t, claim, map[string]string{"claimStatus": "open", "status": "open", "lastUpdate": "", "reopenDate": ""})
	if claim.Text("claimNumber") == "CLM-MINE" {
		t.Error("the claim number is the caller's")
	}
	first := c.Create(t, "receipt", receipt(number, 5))
	c.Create(t, "receipt", receipt(number, 6).With("reverses", first.Text("id")))
	awaitSum(t, c, number, "new policy", "11")
	row := c.Create(t, "premiumBordereau", trial.Record{"policyNumber": number, "transactionType": "new policy", "period": "2026-01"})
	wantMembers(t, row, map[string]string{"period": ""})
}

// TestIssuedMembersStay: a replacement and an endorsement leave what the exchange issues as it is.
func TestIssuedMembersStay(t *testing.T) {
	t.Parallel()
	c := caller(t)
	p := policy(t, c)
	motor := "/motorCoverage/" + p.Text("id")
	claim := "/claim/" + c.Create(t, "claim", loss(p.Text("policyNumber"), -1)).Text("id")
	for name, refused := range map[string]struct {
		path string
		body trial.Record
	}{
		"status of a policy":        {motor, p.With("status", "cancelled")},
		"policyStatus of a policy":  {motor, p.Without("status").With("policyStatus", "lapsed")},
		"number of a policy":        {motor, p.With("policyNumber", noPolicy)},
		"status of a claim":         {claim, trial.Record{"claimStatus": "closed"}},
		"number of a claim":         {claim, trial.Record{"claimNumber": "CLM-MINE"}},
		"policy of a claim":         {claim, trial.Record{"policyNumber": policy(t, c).Text("policyNumber")}},
		"other status of the claim": {claim, trial.Record{"status": "reopened"}},
	} {
		if a := c.Put(t, refused.path, refused.body); a.Status != http.StatusConflict {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	c.Put(t, motor, p).Want(t, http.StatusOK)
	c.Put(t, motor, p.Without("status", "policyNumber", "id")).Want(t, http.StatusOK)
	c.Put(t, claim, trial.Record{"claimStatus": "open", "policyNumber": p.Text("policyNumber"), "reserve": 1}).Want(t, http.StatusOK)
	for name, body := range map[string]trial.Record{
		"expiryDate by addition": {"endorsementType": "addition", "expiryDate": instant(400)},
		"status":                 {"endorsementType": "addition", "status": "cancelled"},
		"policyNumber":           {"endorsementType": "addition", "policyNumber": noPolicy},
		"id":                     {"endorsementType": "addition", "id": noID},
	} {
		if a := c.Post(t, motor+":endorse", body); a.Status < http.StatusBadRequest || a.Status >= http.StatusInternalServerError {
			t.Errorf("an endorsement of %s: %d %s", name, a.Status, a.Body)
		}
	}
	wantMembers(t, c.Read(t, motor), map[string]string{
		"id": p.Text("id"), "policyNumber": p.Text("policyNumber"), "status": "in force", "expiryDate": p.Text("expiryDate"),
	})
	// One attribute under two names must be sent with one value.
	c.Post(t, "/motorCoverage", p.Without("id").With("premium", 5)).Want(t, http.StatusBadRequest)
	c.Create(t, "motorCoverage", p.With("premium", 1200))
}
