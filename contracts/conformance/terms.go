package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
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

// dateRules are the rules about the effective dates of endorsements and cancellations.
func dateRules() []Rule {
	const sold = "sold"
	var rules []Rule
	// add adds a rule that is tried on a policy of each line, or of those whose causes an endorsement can change.
	add := func(name string, endorses bool, try func(p *probe, line, path string, policy record)) {
		rules = append(rules, Rule{Name: name, try: func(p *probe) {
			for _, line := range policyLines {
				if !endorses || causes[line] != "" {
					policy := p.policy(line, 265)
					try(p, line, "/"+line+"/"+policy.text("id"), policy)
				}
			}
		}})
	}
	add(":endorse with an effectiveDate: a loss is judged by what counts at lossDate", true, endorsedFrom)
	add(":endorse with an effectiveDate outside the term is 400, before that of the last endorsement 409", true,
		endorsedOutside)
	add(":endorse of a policy extension takes no effectiveDate (400)", false,
		func(p *probe, _, path string, policy record) {
			p.pointsToDate(p.refused(http.StatusBadRequest, "", p.post(path+":endorse", record{
				"endorsementType": extension, "expiryDate": p.instant(400), "effectiveDate": p.instant(-2)})))
			p.unchanged(path, policy)
		})
	add(":cancel with an effectiveDate ends cover then, and the status is cancelled at once", false,
		func(p *probe, line, path string, policy record) {
			for _, days := range []int{-100, -10, 20, 265} {
				ended := p.policy(line, 265)
				ends := p.instant(days)
				p.holds(p.action(http.StatusOK, "/"+line+"/"+ended.text("id")+":cancel",
					record{"reason": sold, "effectiveDate": ends}), record{"status": "cancelled", "coverEnds": ends})
				if read := p.read("/" + line + "/" + ended.text("id")); read["coverEnds"] != nil {
					p.fail("the record has coverEnds %v", read["coverEnds"])
				}
				at := p.time(record{"at": ends}, "at")
				p.files(http.StatusConflict, p.loss(line, ended, 0).with("lossDate", ends, "fnol", ends))
				before := at.Add(-time.Second).Format(time.RFC3339)
				status := http.StatusCreated
				if days == -100 {
					status = http.StatusConflict // void from the beginning
				}
				p.files(status, p.loss(line, ended, 0).with("lossDate", before, "fnol", before))
			}
			p.unchanged(path, policy)
		})
	add(":cancel with an effectiveDate outside the term, or that is no instant, is 400", false,
		func(p *probe, _, path string, policy record) {
			for _, wrong := range []any{
				p.day(-100).Add(-time.Second).Format(time.RFC3339), p.day(265).Add(time.Second).Format(time.RFC3339),
			} {
				p.pointsToDate(p.refused(http.StatusBadRequest, "invalid policy term",
					p.post(path+":cancel", record{"effectiveDate": wrong})))
			}
			for _, wrong := range []any{"2026-02-30T00:00:00Z", "soon", 7, true} {
				p.pointsToDate(p.refused(http.StatusBadRequest, "",
					p.post(path+":cancel", record{"effectiveDate": wrong})))
			}
			p.unchanged(path, policy)
		})
	add("a policy that insures what another one does, and a second renewal, warn", true,
		func(p *probe, line, path string, policy record) {
			body := p.body(line, 0)
			for _, member := range []string{
				"vehicleId", "businessId", "propertyId", "debtorId", "propertyRef", "petId",
			} {
				if policy[member] != nil {
					body[member] = policy[member]
				}
			}
			p.warns("possible-double-cover", "/"+line, body)
			if line != "travelCoverage" {
				p.action(http.StatusCreated, path+":renew", nil)
				again := p.action(http.StatusCreated, path+":renew", nil).list("warnings")
				if len(again) == 0 || !strings.Contains(fmt.Sprint(again), "renewed-already") {
					p.fail("the second renewal warns of %v", again)
				}
			}
		})
	add("replaces names a policy of any line when a policy is created (404, 400), and /x/policy of both says so", false,
		func(p *probe, line, _ string, policy record) {
			for wrong, status := range map[any]int{"POL-NONE": http.StatusNotFound, 7: http.StatusBadRequest} {
				refused := p.refused(status, "", p.post("/"+line, p.body(line, 0).with("replaces", wrong)))
				if pointers := refused.pointers(); len(pointers) != 1 || pointers[0] != "/replaces" {
					p.fail("the errors point to %v", pointers)
				}
			}
			got := p.create(line, p.body(line, 0).with("replaces", policy["policyNumber"]))
			p.holds(got, record{"replaces": policy["policyNumber"]})
			p.holds(p.read("/x/policy/"+policy.text("policyNumber")), record{"replacedBy": []any{got["policyNumber"]}})
			p.holds(p.read("/x/policy/"+got.text("policyNumber")), record{"replaces": policy["policyNumber"]})
		})
	add("brokerId and agentId name an insuranceEntity, by its id or ref: (404, 400)", false, broughtBy)
	add("GET /x/asof/{coverage}/{id}?effective= reads the version that counts at an instant", true, readInEffect)
	return rules
}

// broughtBy names a broker and an agent of a policy in each operation that takes them.
func broughtBy(p *probe, line, path string, policy record) {
	name := p.fresh("broker")
	broker := p.create("insuranceEntity", p.body("insuranceEntity", 0).with("externalReference", name)).text("id")
	person := p.create("personal", p.body("personal", 0)).text("id")
	for _, member := range []string{"brokerId", "agentId"} {
		for wrong, status := range map[any]int{
			unknownIDs[0]: http.StatusNotFound, person: http.StatusNotFound,
			"ref:" + p.fresh("none"): http.StatusNotFound, 7: http.StatusBadRequest,
		} {
			refused := []response{
				p.post("/"+line, p.body(line, 0).with(member, wrong)), p.put(path, policy.with(member, wrong)),
				p.post(path+":endorse", endorsing(p, line, record{member: wrong})),
			}
			if line != "travelCoverage" {
				refused = append(refused, p.post(path+":renew", record{member: wrong}))
			}
			for _, a := range refused {
				if pointers := p.refused(status, "", a).pointers(); len(pointers) != 1 || pointers[0] != "/"+member {
					p.fail("the errors point to %v", pointers)
				}
			}
		}
		p.unchanged(path, policy)
		p.holds(p.create(line, p.body(line, 0).with(member, "ref:"+name)), record{member: broker})
		p.holds(p.create(line, p.body(line, 0).with(member, broker)), record{member: broker})
	}
}

// pointsToDate fails the rule unless a refusal points to effectiveDate alone.
func (p *probe) pointsToDate(refused record) {
	if pointers := refused.pointers(); len(pointers) != 1 || pointers[0] != "/effectiveDate" {
		p.fail("the errors point to %v", pointers)
	}
}

// endorsement returns the body of an endorsement that changes what a policy covers, from an instant on.
func endorsement(line, effective string, covers ...any) record {
	return record{"endorsementType": "addition", "effectiveDate": effective, causes[line]: covers}
}

// endorsedFrom endorses a policy twice: what it covers is another before the first, between them and after the second.
func endorsedFrom(p *probe, line, _ string, _ record) {
	set := valueSets[causeSets[line]]
	first, others := set[0], set[1:3]
	policy := p.create(line, p.body(line, 0).with(causes[line], []any{first}))
	path := "/" + line + "/" + policy.text("id")
	for i, days := range []int{-30, -10} {
		date := p.instant(days)
		response := p.action(http.StatusOK, path+":endorse", endorsement(line, date, others[i]))
		p.holds(response, record{"status": "in force", "effectiveDate": date, causes[line]: []any{others[i]}})
		if read := p.read(path); read["effectiveDate"] != nil {
			p.fail("the record has the effectiveDate %v", read["effectiveDate"])
		}
	}
	for _, loss := range []struct {
		days   int
		covers string
	}{{-50, first}, {-20, others[0]}, {-5, others[1]}} {
		for _, cause := range []string{first, others[0], others[1]} {
			body := p.loss(line, policy, loss.days).with("lossCause", cause)
			if cause == loss.covers {
				p.files(http.StatusCreated, body)
			} else {
				p.refused(http.StatusUnprocessableEntity, "peril not covered", p.post("/claim", body))
			}
		}
	}
	// A correction by PUT counts from the last endorsement on.
	p.wants(http.StatusOK, p.put(path, p.read(path).with(causes[line], []any{first, others[1]})))
	p.files(http.StatusCreated, p.loss(line, policy, -5).with("lossCause", first))
	p.refused(http.StatusUnprocessableEntity, "peril not covered",
		p.post("/claim", p.loss(line, policy, -20).with("lossCause", first)))
}

func endorsedOutside(p *probe, line, path string, policy record) {
	covers := policy.list(causes[line])[0]
	for _, wrong := range []string{
		p.day(-100).Add(-time.Second).Format(time.RFC3339), p.instant(265), p.instant(300),
	} {
		p.pointsToDate(p.refused(http.StatusBadRequest, "invalid policy term",
			p.post(path+":endorse", endorsement(line, wrong, covers))))
	}
	p.unchanged(path, policy)
	p.action(http.StatusOK, path+":endorse", endorsement(line, p.instant(-10), covers))
	read := p.read(path)
	early := p.day(-10).Add(-time.Second).Format(time.RFC3339)
	refused := p.refused(http.StatusConflict, "", p.post(path+":endorse", endorsement(line, early, covers)))
	p.holds(refused, record{"effectiveDate": p.instant(-10)})
	p.unchanged(path, read)
	p.action(http.StatusOK, path+":endorse", endorsement(line, p.instant(-10), covers)) // the same date counts
}

func readInEffect(p *probe, line, path string, policy record) {
	covers := policy.list(causes[line])
	set := valueSets[causeSets[line]]
	date := p.instant(-10)
	p.action(http.StatusOK, path+":endorse", endorsement(line, date, set[len(set)-1]))
	at := func(days int, more ...string) string {
		values := url.Values{"effective": {p.instant(days)}}
		for _, known := range more {
			values.Set("at", known)
		}
		return "/x/asof" + path + "?" + values.Encode()
	}
	p.holds(p.read(at(-20)), record{causes[line]: covers, "effectiveDate": nil})
	for _, days := range []int{-10, 20} {
		p.holds(p.read(at(days)), record{causes[line]: []any{set[len(set)-1]}, "effectiveDate": date})
	}
	p.refused(http.StatusNotFound, "", p.get(at(-101)))
	history := p.read("/x/history/" + line + "/" + policy.text("id")).list("history")
	created, _ := history[0].(map[string]any)
	endorsed, _ := history[1].(map[string]any)
	if created["at"] != endorsed["at"] { // unless a clock stands still
		p.holds(p.read(at(20, record(created).text("at"))), record{causes[line]: covers, "effectiveDate": nil})
	}
	p.refused(http.StatusBadRequest, "", p.get("/x/asof"+path+"?effective=soon"))
}
