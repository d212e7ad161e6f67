package conformance

import "net/http"

// reportedUnder sets a contract with a reference and changes to its members, and returns the response. Its rule takes
// no policy that anybody makes. It skips the rule if there is no desk.
func (p *probe) reportedUnder(reference string, changes record) response {
	contract := record{
		"uniqueMarketReference": "CONFORMANCE", "coverholderName": p.name, "inception": "1901-01-01",
		"expiry": "1901-01-02", "lines": []string{"petCoverage"}, "currency": "EUR", "amountUnit": "major",
		"settlementCurrency": "GBP", "originalPerSettlement": "1.22", "commissionPercentage": "15",
		"frequency": "month", "firstPeriod": "2000-01",
	}
	for member, value := range changes {
		contract[member] = value
	}
	a := p.put("/x/contract/"+reference, contract)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no desk")
	}
	return a
}

// deskContract is the reference of the contract of the rules.
const deskContract = "CONFORMANCE"

func contracts(p *probe) {
	made := p.wants(http.StatusOK, p.reportedUnder(deskContract, nil))
	read := p.read("/x/contract/" + deskContract)
	p.holds(read, record{"reference": deskContract, "version": made["version"], "setAt": made["setAt"]})
	p.read("/x/contract/" + deskContract + "?at=" + made.text("setAt"))
	p.refused(http.StatusNotFound, "", p.get("/x/contract/"+deskContract+"?at=1999-01-01T00:00:00Z"))
	for member, wrong := range map[string]any{
		"coverholderName": "", "coverholderPin": "12345ABC", "expiry": "1901-01-01", "lines": []string{"vehicle"},
		"currency": "EURO", "amountUnit": "cent", "originalPerSettlement": "0", "commissionPercentage": "101",
		"frequency": "week", "firstPeriod": "2000-Q1", "dueDays": 1000, "signOff": "three", "claimsBasis": "some",
		"no-such-member": 1,
	} {
		p.refused(http.StatusBadRequest, "", p.reportedUnder(deskContract, record{member: wrong}))
	}
	p.refused(http.StatusConflict, "", p.reportedUnder(deskContract+"-2", nil)) // it would take the same policies
	p.refused(http.StatusNotFound, "", p.get("/x/contract/"+deskContract+"-2"))
}

func withdrawnCurrency(p *probe) {
	terms := record{"inception": "1906-01-01", "expiry": "1906-01-02", "currency": "DEM"}
	if made := p.wants(http.StatusOK, p.reportedUnder(deskContract+"-6", terms)); len(made.list("warnings")) != 1 {
		p.fail("the warnings are %v", made["warnings"])
	}
	p.refused(http.StatusBadRequest, "", p.reportedUnder(deskContract+"-6", record{"currency": "CSK"})) // 1993
}

func contractZone(p *probe) {
	const contract = deskContract + "-7"
	terms := record{"inception": "1907-02-01", "expiry": "1907-02-02", "timeZone": "Europe/Paris",
		"frequency": "quarter", "quarterBegins": "inception", "firstPeriod": "2000-02-3M"}
	p.wants(http.StatusOK, p.reportedUnder(contract, terms))
	made := p.wants(http.StatusOK, p.reportedUnder(contract, terms.without("timeZone")))
	if kept, _ := made["contract"].(map[string]any); kept["timeZone"] != terms["timeZone"] ||
		kept["quarterBegins"] != terms["quarterBegins"] {
		p.fail("the contract does not keep its zone or its quarters: %v", kept)
	}
	p.read("/x/bordereau/" + contract + "/premium/2000-02-3M")
	p.refused(http.StatusBadRequest, "", p.get("/x/bordereau/"+contract+"/premium/2000-Q1"))
	for member, wrong := range map[string]any{
		"timeZone": "EST5EDT", "quarterBegins": "expiry", "firstPeriod": "2000-Q1",
	} {
		p.refused(http.StatusBadRequest, "", p.reportedUnder(contract, terms.with(member, wrong)))
	}
}
