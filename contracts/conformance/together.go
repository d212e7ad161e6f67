package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// sendBatch sends operations, each a path and a body named by its place. It skips the rule if there are no batches.
func (p *probe) sendBatch(key string, operations ...record) response {
	a := p.post("/x/batch", record{"operations": operations}, "Idempotency-Key", key)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no batches")
	}
	return a
}

// created is an operation of a batch.
func created(ref, path string, body record) record {
	return record{"ref": ref, "method": http.MethodPost, "path": path, "body": body}
}

// insuredTravel returns operations that create a traveller and a policy that covers it, which a party holds.
func (p *probe) insuredTravel(holder, traveller string) []record {
	return []record{
		created("t", "/traveller", record{"firstName": p.name}),
		created("c", "/travelCoverage", record{
			"policyholderId": holder, "travellerIds": []string{traveller}, "destination": 826,
			"inceptionDate": p.instant(-100), "expiryDate": p.instant(265),
		}),
	}
}

func batch(p *probe) {
	holder := p.policy("motorCoverage", 265).text("policyholderId")
	operations := p.insuredTravel(holder, "@t.id")
	made := p.wants(http.StatusOK, p.sendBatch(p.name, operations...)).list("completed")
	again := p.wants(http.StatusOK, p.sendBatch(p.name, operations...)).list("completed")
	if len(made) != 2 || len(again) != 2 {
		p.fail("the batch names %d and then %d records, not 2", len(made), len(again))
	}
	var ids []string
	for i := range made {
		one, _ := made[i].(map[string]any)
		same, _ := again[i].(map[string]any)
		if id := record(one).text("id"); id == "" || id != record(same).text("id") {
			p.fail("operation %d has made %q, and then %q", i, id, record(same).text("id"))
		}
		ids = append(ids, record(one).text("id"))
	}
	p.holds(p.read("/travelCoverage/"+ids[1]), record{"travellerIds": []any{ids[0]}})
	p.refused(http.StatusBadRequest, "", p.post("/x/batch", record{"operations": operations}))
}

func batchOfAPolicy(p *probe) {
	policy := p.policy("motorCoverage", 265)
	number := record{"policyNumber": "@m.policyNumber"}
	made := p.wants(http.StatusOK, p.sendBatch(p.name,
		created("m", "/motorCoverage", p.body("motorCoverage", 0)),
		created("c", "/claim", p.loss("motorCoverage", policy.with("policyNumber", number["policyNumber"]), -2)),
		created("r", "/receipt", p.body("receipt", 0).with("policyNumber", number["policyNumber"])),
	)).list("completed")
	if len(made) != 3 {
		p.fail("the batch names %d records, not 3", len(made))
	}
}

func refusedBatch(p *probe) {
	holder := p.policy("motorCoverage", 265).text("policyholderId")
	right := p.insuredTravel(holder, "@t.id")
	for _, wrong := range [][]record{
		p.insuredTravel(holder, "@c.id"), p.insuredTravel(holder, "@later.id"), p.insuredTravel(unknownIDs[0], "@t.id"),
	} {
		p.refused(http.StatusUnprocessableEntity, "", p.sendBatch(p.name+" refused", wrong...))
	}
	var many []record
	for range 51 {
		many = append(many, record{"method": http.MethodPost, "path": "/traveller", "body": record{}})
	}
	p.refused(http.StatusBadRequest, "", p.sendBatch(p.name+" refused", many...))
	// No key is used up, so that nothing can have been made with one.
	for _, one := range p.wants(http.StatusOK, p.sendBatch(p.name+" refused", right...)).list("completed") {
		made, _ := one.(map[string]any)
		if status := fmt.Sprint(made["status"]); status != "201" {
			p.fail("an operation of the batch that is right has the status %s, not 201", status)
		}
	}
}

func policyView(p *probe) {
	policy := p.policy("motorCoverage", 265)
	claim := p.create("claim", p.loss("motorCoverage", policy, -2))
	path := "/x/policy/" + policy.text("policyNumber")
	a := p.get(path)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no view of a policy")
	}
	view := p.wants(http.StatusOK, a)
	of, _ := view["coverage"].(map[string]any)
	p.holds(of, record{"link": "/motorCoverage/" + policy.text("id")})
	p.shows(view, "insured", policy.text("vehicleId"))
	p.shows(view, "claims", claim.text("id"))
	p.refused(http.StatusNotFound, "", p.get("/x/policy/POL-NONE"))
	p.refused(http.StatusBadRequest, "", p.get(path+"?part=nothing"))
}

// shows fails unless a part of a view has a record, with a link to it.
func (p *probe) shows(view record, part, id string) {
	shown, _ := view[part].(map[string]any)
	for _, one := range record(shown).list("records") {
		entry, _ := one.(map[string]any)
		inner, _ := entry["record"].(map[string]any)
		if record(inner).text("id") == id && strings.HasSuffix(record(entry).text("link"), "/"+id) {
			return
		}
	}
	p.fail("%s has no record %s with a link to it", part, id)
}

func claimRowsInView(p *probe) {
	policy := p.policy("motorCoverage", 265)
	path := "/x/policy/" + policy.text("policyNumber")
	a := p.get(path)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no view of a policy")
	}
	row := p.create("claimsBordereau", record{"policyNumber": policy.text("policyNumber"), "treatyReference": p.name})
	p.create("claimsBordereau", record{"policyNumber": p.policy("motorCoverage", 265).text("policyNumber")})
	p.shows(p.wants(http.StatusOK, p.get(path)), "claimRows", row.text("id"))
	alone := p.wants(http.StatusOK, p.get(path+"?part=claimRows"))
	p.shows(alone, "claimRows", row.text("id"))
	of, _ := alone["claimRows"].(map[string]any)
	if n := len(record(of).list("records")); n != 1 || alone["claims"] != nil {
		p.fail("the part claimRows alone is %v, with %d rows", alone, n)
	}
}

// accessLists tries the access list of a policy. Where organisations do not share the exchange the path is unknown.
func accessLists(p *probe) {
	path := "/x/access/" + p.policy("petCoverage", 30).text("policyNumber")
	empty := record{"participants": []record{}}
	a := p.get(path)
	if a.status == http.StatusNotFound {
		p.refused(http.StatusNotFound, "", p.put(path, empty))
		return
	}
	tag := a.header.Get("ETag")
	if list := p.wants(http.StatusOK, a); len(list.list("participants")) > 0 || tag == "" {
		p.fail("a policy that was never shared has the list %s with the entity tag %q", a.body, tag)
	}
	twice := record{"organisation": "somebody", "rights": []string{"read"}}
	for pointer, participants := range map[string][]record{
		"/participants":                slices.Repeat([]record{twice}, 17),
		"/participants/1/organisation": {twice, twice},
		"/participants/0/rights":       {{"organisation": "somebody"}},
		"/participants/0/rights/1":     {{"organisation": "somebody", "rights": []string{"read", "everything"}}},
	} {
		a := p.put(path, record{"participants": participants})
		p.refused(http.StatusBadRequest, "", a)
		if !strings.Contains(string(a.body), `"`+pointer+`"`) {
			p.fail("the refusal does not name %s: %s", pointer, a.body)
		}
	}
	p.refused(http.StatusPreconditionFailed, "", p.put(path, empty, "If-Match", `"none"`))
	p.wants(http.StatusOK, p.put(path, empty, "If-Match", tag))
	p.refused(http.StatusNotFound, "", p.get("/x/access/POL-NONE"))
}

// about compares what the implementation says about itself with what it does.
func about(p *probe) {
	a := p.get("/x/about")
	if a.status == http.StatusNotFound {
		p.skip("the implementation does not say what it is")
	}
	got := p.wants(http.StatusOK, a)
	if got.text("version") == "" || !stamped(got.text("now")) {
		p.fail("there is no version or no present instant: %s", a.body)
	}
	for _, each := range got.list("services") {
		if of := record(each.(map[string]any)); of.text("name") == "" || of.text("version") == "" {
			p.fail("a service has no name or no version: %v", of)
		}
	}
	bounds, _ := got["bounds"].(map[string]any)
	most, err := strconv.Atoi(record(bounds).text("pageLength"))
	if err != nil {
		p.fail("there is no bound of pages: %s", a.body)
	}
	p.list("/vehicle?limit=" + strconv.Itoa(most))
	p.refused(http.StatusBadRequest, "", p.get("/vehicle?limit="+strconv.Itoa(most+1)))
	p.refused(http.StatusBadRequest, "", p.get("/x/about?colour=blue"))
	if shares, said := got["organisations"].(bool); said { // releases before do not say it
		unknown := map[bool]string{true: "policy not found", false: "not found"}[shares]
		p.refused(http.StatusNotFound, unknown, p.get("/x/access/POL-00000-00000-0"))
	}
}

func contracts(p *probe) {
	got := p.wants(http.StatusOK, p.reportedUnder(deskContract, nil))
	read := p.read("/x/contract/" + deskContract)
	p.holds(read, record{"reference": deskContract, "version": got["version"], "setAt": got["setAt"]})
	p.read("/x/contract/" + deskContract + "?at=" + got.text("setAt"))
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
	if got := p.wants(http.StatusOK, p.reportedUnder(deskContract+"-6", terms)); len(got.list("warnings")) != 1 {
		p.fail("the warnings are %v", got["warnings"])
	}
	p.refused(http.StatusBadRequest, "", p.reportedUnder(deskContract+"-6", record{"currency": "CSK"})) // 1993
}

func contractZone(p *probe) {
	const contract = deskContract + "-7"
	terms := record{"inception": "1907-02-01", "expiry": "1907-02-02", "timeZone": "Europe/Paris",
		"frequency": "quarter", "quarterBegins": "inception", "firstPeriod": "2000-02-3M"}
	p.wants(http.StatusOK, p.reportedUnder(contract, terms))
	got := p.wants(http.StatusOK, p.reportedUnder(contract, terms.without("timeZone")))
	if kept, _ := got["contract"].(map[string]any); kept["timeZone"] != terms["timeZone"] ||
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

// assigned makes a contract, whose term is a day of a year, and a policy that is assigned to it. It returns the present
// month of the contract.
func (p *probe) assigned(contract, year string) (month string, policy record) {
	got := p.wants(http.StatusOK, p.reportedUnder(contract,
		record{"inception": year + "-01-01", "expiry": year + "-01-02"}))
	policy = p.policy("motorCoverage", 265)
	p.refused(http.StatusNotFound, "", p.put("/x/contract/"+contract+"/policy/"+p.name, nil))
	p.wants(http.StatusOK, p.put("/x/contract/"+contract+"/policy/"+policy.text("policyNumber"), nil))
	return got.text("setAt")[:len("2000-01")], policy
}

func claimsBordereaux(p *probe) {
	const contract = deskContract + "-5"
	month, policy := p.assigned(contract, "1905")
	path := "/x/bordereau/" + contract + "/claims/" + month
	before := fmt.Sprint(p.read(path)["liveLines"])
	claim := p.create("claim", p.loss("motorCoverage", policy, -1).with("reserve", 1000))
	if is := fmt.Sprint(p.read(path)["liveLines"]); is == before {
		p.fail("with a claim more there are %s lines, as before", is)
	}
	supplement := "/x/supplement/claim/" + claim.text("id")
	p.refused(http.StatusNotFound, "", p.get(supplement))
	p.refused(http.StatusBadRequest, "", p.put(supplement, record{"lossCountry": "Atlantis"}))
	p.wants(http.StatusOK, p.put(supplement, record{"denied": true, "feesPaid": 12.5}))
	p.holds(p.read(supplement), record{"claimId": claim.text("id"), "version": 1})
	p.refused(http.StatusConflict, "", p.post(path+":prepare", record{"type": "nil"})) // it is not over
}

func bordereaux(p *probe) {
	const contract = deskContract + "-3"
	month, policy := p.assigned(contract, "1903")
	path := "/x/bordereau/" + contract + "/premium/" + month
	before := p.read(path)
	p.create("receipt", record{
		"policyNumber": policy.text("policyNumber"), "receiptType": "new policy", "paymentAmount": 100,
	})
	after := p.read(path)
	if was, is := fmt.Sprint(before["liveLines"]), fmt.Sprint(after["liveLines"]); is == was {
		p.fail("with a receipt more there are %s lines, as before", is)
	}
	p.refused(http.StatusConflict, "", p.post(path+":prepare", record{"type": "original"})) // it is not over
	p.refused(http.StatusBadRequest, "", p.post(path+":prepare", record{"type": "first"}))
	p.refused(http.StatusBadRequest, "", p.get(strings.Replace(path, "premium", "no-such-kind", 1)))
	p.refused(http.StatusNotFound, "", p.get(path+"/versions/1"))
	p.refused(http.StatusNotFound, "", p.get(path+"/versions/1/lines/"+unknownIDs[0]+"/source"))
	found := p.read("/x/bordereau?contract=" + contract + "&limit=200").list("periods")
	if len(found) == 0 {
		p.fail("the work list has no period of the contract")
	}
}

// statement sends a file of a policy, a type and an amount, by a profile of its own. It skips the rule if nothing is
// compared with files.
func (p *probe) statement(file string) record {
	path := "/x/reconciliation/profile/" + deskContract
	profile := record{
		"format": "csv", "delimiter": ";", "encoding": "utf-8", "headerRow": 1, "sign": "minus", "currency": "EUR",
		"totals": record{"rule": "none"}, "types": record{"NB": "new policy"}, "columns": []record{
			{"column": "Policy", "means": "policyNumber"}, {"column": "Type", "means": "type"},
			{"column": "Premium", "means": "gross"},
		},
	}
	put := p.put(path, profile)
	if put.status == http.StatusNotFound {
		p.skip("the implementation compares nothing with files")
	}
	p.wants(http.StatusOK, put)
	profile["sign"] = "plus"
	p.refused(http.StatusBadRequest, "", p.put(path, profile))
	return p.wants(http.StatusOK, p.post("/x/reconciliation/statement?profile="+deskContract, file, "Content-Type",
		"text/csv"))
}

func statements(p *probe) {
	file := "Policy;Type;Premium\n" + p.name + ";NB;1.234\n" + p.name + ";NB;1234\n"
	got := p.statement(file)
	tried := p.post("/x/reconciliation/statement:try?profile="+deskContract, file, "Content-Type", "text/csv")
	if tried.status != http.StatusNotFound { // releases before do not know it
		rows := p.wants(http.StatusOK, tried).list("rows")
		if len(rows) != 2 || rows[0].(map[string]any)["wrong"] == nil || rows[1].(map[string]any)["wrong"] != nil {
			p.fail("of two rows, the first of which can be read in two ways, a trial shows %v", rows)
		}
	}
	for member, want := range map[string]string{"rows": "2", "quarantined": "1"} {
		if is := fmt.Sprint(got[member]); is != want {
			p.fail("of two rows, one of which can be read in two ways, %s is %s", member, is)
		}
	}
	p.read("/x/reconciliation/statement/" + got.text("id"))
	p.listed("/x/reconciliation/statement", "statements", got.text("id"))
	if again := p.statement(file); again.text("id") != got.text("id") {
		p.fail("the same file is the statement %s, and was %s", again.text("id"), got.text("id"))
	}
	p.refused(http.StatusBadRequest, "", p.post("/x/reconciliation/statement?profile="+deskContract, "no header\n",
		"Content-Type", "text/csv"))
	p.refused(http.StatusUnsupportedMediaType, "",
		p.post("/x/reconciliation/statement?profile="+deskContract, record{}))
	p.refused(http.StatusNotFound, "", p.get("/x/reconciliation/statement/"+unknownIDs[0]))
}

// listed reads a list of the newest, page by page, until it has a record with an id.
func (p *probe) listed(path, member, id string) record {
	p.refused(http.StatusBadRequest, "", p.get(path+"?cursor=nothing"))
	for cursor, pages := "", 0; pages < mostPages; pages++ {
		page := p.read(path + "?limit=2" + cursor)
		for _, each := range page.list(member) {
			if of := record(each.(map[string]any)); of.text("id") == id {
				return of
			}
		}
		if page.text("next") == "" {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(page.text("next"))
	}
	p.fail("%s has no %s", path, id)
	return nil
}

func comparisons(p *probe) {
	const contract = deskContract + "-4"
	got := p.wants(http.StatusOK, p.reportedUnder(contract, record{"inception": "1904-01-01", "expiry": "1904-01-02"}))
	policy := p.policy("motorCoverage", 265).text("policyNumber")
	p.wants(http.StatusOK, p.put("/x/contract/"+contract+"/policy/"+policy, nil))
	p.create("receipt", record{"policyNumber": policy, "receiptType": "new policy", "paymentAmount": 100})
	sent := p.statement("Policy;Type;Premium\n" + policy + ";NB;100\n" + p.name + ";NB;100\n")
	compare := func() record {
		return p.wants(http.StatusCreated, p.post("/x/reconciliation/run", record{
			"statement": sent.text("id"), "against": record{
				"contract": contract, "kind": "premium", "period": got.text("setAt")[:len("2000-01")],
				"receipts": true,
			},
		}))
	}
	outcome := func(run record, of string) []any {
		return p.read("/x/reconciliation/run/" + run.text("id") + "/items?outcome=" + of).list("items")
	}
	first := compare()
	if paired, alone := outcome(first, "matched"), outcome(first, "missingHere"); len(paired) != 1 || len(alone) != 1 {
		p.fail("of two rows, one of which has a receipt, these are paired: %v, and these not: %v", paired, alone)
	}
	if is := p.listed("/x/reconciliation/run", "runs", first.text("id")).text("state"); is != "open" {
		p.fail("the state of a run with an item that nobody has accepted is %q", is)
	}
	item := "/x/reconciliation/run/" + first.text("id") + "/items/" + fmt.Sprint(first["items"])
	p.refused(http.StatusConflict, "", p.post(item+":accept", record{"reason": "it is no difference"}))
	p.wants(http.StatusOK, p.post(item+":unmatch", record{"reason": p.name}))
	if paired := outcome(compare(), "matched"); len(paired) != 0 {
		p.fail("a pair that was parted is made again: %v", paired)
	}
}
