package conformance

import (
	"net/http"
	"strings"
	"time"
)

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
			made := p.create("claim", filed(p).without("fnol"))
			if !stamped(made.text("fnol")) || p.time(made, "fnol").Before(p.time(made, "lossDate")) {
				p.fail("fnol is %q", made.text("fnol"))
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
				{}, settlement.without("paymentAmount"), settlement.without("paymentMethod"), settlement.with("paymentAmount", 0),
				settlement.with("paymentAmount", -1), settlement.with("paymentAmount", "250"), settlement.with("paymentMethod", unknownValue),
			} {
				p.refused(http.StatusBadRequest, "", p.post(path+":settle", wrong))
			}
			p.holds(p.read(path), record{"claimStatus": "open"})
		}},
		{Name: ":settle returns status closed and keeps every payment", try: func(p *probe) {
			claim := p.create("claim", filed(p))
			p.holds(p.settle(claim), record{"status": "closed", "claimStatus": "closed", "paymentMethod": settlement["paymentMethod"]})
			p.reopened(claim)
			p.action(http.StatusOK, "/claim/"+claim.text("id")+":settle", record{"paymentAmount": 75, "paymentMethod": "cash"})
			if text := string(p.get("/claim/" + claim.text("id")).body); !strings.Contains(text, "250") || !strings.Contains(text, "75") || !strings.Contains(text, `"cash"`) {
				p.fail("the claim does not keep both payments, of 250 and of 75")
			}
		}},
		{Name: ":reopen sets reopenDate and returns status reopened", try: func(p *probe) {
			claim := p.create("claim", filed(p))
			p.settle(claim)
			reopened := p.reopened(claim)
			p.holds(reopened, record{"status": "reopened", "claimStatus": "reopened"})
			if day, err := time.Parse(time.DateOnly, reopened.text("reopenDate")); err != nil || time.Since(day).Abs() > 48*time.Hour {
				p.fail("reopenDate is %q, not today", reopened.text("reopenDate"))
			}
		}},
		{Name: "POST /claim/{id}/documents appends the url", try: func(p *probe) {
			claim := p.create("claim", filed(p).with("documents", []string{"https://files.example/1"}))
			path := "/claim/" + claim.text("id")
			for _, url := range []string{"https://files.example/2", "https://files.example/3"} {
				p.action(http.StatusOK, path+"/documents", record{"url": url, "type": "photograph"})
			}
			p.holds(p.read(path), record{"documents": []string{"https://files.example/1", "https://files.example/2", "https://files.example/3"}})
			p.refused(http.StatusBadRequest, "", p.post(path+"/documents", record{"type": "photograph"}))
		}},
		{Name: "an action on an id that names nothing is 404", try: func(p *probe) {
			for _, id := range unknownIDs {
				for path, body := range map[string]any{
					"/claim/" + id + ":settle": settlement, "/claim/" + id + ":reopen": nil,
					"/claim/" + id + "/documents":      record{"url": "https://files.example/1", "type": "photograph"},
					"/motorCoverage/" + id + ":cancel": nil, "/motorCoverage/" + id + ":renew": nil,
					"/motorCoverage/" + id + ":endorse": record{"endorsementType": "addition"}, "/receipt/" + id + ":refund": record{"receiptType": "other"},
				} {
					p.refused(http.StatusNotFound, "", p.post(path, body))
				}
			}
		}},
		{Name: "the number of a policy of another line decides what a claim is checked against", try: func(p *probe) {
			policy := p.policy("propertyCoverage", 265)
			p.create("claim", p.loss("propertyCoverage", policy, -2))
			p.refused(http.StatusUnprocessableEntity, "peril not covered", p.post("/claim", p.loss("propertyCoverage", policy, -2).with("lossCause", "fire")))
		}},
	}
}
