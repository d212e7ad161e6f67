package conformance

import (
	"net/http"
	"time"
)

// termRules are the rules of :endorse, :cancel and :renew about the term and the members of a policy.
func termRules() []Rule {
	var rules []Rule
	add := func(name string, try func(p *probe, line, path string, policy record)) {
		for _, line := range policyLines {
			if line == "travelCoverage" && !onTravel[name] {
				continue
			}
			rules = append(rules, Rule{Name: line + " " + name, try: func(p *probe) {
				policy := p.policy(line, 265)
				try(p, line, "/"+line+"/"+policy.text("id"), policy)
			}})
		}
	}
	add(extensionLater, func(p *probe, _, path string, policy record) {
		for _, expiry := range []any{nil, policy["expiryDate"], p.instant(264), p.instant(-101)} {
			p.refused(http.StatusBadRequest, "invalid policy term",
				p.post(path+":endorse", record{"endorsementType": extension, "expiryDate": expiry}))
		}
		p.unchanged(path, policy)
	})
	add(":endorse other than policy extension does not move expiryDate", func(p *probe, _, path string, policy record) {
		p.refused(http.StatusBadRequest, "",
			p.post(path+":endorse", record{"endorsementType": "addition", "expiryDate": p.instant(300)}))
		p.unchanged(path, policy)
	})
	add(endorsementTypeKnown, func(p *probe, _, path string, policy record) {
		for _, body := range []record{{}, {"endorsementType": unknownValue}, {"endorsementType": 7}} {
			p.refused(http.StatusBadRequest, "", p.post(path+":endorse", body))
		}
		p.unchanged(path, policy)
	})
	add(":endorse changes no identity, number or status", func(p *probe, line, path string, policy record) {
		for member, value := range map[string]any{"policyNumber": p.one(line)["policyNumber"], "status": "cancelled",
			"id": p.id(line)} {
			a := p.post(path+":endorse", record{"endorsementType": "addition", member: value})
			if a.status != http.StatusBadRequest && a.status != http.StatusConflict {
				p.fail("an endorsement with another %s returns %d, neither 400 nor 409", member, a.status)
			}
			p.refused(a.status, "", a)
		}
		p.unchanged(path, policy)
	})
	add(cancelReason, func(p *probe, _, path string, _ record) {
		p.holds(p.action(http.StatusOK, path+":cancel", record{"reason": "sold"}), record{"status": "cancelled"})
	})
	add(":renew takes the fields of the new term from its body", func(p *probe, _, path string, policy record) {
		changes := record{"inceptionDate": p.instant(400), "expiryDate": p.instant(500), "x-renewed": p.name}
		renewed := p.action(http.StatusCreated, path+":renew", changes)
		p.holds(renewed, changes)
		p.unchanged(path, policy)
	})
	add(":renew to a term that is not in order is 400", func(p *probe, _, path string, policy record) {
		p.refused(http.StatusBadRequest, "invalid policy term",
			p.post(path+":renew", record{"inceptionDate": p.instant(400), "expiryDate": p.instant(300)}))
		p.unchanged(path, policy)
	})
	for _, line := range []string{"travelCoverage", "tradeCreditCoverage", "businessInterruptionCoverage",
		"petCoverage"} {
		rules = append(rules, Rule{Name: line + " without expiryDate cannot be extended (409), and is renewed with " +
			"both dates alone (400)", try: func(p *probe) {
			endless(p, line)
		}})
	}
	return append(rules, endorsedRules()...)
}

// The rules that hold for travelCoverage as well.
const (
	extensionLater       = ":endorse policy extension needs a later expiryDate"
	endorsementTypeKnown = ":endorse needs a known endorsementType"
	cancelReason         = ":cancel takes a reason"
)

var onTravel = map[string]bool{extensionLater: true, endorsementTypeKnown: true, cancelReason: true}

func endless(p *probe, line string) {
	policy := p.create(line, p.body(line, 0).without("expiryDate"))
	path := "/" + line + "/" + policy.text("id")
	p.refused(http.StatusConflict, "",
		p.post(path+":endorse", record{"endorsementType": extension, "expiryDate": p.instant(300)}))
	if line != "travelCoverage" {
		p.refused(http.StatusBadRequest, "", p.post(path+":renew", nil))
		p.refused(http.StatusBadRequest, "", p.post(path+":renew", record{"expiryDate": p.instant(300)}))
		p.action(http.StatusCreated, path+":renew",
			record{"inceptionDate": p.instant(300), "expiryDate": p.instant(400)})
	}
	p.unchanged(path, policy)
}

// endorsed are the fields of each line that an endorsement may change, with values, and one that it must not change.
var endorsed = []struct {
	line           string
	changes, wrong record
	status         int
	words          string
}{
	{"motorCoverage", record{"perils": []string{"war"}, "grossWrittenPremium": 99},
		record{"perils": []string{unknownValue}}, 400, "unknown peril code"},
	{"cyberLiabilityCoverage", record{"indemnityLimitPolicy": 99}, record{"indemnityLimitPolicy": 0}, 400,
		"invalid indemnity limit"},
	{"propertyCoverage", record{"deductibleAmountBuilding": 99}, record{"propertyId": unknownIDs[0]}, 404,
		"property not found"},
	{"tradeCreditCoverage", record{"creditLimit": 99}, record{"creditLimit": 0}, 400, "invalid credit limit"},
	{"businessInterruptionCoverage", record{"IndemnityPeriod": 99}, record{"IndemnityPeriod": 0}, 400,
		"invalid indemnity period"},
	{"petCoverage", record{"waitingPeriod": 99}, record{"benefits": []string{unknownValue}}, 400, "unknown benefit"},
}

func endorsedRules() []Rule {
	var rules []Rule
	for _, e := range endorsed {
		rules = append(rules,
			Rule{Name: e.line + " :endorse changes fields, which pass the checks of a create", try: func(p *probe) {
				policy := p.policy(e.line, 265)
				path := "/" + e.line + "/" + policy.text("id")
				for _, kind := range []string{"addition", "deletion"} {
					p.holds(p.action(http.StatusOK, path+":endorse", e.changes.with("endorsementType", kind)),
						e.changes)
				}
				p.holds(p.read(path), policy.with(pairs(e.changes)...))
				wrong := e.wrong.with("endorsementType", "addition")
				p.refused(e.status, e.words, p.post(path+":endorse", wrong))
				p.holds(p.read(path), policy.with(pairs(e.changes)...))
			}})
	}
	rules = append(rules, Rule{Name: "a policy extension moves the end of the term and nothing of its beginning",
		try: func(p *probe) {
			policy := p.policy("motorCoverage", 265)
			p.holds(p.extended(policy, "motorCoverage", 300),
				policy.with("status", "extended", "expiryDate", p.day(300).Format(time.RFC3339)))
		}})
	return rules
}

// pairs returns the members of a record as names and values.
func pairs(r record) []any {
	var all []any
	for name, value := range r {
		all = append(all, name, value)
	}
	return all
}
