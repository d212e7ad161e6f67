package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// causes are the lists of each line that a loss cause is checked against; travelCoverage has none.
var causes = map[string]string{
	"motorCoverage": "perils", "propertyCoverage": "perils", "tradeCreditCoverage": "perils",
	"businessInterruptionCoverage": "perils",
	"cyberLiabilityCoverage":       "scope", "petCoverage": "benefits",
}

// causeSets are the value sets of those lists.
var causeSets = map[string]string{
	"motorCoverage": "MotorPeril", "propertyCoverage": "PropertyPeril", "tradeCreditCoverage": "TradeCreditPeril",
	"businessInterruptionCoverage": "PropertyPeril", "cyberLiabilityCoverage": "CyberCoverageCategory",
	"petCoverage": "PetBenefit",
}

// claimRules are the rules about claims against policies of every line.
func claimRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, line := range policyLines {
		name := "a claim against " + line
		if causes[line] == "" {
			add(name+": it has no list of causes, so any lossCause or none is admitted", func(p *probe) {
				anyCause(p, line)
			})
		} else {
			add(name+": each of its "+causes[line]+" is a lossCause, any other is 422", func(p *probe) {
				coveredCauses(p, line)
			})
		}
		for _, at := range []struct {
			when     string
			days     int
			inclined time.Duration
			status   int
		}{
			{"before inception", -100, -time.Second, http.StatusConflict},
			{"at inception", -100, 0, http.StatusCreated},
			{"before expiry", -1, -time.Second, http.StatusCreated}, {"at expiry", -1, 0, http.StatusConflict},
		} {
			add(name+", lossDate "+at.when+": "+http.StatusText(at.status), func(p *probe) {
				policy := p.policy(line, -1)
				p.files(at.status,
					p.loss(line, policy, 0).with("lossDate", p.day(at.days).Add(at.inclined).Format(time.RFC3339)))
			})
		}
		add(name+" that was cancelled: admitted for a loss before, 409 after", func(p *probe) {
			afterCancellation(p, line)
		})
		add(name+" that was extended: admitted in the extension term", func(p *probe) {
			policy := p.extended(p.policy(line, -50), line, -1)
			p.files(http.StatusCreated, p.loss(line, policy, -20))
			p.files(http.StatusConflict, p.loss(line, policy, 0))
		})
		add(name+" in several corrected spellings: stored as published", func(p *probe) { correctedCauses(p, line) })
	}
	add("a loss within the waitingPeriod of tradeCreditCoverage, lossDate to fnol, is a warning", func(p *probe) {
		waits(p, "tradeCreditCoverage", -40, func(days int) record {
			return record{"lossDate": p.instant(-40), "fnol": p.instant(-40 + days)}
		})
	})
	add("a loss within the waitingPeriod of petCoverage, inceptionDate to lossDate, is a warning", func(p *probe) {
		waits(p, "petCoverage", -40, func(days int) record {
			return record{"lossDate": p.instant(-40 + days), "fnol": p.instant(-40 + days)}
		})
	})
	return append(rules, claimLifeRules()...)
}

// files sends a claim and fails the rule unless the response has the status. A refusal is the 409 of the errors table.
func (p *probe) files(status int, body record) record {
	got := p.post("/claim", body)
	if status == http.StatusConflict {
		return p.refused(status, "policy not in force at lossDate", got)
	}
	return p.wants(status, got)
}

func anyCause(p *probe, line string) {
	policy := p.policy(line, 265)
	body := p.loss(line, policy, -2)
	p.files(http.StatusCreated, body)
	p.holds(p.files(http.StatusCreated, body.with("lossCause", "lost luggage")), record{"lossCause": "lost luggage"})
}

func coveredCauses(p *probe, line string) {
	policy := p.policy(line, 265)
	body, set := p.loss(line, policy, -2), valueSets[causeSets[line]]
	covered := policy.list(causes[line])
	if len(covered) == 0 {
		p.fail("the policy has no %s", causes[line])
	}
	for _, cause := range covered {
		p.holds(p.files(http.StatusCreated, body.with("lossCause", cause)), record{"lossCause": cause})
	}
	for _, cause := range []any{set[len(set)-1], unknownValue, "", nil} {
		p.refused(http.StatusUnprocessableEntity, "peril not covered", p.post("/claim", body.with("lossCause", cause)))
	}
}

func correctedCauses(p *probe, line string) {
	spellings := corrected[causeSets[line]]
	if len(spellings) == 0 {
		p.skip("no published cause of this line is misspelled")
	}
	for right, published := range spellings {
		policy := p.create(line, p.body(line, 0).with(causes[line], []string{right}))
		p.holds(policy, record{causes[line]: []string{published}})
		for _, cause := range []string{right, published} {
			p.holds(p.files(http.StatusCreated, p.loss(line, policy, -2).with("lossCause", cause)),
				record{"lossCause": published})
		}
	}
}

func afterCancellation(p *probe, line string) {
	policy := p.policy(line, 265)
	p.action(http.StatusOK, "/"+line+"/"+policy.text("id")+":cancel", nil)
	p.files(http.StatusCreated, p.loss(line, policy, -2))
	p.files(http.StatusConflict, p.loss(line, policy, 2))
}

// waits files claims within the waiting period of a policy that begins a number of days from now. Each must have one
// warning more than a claim against a policy without a waiting period. A configured reporting window may add its
// warning to both.
func waits(p *probe, line string, begins int, dates func(days int) record) {
	const period = 30
	body := p.body(line, 0).with("inceptionDate", p.instant(begins))
	with := p.create(line, body.with("waitingPeriod", period))
	without := p.create(line, body.without("waitingPeriod"))
	for _, c := range []struct{ days, more int }{{0, 1}, {period - 1, 1}, {period, 0}, {period + 1, 0}} {
		warned := p.files(http.StatusCreated, p.loss(line, with, 0).with(pairs(dates(c.days))...)).list("warnings")
		plain := p.files(http.StatusCreated, p.loss(line, without, 0).with(pairs(dates(c.days))...)).list("warnings")
		if len(warned)-len(plain) != c.more {
			p.fail("after %d of %d days there are %d warnings, without a waiting period %d", c.days, period,
				len(warned), len(plain))
		}
		for _, w := range warned {
			warning, _ := w.(map[string]any)
			for _, member := range []string{"type", "title", "detail"} {
				if record(warning).text(member) == "" {
					p.fail("a warning has no %s: %v", member, w)
				}
			}
		}
	}
}

// claimLifeRules are the rules about members of a claim that the implementation issues, and about its actions.
func claimLifeRules() []Rule {
	filed := func(p *probe) record { return p.loss("motorCoverage", p.one("motorCoverage"), -2) }
	return []Rule{
		{Name: "POST /claim issues a claimNumber, and returns claimStatus and status open", try: func(p *probe) {
			first, second := p.create("claim", filed(p)), p.create("claim", filed(p))
			p.holds(first, record{"claimStatus": "open", "status": "open"})
			if first.text("claimNumber") == "" || first["claimNumber"] == second["claimNumber"] {
				p.fail("the claim numbers are %q and %q", first.text("claimNumber"), second.text("claimNumber"))
			}
		}},
		{Name: "the initial reserve is the one sent, else 0", try: func(p *probe) {
			p.holds(p.create("claim", filed(p).with("reserve", 750)), record{"reserve": 750})
			p.holds(p.create("claim", filed(p)), record{"reserve": 0})
		}},
		{Name: "fnol is the instant of filing where it is not sent", try: func(p *probe) {
			got := p.create("claim", filed(p).without("fnol"))
			if !stamped(got.text("fnol")) || p.time(got, "fnol").Before(p.time(got, "lossDate")) {
				p.fail("fnol is %q", got.text("fnol"))
			}
		}},
		{Name: "PUT /claim/{id} replaces what is sent, sets lastUpdate, keeps the rest", try: func(p *probe) {
			claim := p.create("claim", filed(p))
			path := "/claim/" + claim.text("id")
			p.wants(http.StatusOK, p.put(path, record{"liabilityShare": 60, "reserve": 1800}))
			read := p.read(path)
			if !date.MatchString(read.text("lastUpdate")) {
				p.fail("lastUpdate is %q", read.text("lastUpdate"))
			}
			p.holds(read, claim.without("status", "warnings").with("liabilityShare", 60, "reserve", 1800))
		}},
		{Name: ":settle needs a paymentAmount above 0 and a known paymentMethod", try: func(p *probe) {
			path := "/claim/" + p.create("claim", filed(p)).text("id")
			for _, wrong := range []record{
				{}, settlement.without("paymentAmount"), settlement.without("paymentMethod"),
				settlement.with("paymentAmount", 0),
				settlement.with("paymentAmount", -1), settlement.with("paymentAmount", "250"),
				settlement.with("paymentMethod", unknownValue),
			} {
				p.refused(http.StatusBadRequest, "", p.post(path+":settle", wrong))
			}
			p.holds(p.read(path), record{"claimStatus": "open"})
		}},
		{Name: "POST /x/claim/{id}:pay adds a payment to a claim that is not closed, and leaves its status",
			try: interimPayments},
		{Name: "POST /x/claim/{id}:pay is the event exchange.claim.paid", slow: true, try: paidEvent},
		{Name: ":settle of 0 with a reason closes without a payment, and without one is 400", try: func(p *probe) {
			claim := p.create("claim", filed(p))
			path := "/claim/" + claim.text("id")
			for _, wrong := range []record{{"paymentAmount": 0}, {"paymentAmount": 0, "reason": " "},
				{"paymentAmount": -1, "reason": "none"}, {"paymentAmount": 1, "reason": "none"}} {
				p.refused(http.StatusBadRequest, "", p.post(path+":settle", wrong))
			}
			closed := p.action(http.StatusOK, path+":settle", record{"paymentAmount": 0, "reason": "not covered"})
			p.holds(closed, record{"status": "closed", "claimStatus": "closed"})
			payment, _ := closed.list("payments")[0].(map[string]any)
			p.holds(payment, record{"paymentAmount": 0, "paymentMethod": "", "reason": "not covered",
				"paidAt": closed["closedAt"]})
			if opened := p.reopened(claim); opened["closedAt"] != nil {
				p.fail("the claim is open again and was closed at %v", opened["closedAt"])
			}
		}},
		{Name: ":reopen takes a reserve, which sets lastUpdate, and a reason", try: func(p *probe) {
			claim := p.create("claim", filed(p))
			p.settle(claim)
			path := "/claim/" + claim.text("id")
			p.refused(http.StatusBadRequest, "", p.post(path+":reopen", record{"reserve": "much"}))
			opened := p.action(http.StatusOK, path+":reopen", record{"reserve": 77, "reason": p.name})
			p.holds(opened, record{"reserve": 77, "claimStatus": "reopened", "lastUpdate": opened["reopenDate"]})
		}},
		{Name: ":settle returns status closed and keeps every payment", try: func(p *probe) {
			claim := p.create("claim", filed(p))
			p.holds(p.settle(claim),
				record{"status": "closed", "claimStatus": "closed", "paymentMethod": settlement["paymentMethod"]})
			p.reopened(claim)
			p.action(http.StatusOK, "/claim/"+claim.text("id")+":settle",
				record{"paymentAmount": 75, "paymentMethod": "cash"})
			if text := string(p.get("/claim/" + claim.text("id")).body); !strings.Contains(text, "250") ||
				!strings.Contains(text, "75") || !strings.Contains(text, `"cash"`) {
				p.fail("the claim does not keep both payments, of 250 and of 75")
			}
		}},
		{Name: ":reopen sets reopenDate and returns status reopened", try: func(p *probe) {
			claim := p.create("claim", filed(p))
			p.settle(claim)
			reopened := p.reopened(claim)
			p.holds(reopened, record{"status": "reopened", "claimStatus": "reopened"})
			if day, err := time.Parse(time.DateOnly, reopened.text("reopenDate")); err != nil ||
				p.now().Sub(day).Abs() > 48*time.Hour {
				p.fail("reopenDate is %q, not today", reopened.text("reopenDate"))
			}
		}},
		{Name: "POST /claim/{id}/documents appends the url", try: func(p *probe) {
			claim := p.create("claim", filed(p).with("documents", []string{"https://files.example/1"}))
			path := "/claim/" + claim.text("id")
			for _, url := range []string{"https://files.example/2", "https://files.example/3"} {
				p.action(http.StatusOK, path+"/documents", record{"url": url, "type": "photograph"})
			}
			p.holds(p.read(path), record{"documents": []string{"https://files.example/1", "https://files.example/2",
				"https://files.example/3"}})
			p.refused(http.StatusBadRequest, "", p.post(path+"/documents", record{"type": "photograph"}))
		}},
		{Name: "an action on an id that names nothing is 404", try: func(p *probe) {
			for _, id := range unknownIDs {
				for path, body := range map[string]any{
					"/claim/" + id + ":settle": settlement, "/claim/" + id + ":reopen": nil,
					"/claim/" + id + "/documents":      record{"url": "https://files.example/1", "type": "photograph"},
					"/motorCoverage/" + id + ":cancel": nil, "/motorCoverage/" + id + ":renew": nil,
					"/motorCoverage/" + id + ":endorse": record{"endorsementType": "addition"},
					"/receipt/" + id + ":refund":        record{"receiptType": "other"},
				} {
					p.refused(http.StatusNotFound, "", p.post(path, body))
				}
			}
		}},
		{Name: "what is unusual about a claim is a warning, and no refusal", try: unusualClaims},
		{Name: "the number of a policy of another line decides what a claim is checked against", try: func(p *probe) {
			policy := p.policy("propertyCoverage", 265)
			p.create("claim", p.loss("propertyCoverage", policy, -2))
			p.refused(http.StatusUnprocessableEntity, "peril not covered",
				p.post("/claim", p.loss("propertyCoverage", policy, -2).with("lossCause", "fire")))
		}},
	}
}

// unusualClaims files claims that are unusual: each is made, also where the caller wants strict handling, and warns
// once of what is unusual.
func unusualClaims(p *probe) {
	policy := p.policy("motorCoverage", 265)
	usual := p.loss("motorCoverage", policy, -20)
	p.warns("", "/claim", usual)
	p.warns("possible-duplicate", "/claim", usual)
	for i, c := range []struct {
		kind   string
		change record
	}{
		{"notified-before-loss", record{"fnol": p.instant(-60)}},
		{"loss-in-the-future", record{"lossDate": p.instant(9), "fnol": p.instant(9)}},
		{"negative-amount", record{"reserve": -1}}, {"negative-amount", record{"excessAmount": -1}},
		{"share-out-of-range", record{"liabilityShare": 101}}, {"share-out-of-range", record{"liabilityShare": -1}},
	} {
		p.warns(c.kind, "/claim", p.loss("motorCoverage", policy, -30-i).with(pairs(c.change)...))
	}
}

// warns creates a record and fails the rule unless the response warns of one kind, or of none. A configured reporting
// window may add its warning.
func (p *probe) warns(kind, path string, body record) {
	made := p.wants(http.StatusCreated, p.post(path, body, "Prefer", "handling=strict"))
	var kinds []string
	for _, w := range made.list("warnings") {
		warning, _ := w.(map[string]any)
		if is := record(warning).text("type"); is != "late-notification" {
			kinds = append(kinds, is)
		}
	}
	if got := strings.Join(kinds, " "); got != kind {
		p.fail("%s warns of %q, not %q", path, got, kind)
	}
}

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
