package conformance

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// beyondRules are the rules about operations beyond the interface, under /x/. An implementation may lack them.
func beyondRules() []Rule {
	var rules []Rule
	for _, r := range resources {
		rules = append(rules, Rule{Name: "GET /x/history/" + r.name + "/{id} lists the creation", try: func(p *probe) {
			_, got := p.full(r)
			p.happened(r.name, got, "created")
			p.refused(http.StatusNotFound, "", p.get("/x/history/"+r.name+"/"+unknownIDs[0]))
		}})
	}
	rules = slices.Concat(rules, searchRules(), dateRules(), referenceRules())
	return append(rules,
		Rule{Name: "GET /x/history/motorCoverage/{id} lists each endorsement with its type, and the cancellation",
			try: func(p *probe) {
				policy := p.policy("motorCoverage", 265)
				path := "/motorCoverage/" + policy.text("id")
				p.action(http.StatusOK, path+":endorse",
					record{"endorsementType": "addition", "perils": []string{"war"}})
				p.action(http.StatusOK, path+":cancel", record{"reason": p.name})
				text := p.happened("motorCoverage", policy, "created", "endorse", "cancel")
				for _, word := range []string{"addition", "war", p.name, "cancelled"} {
					if !strings.Contains(text, word) {
						p.fail("the history does not list %q", word)
					}
				}
			}},
		Rule{
			Name: "POST /x/claim/admissibility lists the outcome of each check of a claim, and writes nothing",
			try:  admissibility,
		},
		Rule{Name: "POST /x/batch creates records that refer to each other, once for a key", try: batch},
		Rule{Name: "POST /x/batch creates a policy, and a claim and a receipt against it", try: batchOfAPolicy},
		Rule{Name: "POST /x/batch with an operation that would be refused is 422, and writes nothing",
			try: refusedBatch},
		Rule{Name: "GET /x/policy/{policyNumber} shows the policy, what it insures and the claims", try: policyView},
		Rule{Name: "GET /x/policy/{policyNumber} shows what the claims bordereau says of the policy",
			try: claimRowsInView},
		Rule{Name: "GET /x/clock and POST /x/clock:advance are unknown, or are of a clock that only goes forward",
			try: testClock},
		Rule{Name: "PUT /x/access/{policyNumber} refuses lists that cannot be, or organisations do not share the " +
			"exchange",
			try: accessLists},
		Rule{Name: "GET /x/about names the builds, the bounds and the settings that a caller can notice", try: about},
		Rule{Name: "GET /x/events has every version of a record as one event, in order", try: feedInOrder},
		Rule{Name: "GET /x/events refuses cursors that it has not given, and goes on from those that it has",
			try: feedCursors},
		Rule{Name: "GET /x/book/policies, claims, movements and summary are as of an instant, and refuse what is no " +
			"condition", try: bookRefuses},
		Rule{Name: "PUT /x/view/{view} keeps a list of the book for its person, until it is removed", try: keptViews},
		Rule{Name: "PUT /x/webhook/{name} refuses URLs that no webhook can have, and makes nothing", try: webhookURLs},
		Rule{Name: "PUT /x/contract/{contract} keeps every version, and names what is wrong with a contract",
			try: contracts},
		Rule{Name: "PUT /x/contract/{contract} takes a currency that ISO 4217 has withdrawn since 2000, with a warning",
			try: withdrawnCurrency},
		Rule{Name: "PUT /x/contract/{contract} keeps a time zone, and quarters from the month of inception",
			try: contractZone},
		Rule{Name: "GET /x/bordereau/{contract}/{kind}/{period} has the receipts of a policy that is assigned, and a " +
			"period is not prepared before it is over", try: bordereaux},
		Rule{Name: "GET /x/bordereau/{contract}/claims/{period} has the claims of a policy that is assigned, and a " +
			"supplement is kept", try: claimsBordereaux},
		Rule{Name: "POST /x/reconciliation/statement is the same for the same file, and quarantines what can be read " +
			"in two ways", try: statements},
		Rule{Name: "PUT /x/reconciliation/profile/{name} declares how headers, amounts and dates are written",
			try: writtenForms},
		Rule{Name: "POST /x/reconciliation/run pairs a row with the receipt of its policy, until somebody parts them",
			try: comparisons},
		Rule{Name: "POST /x/reconciliation/run/{runId}:pair makes one item of a row and a receipt that nobody has " +
			"decided on, until :unpair", try: pairsByHand},
		Rule{Name: "POST /x/reconciliation/statement?replaces= takes the place of the newest statement, which names it",
			try: replacedStatements},
		Rule{Name: "POST /x/import checks a file and makes nothing, :apply makes what passed, once",
			try: importedFiles},
	)
}

// feed returns a page of the feed. It skips the rule if there is no such path.
func (p *probe) feed(query string) record {
	a := p.get("/x/events" + query)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no feed")
	}
	page := p.wants(http.StatusOK, a)
	if page.text("next") == "" {
		p.fail("the page has no next: %s", a.body)
	}
	return page
}

// mostPages bounds how far a rule reads the feed, which others may write to.
const mostPages = 1000

// feedInOrder reads what it does itself.
func feedInOrder(p *probe) {
	next := p.feed("?after=now").text("next")
	policy := p.policy("motorCoverage", 265)
	path := "/motorCoverage/" + policy.text("id")
	p.action(http.StatusOK, path+":endorse", record{"endorsementType": "addition", "perils": []string{"war"}})
	p.action(http.StatusOK, path+":cancel", record{"reason": p.name})
	wanted := []string{"created", "endorsed", "cancelled"}
	until := time.Now().Add(p.Patience)
	for range mostPages {
		if time.Now().After(until) {
			p.fail("within %s there are no events %v", p.Patience, wanted)
		}
		page := p.feed("?wait=5&limit=200&after=" + url.QueryEscape(next))
		for _, each := range page.list("events") {
			event := record(each.(map[string]any))
			if event.text("source") != path {
				continue
			}
			version := 4 - len(wanted)
			if len(wanted) == 0 {
				p.fail("the event %v is one too many", event)
			}
			p.holds(event, record{
				"specversion": "1.0", "id": policy.text("id") + "-" + strconv.Itoa(version),
				"type": "exchange.motorCoverage." + wanted[0], "subject": policy.text("policyNumber"),
			})
			if !stamped(event.text("time")) {
				p.fail("the event has the time %q", event.text("time"))
			}
			wanted = wanted[1:]
		}
		if len(wanted) == 0 {
			return
		}
		next = page.text("next")
	}
	p.fail("after %d pages there are no events %v", mostPages, wanted)
}

func feedCursors(p *probe) {
	page := p.feed("?limit=1")
	next := page.text("next")
	p.feed("?limit=1&after=" + url.QueryEscape(next))
	for _, altered := range []string{next[1:], next + "A", strings.ToUpper(next), "x"} {
		p.refused(http.StatusBadRequest, "", p.get("/x/events?after="+url.QueryEscape(altered)))
	}
	for _, wrong := range []string{
		"limit=0", "limit=201", "wait=31", "type=" + url.QueryEscape(unknownValue), "colour=blue",
	} {
		p.refused(http.StatusBadRequest, "", p.get("/x/events?"+wrong))
	}
}

// testClock tries the test clock of an implementation that is run with one. It moves the clock by one second, and does
// not move one that is not shown.
func testClock(p *probe) {
	got := p.get("/x/clock")
	if got.status == http.StatusNotFound {
		p.refused(http.StatusNotFound, "", p.post("/x/clock:advance", record{"to": "1970-01-01T00:00:00Z"}))
		return
	}
	now := p.wants(http.StatusOK, got).text("now")
	if header := got.header.Get("Exchange-Test-Clock"); header != now {
		p.fail("the clock shows %s, and the header Exchange-Test-Clock has %q", now, header)
	}
	p.refused(http.StatusConflict, "", p.post("/x/clock:advance", record{"to": now}))
	p.refused(http.StatusBadRequest, "", p.post("/x/clock:advance", record{}))
	if again := p.read("/x/clock").text("now"); again != now {
		p.fail("the clock showed %s, and shows %s after refusals", now, again)
	}
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		p.fail("the clock shows %q, which is no instant", now)
	}
	next := at.Add(time.Second).Format(time.RFC3339Nano)
	moved := p.post("/x/clock:advance", record{"to": next})
	p.holds(p.wants(http.StatusOK, moved), record{"now": next})
	after := p.get("/x/clock")
	p.holds(p.wants(http.StatusOK, after), record{"now": next})
	if header := after.header.Get("Exchange-Test-Clock"); header != next {
		p.fail("the clock was moved to %s, and the header Exchange-Test-Clock has %q", next, header)
	}
}

// happened fails the rule unless the history of a record lists these events in order, and returns the text of the
// history. It skips the rule if there is no such path.
func (p *probe) happened(resource string, got record, events ...string) string {
	path := "/x/history/" + resource + "/" + got.text("id")
	a := p.get(path)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no history")
	}
	history := p.wants(http.StatusOK, a).list("history")
	if len(history) != len(events) {
		p.fail("the history has %d entries, not %d", len(history), len(events))
	}
	for i, event := range events {
		entry, _ := history[i].(map[string]any)
		p.holds(entry, record{"event": event})
		if !stamped(record(entry).text("at")) {
			p.fail("%s happened at %q", event, record(entry).text("at"))
		}
	}
	return string(a.body)
}

func admissibility(p *probe) {
	policy := p.policy("motorCoverage", 265)
	body := p.loss("motorCoverage", policy, -2)
	a := p.post("/x/claim/admissibility", body)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no trial of a claim")
	}
	p.holds(p.wants(http.StatusOK, a), record{"admissible": true})
	for _, wrong := range []record{
		body.with("lossDate", p.instant(-101)), body.with("lossCause", "war"), body.with("claimType", unknownValue),
		body.with("policyNumber", "POL-NONE"),
	} {
		p.holds(p.action(http.StatusOK, "/x/claim/admissibility", wrong), record{"admissible": false})
	}
	if claims := p.along("/claim?policyNumber=" + policy.text("policyNumber")); len(claims) > 0 {
		p.fail("the trials wrote %d claims", len(claims))
	}
}

// searchTable is the searches that are tried: the resource and the member. name* is also searched by how it begins.
var searchTable = []struct{ resource, fields string }{
	{"motorCoverage", "policyNumber"},
	{"cyberLiabilityCoverage", "policyNumber"},
	{"travelCoverage", "policyNumber"},
	{"propertyCoverage", "policyNumber"},
	{"tradeCreditCoverage", "policyNumber"},
	{"businessInterruptionCoverage", "policyNumber"},
	{"petCoverage", "policyNumber"},
	{"claim", "policyNumber, claimNumber"},
	{"receipt", "policyNumber, claimNumber"},
	{"insuranceEntity", "name*, registrationNumber"},
	{"personal", "firstName*, lastName*, idNumber"},
	{"commercial", "name*, registrationNumber"},
}

func searchRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	add("GET /x/search names the fields of each resource and their parameters", searchTableRead)
	for _, row := range searchTable {
		for field := range strings.SplitSeq(row.fields, ", ") {
			name, begins := strings.CutSuffix(field, "*")
			add("GET /x/search/"+row.resource+"?"+name+"= finds the records that have it, and each of two values",
				func(p *probe) { findsEach(p, row.resource, name) })
			if begins {
				add("GET /x/search/"+row.resource+"?"+name+"Prefix= finds what begins with it, in any case",
					func(p *probe) { findsByPrefix(p, row.resource, name) })
			}
		}
	}
	add("GET /x/search/coverage finds a policy of any line, with the name of its resource", func(p *probe) {
		policy := p.create("cyberLiabilityCoverage", p.body("cyberLiabilityCoverage", 0))
		all := p.search("/x/search/coverage?policyNumber=" + url.QueryEscape(policy.text("policyNumber")))
		if len(all) != 1 || all[0].text("id") != policy.text("id") ||
			all[0].text("resource") != "cyberLiabilityCoverage" {
			p.fail("the search returns %v", all)
		}
	})
	add("GET /x/search/receipt: conditions on a day and an amount are compared, the newest come first where asked for",
		comparesReceipts)
	add("GET /x/search/{resource}?expand= embeds what a policy, a claim and a receipt name, and no others",
		embedsRecords)
	add("GET /x/search: what it does not take is 400", searchRefuses)
	return rules
}

// search returns what a search finds, all pages together. It skips the rule if there is no such path.
func (p *probe) search(path string) []record {
	if a := p.get(path); a.status == http.StatusNotFound {
		p.skip("the implementation has no such search")
	}
	return p.along(path)
}

func searchTableRead(p *probe) {
	a := p.get("/x/search")
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no search")
	}
	for _, entry := range p.wants(http.StatusOK, a).list("resources") {
		of, _ := entry.(map[string]any)
		for _, entry := range record(of).list("fields") {
			field, _ := entry.(map[string]any)
			if record(field).text("name") == "" || len(record(field).list("parameters")) == 0 {
				p.fail("a field of %s has no name or no parameters: %v", record(of).text("resource"), field)
			}
		}
	}
}

// findsEach creates records with two values, and searches for one and for both.
func findsEach(p *probe, resource, name string) {
	in, out := distinct(p, resource, name)
	path := "/x/search/" + resource + "?order=newest&limit=200&" + url.Values{name: {in.text(name)}}.Encode()
	one := p.search(path)
	for _, got := range one {
		if got.text(name) != in.text(name) {
			p.fail("GET %s returns a record whose %s is %q", path, name, got.text(name))
		}
	}
	if !slices.Contains(idsOf(one), in.text("id")) {
		p.fail("GET %s lacks %s, which has the value", path, in.text("id"))
	}
	both := idsOf(p.search(path + "&" + url.Values{name: {out.text(name)}}.Encode()))
	if !slices.Contains(both, in.text("id")) || !slices.Contains(both, out.text("id")) {
		p.fail("a search for two values of %s does not find the records of both", name)
	}
}

func findsByPrefix(p *probe, resource, name string) {
	value := "Ångström " + p.fresh("search")
	found := p.create(resource, p.body(resource, 0).with(name, value)).text("id")
	for search, finds := range map[string]bool{
		value: true, strings.ToUpper(value): true, value[:len(value)-1]: true, value + "x": false,
	} {
		all := p.search("/x/search/" + resource + "?" + name + "Prefix=" + url.QueryEscape(search))
		if has := slices.Contains(idsOf(all), found); has != finds {
			p.fail("%s is %q; a search for the prefix %q finds it: %v", name, value, search, has)
		}
	}
	p.refusedQuery("/x/search/" + resource + "?" + name + "Prefix=a")
}

func comparesReceipts(p *probe) {
	policy := p.policy("motorCoverage", 265).text("policyNumber")
	var ids []string
	for i, day := range []string{"2026-03-01", "2026-03-02", "2026-03-31", "2026-04-01"} {
		got := p.create("receipt", p.body("receipt", 0).with("policyNumber", policy, "receiptDate", day,
			"paymentAmount", 100+i))
		ids = append(ids, got.text("id"))
	}
	path := "/x/search/receipt?policyNumber=" + url.QueryEscape(policy)
	for query, want := range map[string][]string{
		"&receiptDateFrom=2026-03-02&receiptDateTo=2026-03-31": ids[1:3],
		"&paymentAmountFrom=101&paymentAmountTo=102.5":         ids[1:3],
		"&paymentAmount=103.00":                                ids[3:],
		"&order=newest&limit=1&paymentAmountTo=100":            ids[:1],
		"&order=newest&limit=3":                                {ids[3], ids[2], ids[1], ids[0]},
	} {
		if got := idsOf(p.search(path + query)); !slices.Equal(got, want) {
			p.fail("%s finds %v, not %v", query, got, want)
		}
	}
}

func embedsRecords(p *probe) {
	policy := p.policy("motorCoverage", 265)
	number := url.QueryEscape(policy.text("policyNumber"))
	claim := p.create("claim", p.loss("motorCoverage", policy, -2))
	p.create("receipt", p.body("receipt", 0).with("policyNumber", policy.text("policyNumber"), "claimNumber",
		claim.text("claimNumber")))
	for path, want := range map[string]map[string]string{
		"motorCoverage?policyNumber=" + number + "&expand=policyholder,vehicle": {
			"policyholder": policy.text("policyholderId"), "vehicle": policy.text("vehicleId"),
		},
		"coverage?policyNumber=" + number + "&expand=driver,pet": {"driver": policy.text("driverId")},
		"claim?policyNumber=" + number + "&expand=policy":        {"policy": policy.text("id")},
		"receipt?policyNumber=" + number + "&expand=policy,claim": {
			"policy": policy.text("id"), "claim": claim.text("id"),
		},
	} {
		path = "/x/search/" + path
		all := p.search(path)
		if len(all) != 1 {
			p.fail("GET %s finds %d records", path, len(all))
		}
		for name, id := range want {
			if of, _ := all[0][name].(map[string]any); record(of).text("id") != id {
				p.fail("GET %s embeds %v as %s, not the record %s", path, all[0][name], name, id)
			}
		}
		if all[0]["unresolved"] != nil || all[0]["pet"] != nil {
			p.fail("GET %s returns %v", path, all[0])
		}
	}
	p.refusedQuery("/x/search/motorCoverage?expand=pet", "/x/search/motorCoverage?expand=",
		"/x/search/personal?expand=policyholder", "/x/search/claim?expand=policy,")
}

func searchRefuses(p *probe) {
	p.search("/x/search/personal?limit=1&idNumber=" + p.fresh("none"))
	p.refusedQuery("/x/search/personal?colour=blue", "/x/search/personal?dob=1990-01-01",
		"/x/search/personal?cursor=AAAA", "/x/search/personal?limit=0", "/x/search/personal?order=best",
		"/x/search/personal?idNumber=",
		"/x/search/personal?idNumber=1&idNumber=2&idNumber=3&idNumber=4&idNumber=5&idNumber=6")
}
