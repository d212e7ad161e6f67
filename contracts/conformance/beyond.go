package conformance

import (
	"net/http"
	"strings"
)

// beyondRules are the rules about operations beyond the interface, under /x/. An implementation may lack them.
func beyondRules() []Rule {
	var rules []Rule
	for _, r := range resources {
		rules = append(rules, Rule{Name: "GET /x/history/" + r.name + "/{id} lists the creation", try: func(p *probe) {
			_, made := p.full(r)
			p.happened(r.name, made, "created")
			p.refused(http.StatusNotFound, "", p.get("/x/history/"+r.name+"/"+unknownIDs[0]))
		}})
	}
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
	)
}

// happened fails the rule unless the history of a record lists these events in order, and returns the text of the
// history. It skips the rule if there is no such path.
func (p *probe) happened(resource string, made record, events ...string) string {
	path := "/x/history/" + resource + "/" + made.text("id")
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
	if claims := p.list("/claim?policyNumber=" + policy.text("policyNumber")); len(claims) > 0 {
		p.fail("the trials wrote %d claims", len(claims))
	}
}
