package e2e_test

import (
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

func TestErrorsOfMotorCoverage(t *testing.T) {
	t.Parallel()
	c := caller(t)
	all := insure(t, c)
	driverWith := func(licence any) func(*attempt) {
		return set("driverId", c.Create(t, "driver", driver().With("licence", licence)).Text("id"))
	}
	const licence, term = "driver licence expired or missing", "invalid policy term"
	checkTable(t, "motorCoverage", func(testing.TB) *attempt { return &attempt{body: all.motor(), client: c} }, []row{
		{name: "policyholder unknown", place: 1, fault: set("policyholderId", noID), status: http.StatusNotFound, title: "policyholder not found"},
		{name: "policyholder no UUID", place: 1, fault: set("policyholderId", "Ada"), status: http.StatusNotFound, title: "policyholder not found"},
		{name: "policyholder a vehicle", place: 1, fault: set("policyholderId", all.vehicle), status: http.StatusNotFound, title: "policyholder not found"},
		without("policyholderId", 1),
		{name: "vehicle unknown", place: 2, fault: set("vehicleId", noID), status: http.StatusNotFound, title: "vehicle not found"},
		{name: "vehicle a driver", place: 2, fault: set("vehicleId", all.driver), status: http.StatusNotFound, title: "vehicle not found"},
		without("vehicleId", 2),
		{name: "driver missing", place: 3, fault: func(a *attempt) { delete(a.body, "driverId") }, status: http.StatusBadRequest, title: licence},
		{name: "driver unknown", place: 3, fault: set("driverId", noID), status: http.StatusNotFound, title: "driver not found"},
		{name: "licence missing", place: 3, fault: driverWith(nil), status: http.StatusBadRequest, title: licence},
		{name: "licence expired", place: 3, fault: driverWith(trial.Record{"expiryDate": instant(-1)[:10]}), status: http.StatusBadRequest, title: licence},
		{name: "term of no length", place: 4, fault: func(a *attempt) { a.body["expiryDate"] = a.body["inceptionDate"] }, status: http.StatusBadRequest, title: term},
		{name: "term backwards", place: 4, fault: set("expiryDate", instant(-200)), status: http.StatusBadRequest, title: term},
		{name: "no inceptionDate", place: 4, fault: func(a *attempt) { delete(a.body, "inceptionDate") }, status: http.StatusBadRequest, title: term},
		{name: "no expiryDate", place: 4, fault: func(a *attempt) { delete(a.body, "expiryDate") }, status: http.StatusBadRequest, title: term},
		{name: "peril unknown", place: 5, fault: set("perils", []string{"fire", "boredom"}), status: http.StatusBadRequest, title: "unknown peril code"},
		{name: "peril capitalised", place: 5, fault: set("perils", []string{"Fire"}), status: http.StatusBadRequest, title: "unknown peril code"},
	})
	t.Run("licence of today", func(t *testing.T) {
		t.Parallel()
		a := &attempt{body: all.motor(), client: c}
		driverWith(trial.Record{"expiryDate": today()})(a)
		a.send(t, "motorCoverage").Want(t, http.StatusCreated)
	})
}

func TestErrorsOfClaim(t *testing.T) {
	t.Parallel()
	c := caller(t)
	p := policy(t, c)
	number := p.Text("policyNumber")
	const force, peril = "policy not in force at lossDate", "peril not covered"
	checkTable(t, "claim", func(testing.TB) *attempt { return &attempt{body: loss(number, -2), client: c} }, []row{
		{name: "policy unknown", place: 0.5, fault: set("policyNumber", noPolicy), status: http.StatusNotFound, title: "policy not found"},
		without("policyNumber", 0.5),
		{name: "loss before the term", place: 1, fault: set("lossDate", instant(-101)), status: http.StatusConflict, title: force},
		{name: "loss at the end of the term", place: 1, fault: set("lossDate", p.Text("expiryDate")), status: http.StatusConflict, title: force},
		without("lossDate", 1),
		{name: "peril of another policy", place: 2, fault: set("lossCause", "flood"), status: http.StatusUnprocessableEntity, title: peril},
		{name: "no lossCause", place: 2, fault: func(a *attempt) { delete(a.body, "lossCause") }, status: http.StatusUnprocessableEntity, title: peril},
		{name: "claimType unknown", place: 3, fault: set("claimType", "whim"), status: http.StatusBadRequest, title: "unknown claim type"},
		without("claimType", 3),
		{name: "notified late", place: 4, fault: func(a *attempt) { a.body["lossDate"], a.body["fnol"] = instant(-60), instant(0) }, status: http.StatusCreated},
	})
	t.Run("loss at the beginning of the term", func(t *testing.T) {
		t.Parallel()
		c.Create(t, "claim", loss(number, -2).With("lossDate", p.Text("inceptionDate")))
	})
}

func TestLateNotificationIsAWarning(t *testing.T) {
	t.Parallel()
	c := caller(t)
	number := policy(t, c).Text("policyNumber")
	late := c.Create(t, "claim", loss(number, -60).With("fnol", instant(0)))
	warnings, _ := late["warnings"].([]any)
	if len(warnings) != 1 {
		t.Fatalf("warnings are %v", late["warnings"])
	}
	warning, _ := warnings[0].(map[string]any)
	for _, member := range []string{"type", "title", "detail"} {
		if trial.Record(warning).Text(member) == "" {
			t.Errorf("the warning has no %s: %v", member, warning)
		}
	}
	for name, claim := range map[string]trial.Record{
		"in time": loss(number, -20).With("fnol", instant(0)),
		"no fnol": loss(number, -20).Without("fnol"),
	} {
		made := c.Create(t, "claim", claim)
		if made["warnings"] != nil || made.Text("fnol") == "" {
			t.Errorf("%s: %v", name, made)
		}
	}
}
