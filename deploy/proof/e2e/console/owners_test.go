package console

import (
	"fmt"
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestContractsOfSeveralOwners has three organisations call a contract by the same reference. The counterparty of two
// of them has the third. It opens each: the contract, its periods, a version, a line and what that was made of.
func TestContractsOfSeveralOwners(t *testing.T) {
	t.Parallel()
	s := shared(t, "Owner")
	const contract, december = "DEAL-26", "/x/bordereau/DEAL-26/premium/2026-12"
	gross := map[string]int{"acme": 100, "zenith": 200, "orion": 300}
	owners := map[string]*trial.Client{}
	for owner := range gross {
		as := s.member(t, owner, trial.Admin)
		owners[owner] = as
		as.Put(t, "/x/contract/"+contract, terms.With("counterparty", "acme").With("firstPeriod", "2026-12").
			With("signOff", "one").With("coverholderName", "Coverholder of "+owner)).Want(t, http.StatusOK)
		as.Create(t, "receipt", trial.Record{"policyNumber": policy(t, as, "Of"+owner).Text("policyNumber"),
			"receiptType": "new policy", "paymentAmount": gross[owner], "premiumPaymentMethod": "cash"})
	}
	owners["acme"].Post(t, "/x/clock:advance", trial.Record{"to": "2027-01-05T09:00:00Z"}).Want(t, http.StatusOK)
	d := office{Exchange: s.Exchange}
	for _, as := range owners {
		d.anna = as
		d.sign(t, december, d.prepare(t, as, december))
	}
	p := openAs(t, s.Exchange, owners["acme"], "/desk")
	p.becomes("document.querySelectorAll('[data-part=board] tbody tr').length === 3")
	for owner := range gross {
		of, query := "of "+owner, "?owner="+owner
		if owner == "acme" {
			of, query = "", ""
		}
		p.turn("/desk")
		p.sees("[data-part=board]", contract+" of orion", contract+" of zenith", "Premium")
		p.click("[data-part=board] a[href='#/desk/DEAL-26" + query + "']")
		p.sees("h1", contract, of)
		p.sees("[data-part=contract]", "Coverholder of "+owner)
		p.sees("[data-part=board] tbody", "2026-12", "approved")
		p.click("[data-part=board] a[href='#/desk/DEAL-26/premium/2026-12" + query + "']")
		p.sees(".lead", contract, of)
		p.becomes("document.querySelectorAll('[data-bar]').length === 1")
		p.click("[data-part=versions] tbody a")
		p.sees("[data-part=totals] tbody", fmt.Sprint(gross[owner]))
		p.sees(".lead", contract, of)
		p.sees("[data-part=findings]", "")
		p.sees("[data-part=differences] tbody", "")
		p.click("[data-part=lines] tbody a[href*='/premium/2026-12/1/']")
		p.sees("[data-part=contract]", "Coverholder of "+owner)
		p.sees("[data-part=receipt]", fmt.Sprint(gross[owner]))
		p.click(".lead a")
		p.sees("[data-part=totals] tbody", fmt.Sprint(gross[owner]))
		if owner != "acme" {
			p.click("[data-action=acknowledge]")
			p.send("acknowledge")
			p.gone("[data-action=acknowledge]")
		}
	}
	p.click("#language")
	p.turn("/desk")
	p.sees("[data-part=board]", contract+" von orion", contract+" von zenith", "Prämien")
}
