package e2e_test

import (
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// deskProblems returns a request for each problem of the desk, by its slug. A contract is reported from January 2026
// on, which is over.
func deskProblems(t *testing.T, c *trial.Client) map[string]func() trial.Response {
	t.Helper()
	other := client(t, whole, "approver", trial.Admin+" "+trial.Developer)
	const contract, period = "/x/contract/BINDER-2025", "/x/bordereau/BINDER-2025/premium/2026-0"
	terms := trial.Record{
		"uniqueMarketReference": "B0001BINDER", "coverholderName": "Alder", "inception": "1950-01-01",
		"expiry": "1951-01-01", "lines": []string{"petCoverage"}, "currency": "EUR", "amountUnit": "major",
		"frequency": "month", "firstPeriod": "2026-01",
	}
	c.Do(t, "PUT", contract, terms).Want(t, http.StatusOK)
	prepare := func(month, kind string) trial.Response {
		return c.Post(t, period+month+":prepare", trial.Record{"type": kind})
	}
	approve := func(by *trial.Client, month, digest string) trial.Response {
		return by.Post(t, period+month+"/versions/1:approve", trial.Record{"digest": digest})
	}
	all := map[string]trial.Response{}
	all["contract-overlap"] = c.Do(t, "PUT", contract+"-2", terms)
	all["period-not-ready"] = prepare("3", "original")
	digest := prepare("1", "nil").Want(t, http.StatusCreated).Record(t).Text("digest")
	all["same-person"] = approve(c, "1", digest)
	all["digest-differs"] = approve(other, "1", "0")
	approve(other, "1", digest).Want(t, http.StatusOK)
	all["version-does-not-fit"] = prepare("1", "original")
	all["contract-in-use"] = c.Do(t, "PUT", contract, terms.With("currency", "CHF"))
	digest = prepare("2", "nil").Want(t, http.StatusCreated).Record(t).Text("digest")
	c.Post(t, period+"2/versions/1:reject", trial.Record{"reason": "too early"}).Want(t, http.StatusOK)
	all["not-pending"] = approve(other, "2", digest)
	requests := map[string]func() trial.Response{}
	for kind, response := range all {
		requests[kind] = func() trial.Response { return response }
	}
	return requests
}
