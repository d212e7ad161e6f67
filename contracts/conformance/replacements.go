package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// correctionRules are the rules about replacements: PUT writes a whole record, which must pass the checks of a
// creation.
func correctionRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	add("PUT /personal/{id} with nothing is 400, and changes nothing", func(p *probe) {
		got := p.create("personal", p.body("personal", 0))
		path := "/personal/" + got.text("id")
		p.refused(http.StatusBadRequest, "required fields missing", p.put(path, record{}))
		p.unchanged(path, got)
	})
	for _, line := range policyLines {
		add("PUT /"+line+"/{id} without a member that a create requires is refused", func(p *probe) {
			policy := p.policy(line, 265)
			path := "/" + line + "/" + policy.text("id")
			for _, member := range requiredOf[line] {
				p.refused(http.StatusBadRequest, "", p.put(path, policy.without(member)))
			}
			p.unchanged(path, policy)
		})
		add("PUT /"+line+"/{id} with a term that is not in order is 400", func(p *probe) {
			policy := p.policy(line, 265)
			path := "/" + line + "/" + policy.text("id")
			p.refused(http.StatusBadRequest, "invalid policy term",
				p.put(path, policy.with("expiryDate", p.instant(-101))))
			p.unchanged(path, policy)
		})
		add("PUT /"+line+"/{id} on an extended policy cannot end it before its extension begins (400)", func(p *probe) {
			policy := p.extended(p.policy(line, 265), line, 300)
			path := "/" + line + "/" + policy.text("id")
			for _, days := range []int{200, 265} {
				p.refused(http.StatusBadRequest, "", p.put(path, policy.with("expiryDate", p.instant(days))))
			}
			p.unchanged(path, policy)
		})
	}
	add("POST /pet: petBreed is checked for a dog; another pet's is kept as sent", func(p *probe) {
		const breed = "Europäisch Kurzhaar"
		p.refused(http.StatusBadRequest, "",
			p.post("/pet", record{"petName": "Rex", "petKind": "dog", "petBreed": breed}))
		got := p.create("pet", record{"petName": "Tom", "petKind": "cat", "petBreed": breed})
		p.holds(p.read("/pet/"+got.text("id")), record{"petBreed": breed})
		p.refused(http.StatusBadRequest, "", p.put("/pet/"+got.text("id"), got.with("petKind", "dog")))
	})
	for _, e := range []struct{ kind, action string }{{"policy cancellation", ":cancel"},
		{"policy renewal", ":renew"}} {
		add(":endorse of the type "+e.kind+" leaves the policy in force, and warns that "+e.action+" does that",
			func(p *probe) {
				policy := p.policy("motorCoverage", 265)
				path := "/motorCoverage/" + policy.text("id")
				response := p.action(http.StatusOK, path+":endorse", record{"endorsementType": e.kind,
					"x-endorsed": p.name})
				p.holds(response, record{"status": "in force"})
				if warnings := response.list("warnings"); len(warnings) != 1 ||
					!strings.Contains(fmt.Sprint(warnings...), e.action) {
					p.fail("the warnings are %v", warnings)
				}
				p.holds(p.read(path), record{"status": "in force", "expiryDate": policy["expiryDate"]})
			})
	}
	for _, c := range []struct {
		what, from string
		ends       []string
	}{
		{"a year", "2026-03-01 00:00:00", []string{"2027-03-01 00:00:00", "2028-03-01 00:00:00"}},
		{"a year that ends in a leap year", "2027-03-01 00:00:00",
			[]string{"2028-03-01 00:00:00", "2029-03-01 00:00:00"}},
		{"a month", "2026-02-01 00:00:00", []string{"2026-03-01 00:00:00", "2026-04-01 00:00:00"}},
		{"ten days", "2026-02-02 00:00:00", []string{"2026-02-12 00:00:00", "2026-02-22 00:00:00"}},
		{"three hundred years", "2000-01-01 00:00:00", []string{"2300-01-01 00:00:00", "2600-01-01 00:00:00"}},
		{"a year from 29 February", "2024-02-29 00:00:00", []string{"2025-02-28 00:00:00", "2026-02-28 00:00:00",
			"2027-02-28 00:00:00", "2028-02-29 00:00:00"}},
		{"a year until a second before midnight", "2026-01-01 00:00:00",
			[]string{"2026-12-31 23:59:59", "2027-12-31 23:59:59", "2028-12-31 23:59:59"}},
		{"half a year until 30 June", "2026-01-01 00:00:00",
			[]string{"2026-06-30 00:00:00", "2026-12-31 00:00:00", "2027-06-30 00:00:00"}},
		{"a quarter from the last day of a month", "2026-11-30 12:00:00",
			[]string{"2027-02-28 12:00:00", "2027-05-30 12:00:00", "2027-08-30 12:00:00"}},
	} {
		add(":renew of a term of "+c.what+" keeps its length by the calendar", func(p *probe) {
			from := p.shown(c.from)
			body := p.body("motorCoverage", 0).with("inceptionDate", from, "expiryDate", p.shown(c.ends[0]))
			policy := p.create("motorCoverage", body)
			for i, ends := range c.ends[1:] {
				policy = p.action(http.StatusCreated, "/motorCoverage/"+policy.text("id")+":renew", nil)
				p.holds(policy, record{"inceptionDate": p.shown(c.ends[i]), "expiryDate": p.shown(ends)})
			}
		})
	}
	add(":renew to a term that leaves the years 0001 to 9999 is 400, and changes nothing", func(p *probe) {
		policy := p.create("motorCoverage", p.body("motorCoverage", 0).with("expiryDate", "9999-12-31T00:00:00Z"))
		path := "/motorCoverage/" + policy.text("id")
		p.refused(http.StatusBadRequest, "", p.post(path+":renew", nil))
		p.unchanged(path, policy)
		p.action(http.StatusOK, path+":cancel", nil)
	})
	return rules
}

// requiredOf are members that a creation of each line requires.
var requiredOf = map[string][]string{
	"motorCoverage":                {"policyholderId", "vehicleId", "driverId", "inceptionDate", "expiryDate"},
	"cyberLiabilityCoverage":       {"policyholderId", "businessId", "indemnityLimitPolicy", "expiryDate"},
	"travelCoverage":               {"policyholderId", "travellerIds", "destination"},
	"propertyCoverage":             {"policyholderId", "propertyId", "inceptionDate"},
	"tradeCreditCoverage":          {"policyholderId", "debtorId", "tradeCreditType", "creditLimit"},
	"businessInterruptionCoverage": {"propertyRef", "type", "IndemnityPeriod"},
	"petCoverage":                  {"policyholderId", "petId"},
}

// renewedTo returns the end of the term that follows a term. It has as many months if the term consists of whole
// months, or would with a day more, and otherwise the same length.
func renewedTo(from, to time.Time) time.Time {
	for days := range 2 {
		over := to.AddDate(0, 0, days)
		months := 12*(over.Year()-from.Year()) + int(over.Month()-from.Month())
		if months > 0 && from.AddDate(0, months, 0).Equal(over) {
			return over.AddDate(0, months, -days)
		}
	}
	return to.Add(to.Sub(from))
}

// versionRules are the rules about ETag, If-Match and If-None-Match.
func versionRules() []Rule {
	var rules []Rule
	for _, r := range resources {
		if immutable[r.name] && r.name != "claim" {
			continue
		}
		rules = append(rules, Rule{Name: "PUT /" + r.name + "/{id}: a stale If-Match is 412, the current one is not",
			try: func(p *probe) {
				body, got := p.full(r)
				path := "/" + r.name + "/" + got.text("id")
				seen := p.tag(path)
				change := body.with("x-more", 1)
				p.wants(http.StatusOK, p.put(path, change, "If-Match", seen))
				if p.tag(path) == seen {
					p.fail("the record has changed, its ETag %s has not", seen)
				}
				p.refused(http.StatusPreconditionFailed, "", p.put(path, body.with("x-more", 2), "If-Match", seen))
				p.holds(p.read(path), record{"x-more": 1})
			}})
	}
	rules = append(rules,
		Rule{Name: "If-None-Match compares weakly: what a caller has is 304", try: func(p *probe) {
			path := "/vehicle/" + p.create("vehicle", p.body("vehicle", 0)).text("id")
			tag := p.tag(path)
			for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
				if a := p.get(path, "If-None-Match", known); a.status != http.StatusNotModified || len(a.body) > 0 ||
					a.header.Get("ETag") != tag {
					p.fail("If-None-Match: %s returns %d with the ETag %q", known, a.status, a.header.Get("ETag"))
				}
			}
			p.wants(http.StatusOK, p.get(path, "If-None-Match", `"other"`))
		}},
		Rule{Name: "If-Match compares strongly: a weak tag is 400, as is what is no tag", try: func(p *probe) {
			body := p.body("vehicle", 0)
			path := "/vehicle/" + p.create("vehicle", body).text("id")
			tag := p.tag(path)
			for _, none := range []string{"W/" + tag, strings.Trim(tag, `"`), "1"} {
				p.refused(http.StatusBadRequest, "", p.put(path, body.with("x-more", 1), "If-Match", none))
				p.refused(http.StatusBadRequest, "", p.get(path, "If-Match", none))
			}
			p.refused(http.StatusPreconditionFailed, "",
				p.put(path, body.with("x-more", 1), "If-Match", "W/"+tag+`, "other"`))
			if p.tag(path) != tag {
				p.fail("the refused replacement changed the ETag from %s to %s", tag, p.tag(path))
			}
			p.wants(http.StatusOK, p.put(path, body, "If-Match", `"other", `+tag))
			p.wants(http.StatusOK, p.put(path, body, "If-Match", "*"))
		}})
	rules = append(rules, conditionRules()...)
	for _, o := range postings() {
		if !isAction(o.name) {
			continue
		}
		rules = append(rules,
			Rule{Name: o.name + ": an If-None-Match that names the record's version is 412", try: func(p *probe) {
				path, body := o.prepare(p)
				for _, known := range []string{"*", p.tag(recordOf(path))} {
					p.refused(http.StatusPreconditionFailed, "", p.post(path, body, "If-None-Match", known))
				}
				p.wants(o.status, p.post(path, body, "If-None-Match", `"other"`))
			}},
			Rule{Name: o.name + ": a stale If-Match is 412, the current one is not", try: func(p *probe) {
				path, body := o.prepare(p)
				p.refused(http.StatusPreconditionFailed, "", p.post(path, body, "If-Match", `"stale-`+p.name+`"`))
				p.wants(o.status, p.post(path, body, "If-Match", p.tag(recordOf(path))))
			}})
	}
	return append(rules, Rule{Name: fmt.Sprintf("of %d replacements with one If-Match at once, one is made", callers),
		try: oneReplacement})
}

// conditionRules are the rules about If-Match on a read, If-None-Match on a write, and both on a creation.
func conditionRules() []Rule {
	return []Rule{
		{Name: "GET and HEAD with an If-Match that does not name the record's version are 412", try: func(p *probe) {
			path := "/vehicle/" + p.create("vehicle", p.body("vehicle", 0)).text("id")
			tag := p.tag(path)
			for _, other := range []string{`"other"`, `"other", W/` + tag} {
				p.refused(http.StatusPreconditionFailed, "", p.get(path, "If-Match", other))
				head, err := p.send(http.MethodHead, path, nil, "If-Match", other)
				if p.must(err); head.status != http.StatusPreconditionFailed {
					p.fail("HEAD with If-Match: %s returns %d", other, head.status)
				}
			}
			p.wants(http.StatusOK, p.get(path, "If-Match", tag))
			p.wants(http.StatusOK, p.get(path, "If-Match", "*"))
		}},
		{Name: "PUT with an If-None-Match that names the record's version is 412", try: func(p *probe) {
			body := p.body("vehicle", 0)
			path := "/vehicle/" + p.create("vehicle", body).text("id")
			tag := p.tag(path)
			for _, known := range []string{"*", tag, "W/" + tag} {
				p.refused(http.StatusPreconditionFailed, "",
					p.put(path, body.with("x-more", 1), "If-None-Match", known))
			}
			if p.tag(path) != tag {
				p.fail("a refused replacement changed the ETag from %s to %s", tag, p.tag(path))
			}
			p.wants(http.StatusOK, p.put(path, body, "If-None-Match", `"other"`))
		}},
		{Name: "PUT with an If-None-Match that has no entity tag is 400, a GET passes it over", try: func(p *probe) {
			body := p.body("vehicle", 0)
			path := "/vehicle/" + p.create("vehicle", body).text("id")
			p.refused(http.StatusBadRequest, "", p.put(path, body.with("x-more", 1), "If-None-Match", "1"))
			p.wants(http.StatusOK, p.get(path, "If-None-Match", "1"))
		}},
		{Name: "a creation ignores If-Match and If-None-Match", try: func(p *probe) {
			p.wants(http.StatusCreated, p.post("/vehicle", p.body("vehicle", 0), "If-None-Match", "*",
				"If-Match", `"other"`))
		}},
		{Name: "no cache may keep a record (Cache-Control: no-store), nor a browser guess its type (nosniff)",
			try: func(p *probe) {
				a := p.get("/vehicle/" + p.create("vehicle", p.body("vehicle", 0)).text("id"))
				if !strings.Contains(a.header.Get("Cache-Control"), "no-store") ||
					a.header.Get("X-Content-Type-Options") != "nosniff" {
					p.fail("the headers are %v", a.header)
				}
			}},
	}
}

// tag returns the ETag of the record at a path.
func (p *probe) tag(path string) string {
	a := p.get(path)
	p.wants(http.StatusOK, a)
	tag := a.header.Get("ETag")
	if tag == "" {
		p.fail("GET %s returns no ETag", path)
	}
	return tag
}

func oneReplacement(p *probe) {
	body := p.body("vehicle", 0)
	path := "/vehicle/" + p.create("vehicle", body).text("id")
	seen := p.tag(path)
	statuses, errs := make([]int, callers), make([]error, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			var a response
			a, errs[i] = p.send(http.MethodPut, path, body.with("x-caller", i), "If-Match", seen)
			statuses[i] = a.status
		})
	}
	group.Wait()
	made := -1
	for i, status := range statuses {
		p.must(errs[i])
		switch {
		case status == http.StatusOK && made < 0:
			made = i
		case status != http.StatusPreconditionFailed:
			p.fail("the replacements return %v", statuses)
		}
	}
	p.holds(p.read(path), record{"x-caller": made})
}
