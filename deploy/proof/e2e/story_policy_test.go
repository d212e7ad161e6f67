package e2e_test

import (
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

func endorsePolicy(t *testing.T, c *trial.Client) {
	path := "/motorCoverage/" + policy(t, c).Text("id")
	body := trial.Record{
		"endorsementType": "addition", "indemnityLimitPolicy": 75_000, "perils": []string{"fire", "flood"},
	}
	endorsed := c.Post(t, path+":endorse", body).Want(t, http.StatusOK).Record(t)
	wantMembers(t, endorsed, map[string]string{"status": "in force", "indemnityLimitPolicy": "75000",
		"perils": "[fire flood]", "endorsementType": ""})
	for name, refused := range map[string]struct {
		body   trial.Record
		status int
	}{
		"no type":      {trial.Record{"indemnityLimitPolicy": 1}, http.StatusBadRequest},
		"unknown type": {trial.Record{"endorsementType": "whim"}, http.StatusBadRequest},
		"unknown peril": {
			trial.Record{"endorsementType": "addition", "perils": []string{"boredom"}}, http.StatusBadRequest,
		},
		"extension without date": {trial.Record{"endorsementType": "policy extension"}, http.StatusBadRequest},
		"extension backwards": {
			trial.Record{"endorsementType": "policy extension", "expiryDate": instant(1)}, http.StatusBadRequest,
		},
		"unknown vehicle": {trial.Record{"endorsementType": "addition", "vehicleId": noID}, http.StatusNotFound},
	} {
		if a := c.Post(t, path+":endorse", refused.body); a.Status != refused.status {
			t.Errorf("%s: status is %d, not %d: %s", name, a.Status, refused.status, a.Body)
		}
	}
	wantMembers(t, c.Read(t, path),
		map[string]string{"status": "in force", "indemnityLimitPolicy": "75000", "perils": "[fire flood]"})
}

func extendPolicy(t *testing.T, c *trial.Client) {
	all := insure(t, c)
	extension := trial.Record{"endorsementType": "policy extension", "expiryDate": instant(365)}

	running := "/motorCoverage/" + c.Create(t, "motorCoverage", all.motor()).Text("id")
	changed := c.Post(t, running+":endorse", extension).Want(t, http.StatusOK).Record(t)
	wantMembers(t, changed, map[string]string{"status": "extended", "expiryDate": extension.Text("expiryDate")})
	wantMembers(t, c.Read(t, running), map[string]string{"status": "extended"})
	c.Post(t, running+":endorse", trial.Record{"endorsementType": "addition"}).Want(t, http.StatusConflict)
	c.Post(t, running+":cancel", nil).Want(t, http.StatusConflict)
	c.Post(t, running+":renew", nil).Want(t, http.StatusCreated)

	// The extension term of this policy began yesterday, when its first term ended.
	over := "/motorCoverage/" + c.Create(t, "motorCoverage", all.motor().With("expiryDate", instant(-1))).Text("id")
	c.Post(t, over+":endorse", extension).Want(t, http.StatusOK)
	extended := c.Read(t, over)
	wantMembers(t, extended, map[string]string{"status": "in force", "expiryDate": extension.Text("expiryDate")})
	c.Post(t, over+":endorse", trial.Record{"endorsementType": "deletion", "perils": []string{"hail"}}).
		Want(t, http.StatusOK)
	c.Create(t, "claim", loss(extended.Text("policyNumber"), 0))
}

func renewPolicy(t *testing.T, c *trial.Client) {
	term := insure(t, c).motor().With("inceptionDate", "2026-03-01T00:00:00Z").
		With("expiryDate", "2027-03-01T00:00:00Z")
	original := c.Create(t, "motorCoverage", term)
	path := "/motorCoverage/" + original.Text("id")
	before := c.Get(t, path)
	renewed := c.Post(t, path+":renew", nil).Want(t, http.StatusCreated).Record(t)
	wantMembers(t, renewed, map[string]string{
		"status": "in force", "inceptionDate": original.Text("expiryDate"), "expiryDate": "2028-03-01T00:00:00Z",
		"vehicleId": original.Text("vehicleId"), "grossWrittenPremium": "1200",
	})
	for _, member := range []string{"id", "policyNumber"} {
		if renewed.Text(member) == original.Text(member) || renewed.Text(member) == "" {
			t.Errorf("%s of the renewal is %q", member, renewed.Text(member))
		}
	}
	if after := c.Get(t, path); string(after.Body) != string(before.Body) ||
		after.Header.Get("ETag") != before.Header.Get("ETag") {
		t.Errorf("the original has changed from %s to %s", before.Body, after.Body)
	}
	changes := trial.Record{"premium": 1500, "expiryDate": "2027-09-01T00:00:00Z"}
	dearer := c.Post(t, path+":renew", changes).Want(t, http.StatusCreated).Record(t)
	wantMembers(t, dearer, map[string]string{"grossWrittenPremium": "1500", "expiryDate": changes.Text("expiryDate")})
	c.Post(t, path+":renew", trial.Record{"expiryDate": "2027-02-01T00:00:00Z"}).
		WantProblem(t, http.StatusBadRequest, "invalid policy term")
}

func cancelPolicy(t *testing.T, c *trial.Client) {
	made := policy(t, c)
	path, number := "/motorCoverage/"+made.Text("id"), made.Text("policyNumber")
	cancelled := c.Post(t, path+":cancel", trial.Record{"reason": "sold"}).Want(t, http.StatusOK).Record(t)
	wantMembers(t, cancelled, map[string]string{"status": "cancelled", "policyNumber": number})

	c.Create(t, "claim", loss(number, -2))
	c.Post(t, "/claim", loss(number, 2)).WantProblem(t, http.StatusConflict, "policy not in force at lossDate")

	for action, body := range map[string]any{":cancel": nil, ":renew": nil,
		":endorse": trial.Record{"endorsementType": "addition"}} {
		c.Post(t, path+action, body).Want(t, http.StatusConflict)
	}
	c.Put(t, path, made.With("status", "in force")).Want(t, http.StatusConflict)
	wantMembers(t, c.Read(t, path), map[string]string{"status": "cancelled"})
}
