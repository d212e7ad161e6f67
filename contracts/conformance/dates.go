package conformance

import (
	"net/http"
	"net/url"
	"time"
)

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
			p.pointsTo("/effectiveDate", p.refused(http.StatusBadRequest, "", p.post(path+":endorse", record{
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
				p.pointsTo("/effectiveDate", p.refused(http.StatusBadRequest, "invalid policy term",
					p.post(path+":cancel", record{"effectiveDate": wrong})))
			}
			for _, wrong := range []any{"2026-02-30T00:00:00Z", "soon", 7, true} {
				p.pointsTo("/effectiveDate", p.refused(http.StatusBadRequest, "",
					p.post(path+":cancel", record{"effectiveDate": wrong})))
			}
			p.unchanged(path, policy)
		})
	add("GET /x/asof/{coverage}/{id}?effective= reads the version that counts at an instant", true, readInEffect)
	return rules
}

// pointsTo fails the rule unless a refusal points to one member.
func (p *probe) pointsTo(pointer string, refused record) {
	if pointers := refused.pointers(); len(pointers) != 1 || pointers[0] != pointer {
		p.fail("the errors point to %v, not to %s", pointers, pointer)
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
		p.pointsTo("/effectiveDate", p.refused(http.StatusBadRequest, "invalid policy term",
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
	p.holds(p.read(at(20, record(created).text("at"))), record{causes[line]: covers, "effectiveDate": nil})
	p.refused(http.StatusBadRequest, "", p.get("/x/asof"+path+"?effective=soon"))
}
