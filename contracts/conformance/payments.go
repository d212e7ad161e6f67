package conformance

import (
	"fmt"
	"net/http"
	"net/url"
)

// interim is a body of POST /x/claim/{id}:pay.
var interim = record{"paymentAmount": 40, "paymentMethod": "cash"}

// paid pays a claim, or skips the rule if the implementation has no payments before a settlement.
func (p *probe) paid(claim, body record) record {
	a := p.post("/x/claim/"+claim.text("id")+":pay", body)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no payments before a settlement")
	}
	return p.wants(http.StatusOK, a)
}

func interimPayments(p *probe) {
	claim := p.claim()
	path := "/claim/" + claim.text("id")
	day := p.instant(-1)
	p.holds(p.paid(claim, interim.with("paidAt", day)), record{"claimStatus": "open", "status": "open"})
	p.wants(http.StatusOK, p.put(path, record{"liabilityShare": 60}))
	updated := p.read(path)
	p.holds(p.paid(claim, interim), record{"claimStatus": "open", "lastUpdate": updated["lastUpdate"]})
	for _, wrong := range []record{
		{}, interim.with("paymentAmount", 0), interim.without("paymentMethod"),
		interim.with("paymentMethod", unknownValue), interim.with("paidAt", p.instant(2)),
		interim.with("paidAt", p.instant(-2000)), interim.with("x-more", 1),
	} {
		p.refused(http.StatusBadRequest, "", p.post("/x"+path+":pay", wrong))
	}
	p.refused(http.StatusPreconditionFailed, "", p.post("/x"+path+":pay", interim, "If-Match", `"stale"`))
	key := p.fresh("key")
	for range 2 {
		p.wants(http.StatusOK, p.post("/x"+path+":pay", interim, "Idempotency-Key", key))
	}
	payments := p.settle(claim).list("payments")
	if len(payments) != 4 {
		p.fail("the claim has the payments %v", payments)
	}
	first, _ := payments[0].(map[string]any)
	p.holds(first, interim.with("paidAt", day))
	if !stamped(record(first).text("recordedAt")) {
		p.fail("the first payment was recorded at %q", record(first).text("recordedAt"))
	}
	p.refused(http.StatusConflict, "", p.post("/x"+path+":pay", interim))
	p.reopened(claim)
	p.holds(p.paid(claim, interim), record{"claimStatus": "reopened"})
}

func paidEvent(p *probe) {
	next := p.feed("?after=now").text("next")
	claim := p.claim()
	p.paid(claim, interim)
	var types []string
	p.eventually(func() error {
		page := p.feed("?limit=200&after=" + url.QueryEscape(next))
		next = page.text("next")
		for _, each := range page.list("events") {
			if event := record(each.(map[string]any)); event.text("source") == "/claim/"+claim.text("id") {
				types = append(types, event.text("type"))
			}
		}
		if want := []string{"exchange.claim.created", "exchange.claim.paid"}; fmt.Sprint(types) != fmt.Sprint(want) {
			return fmt.Errorf("the events of the claim are %v, not %v", types, want)
		}
		return nil
	})
}
