package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// errorRules are the rules about the errors table: each row alone, and each pair of neighbouring rows together, for
// which the earlier row decides the response.
func errorRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, e := range errorTable {
		for i, r := range e.rows {
			name := fmt.Sprintf("POST /%s %s: %s is %d", e.resource, number(r.order), r.condition, r.status)
			if r.fault == nil {
				add(fmt.Sprintf("POST /%s %s: %s", e.resource, number(r.order), r.condition), func(p *probe) {
					p.skip(r.unreachable)
				})
				continue
			}
			add(strings.TrimSpace(name+" "+r.words), func(p *probe) { decided(p, e.resource, r) })
			for _, later := range e.rows[i+1:] {
				if later.fault != nil && e.neighbours(r, later) {
					add(fmt.Sprintf("POST /%s: %s (%s) is decided before %s (%s)", e.resource, r.condition,
						number(r.order), later.condition, number(later.order)),
						func(p *probe) { decided(p, e.resource, r, later) })
				}
			}
		}
	}
	add("POST /pet: a dog without petBreed is 400 dog breed required", func(p *probe) {
		p.refused(http.StatusBadRequest, "dog breed required",
			p.post("/pet", record{"petName": "Rex", "petKind": "dog"}))
		p.create("pet", record{"petName": "Rex", "petKind": "dog", "breed": "Boxer"})
		p.create("pet", record{"petName": "Tom", "petKind": "cat"})
	})
	add("POST /personal: all required fields that are missing are listed, each with its pointer", allMissing)
	add("POST /motorCoverage: a licence that ends today is good", licenceOfToday)
	add("parties are not de-duplicated on their name", func(p *probe) {
		body := p.body("personal", 0)
		p.create("personal", body)
		p.create("personal", body.with("idNumber", p.fresh("id")))
	})
	add("POST /personal: an identity that exists is decided before a country that does not", func(p *probe) {
		got := p.create("personal", p.body("personal", 0))
		again := p.body("personal", 1).with("idType", got["idType"], "idNumber", got["idNumber"], "address",
			record{"country": "XX"})
		p.holds(p.refused(http.StatusConflict, "", p.post("/personal", again)), record{"existingId": got["id"]})
	})
	add("PUT /personal to the identity of another party is the same 409", func(p *probe) {
		one, other := p.create("personal", p.body("personal", 0)), p.create("personal", p.body("personal", 1))
		body := p.body("personal", 1).with("idType", one["idType"], "idNumber", one["idNumber"])
		problem := p.refused(http.StatusConflict, "", p.put("/personal/"+other.text("id"), body))
		p.holds(problem, record{"existingId": one["id"]})
	})
	add("a problem of another title has another type", typesDiffer)
	for _, u := range unlisted {
		add(u.name+" is "+http.StatusText(u.status)+", a problem with every member", func(p *probe) {
			p.refused(u.status, "", u.send(p))
		})
	}
	return rules
}

// number returns the order of a row in words. A half is a row that the interface does not number, between two that it
// does.
func number(order float64) string {
	if whole := int(order); order == float64(whole) {
		return fmt.Sprintf("row %d", whole)
	}
	return fmt.Sprintf("after row %d", int(order))
}

// neighbours reports whether a row comes before another with no reachable row between them.
func (e endpoint) neighbours(earlier, later row) bool {
	return earlier.order < later.order && !slices.ContainsFunc(e.rows, func(r row) bool {
		return r.fault != nil && earlier.order < r.order && r.order < later.order
	})
}

// decided sends a request that has the faults of several rows. It puts them in from the last row to the first. It fails
// the rule unless the response is the one of the first row.
func decided(p *probe, resource string, rows ...row) {
	a := &creation{body: p.body(resource, 0)}
	for _, r := range slices.Backward(rows) {
		r.fault(p, a)
	}
	first, got := rows[0], p.post("/"+resource, a.body, a.headers...)
	var response record
	if first.status < http.StatusBadRequest {
		response = p.wants(first.status, got)
	} else {
		response = p.refused(first.status, first.words, got)
	}
	if first.required != "" {
		if !strings.Contains(response.text("title")+" "+response.text("detail"), first.required+" is required") ||
			!slices.Contains(response.pointers(), "/"+first.required) {
			p.fail("the problem does not say that %s is required: %s %v", first.required, response.text("detail"),
				response.pointers())
		}
	}
	if first.judge != nil {
		first.judge(p, a, response)
	}
}

// severalTravellers returns the fault of two travellers with a value of isGroup, which is nil for none.
func severalTravellers(isGroup any) func(*probe, *creation) {
	return func(p *probe, a *creation) {
		second := p.create("traveller", p.body("traveller", 1))
		a.body = a.body.with("travellerIds", []any{p.id("traveller"), second["id"]}, "isGroup", isGroup)
	}
}

func lossOn(days int) func(*probe, *creation) {
	return func(p *probe, a *creation) { a.body = a.body.with("lossDate", p.instant(days)) }
}

// keySeen returns the fault of an Idempotency-Key that was sent before with the same body.
func keySeen(resource string) func(*probe, *creation) {
	return func(p *probe, a *creation) {
		key := p.fresh("key")
		a.made = p.create(resource, a.body, "Idempotency-Key", key)
		a.headers = append(a.headers, "Idempotency-Key", key)
	}
}

// replayed fails the rule unless the response is the record that was created with the key.
func replayed(p *probe, a *creation, response record) { p.holds(response, record{"id": a.made["id"]}) }

// identityTaken is the fault of an identity that a party has.
func identityTaken(p *probe, a *creation) { a.made = p.create("personal", a.body) }

// existingID fails the rule unless the conflict has the id of the party that exists.
func existingID(p *probe, a *creation, response record) {
	p.holds(response, record{"existingId": a.made["id"]})
}

func licenceOfToday(p *probe) {
	now := p.now().In(p.zone)
	if now.Add(time.Minute).Day() != now.Day() {
		p.skip("the day is about to end, and with it the licence")
	}
	driver := p.create("driver", p.body("driver", 0).with("licence", record{"expiryDate": now.Format(time.DateOnly)}))
	p.create("motorCoverage", p.body("motorCoverage", 0).with("driverId", driver["id"]))
}

func allMissing(p *probe) {
	want := []string{"/address", "/dob", "/firstName", "/idNumber", "/idType", "/lastName"}
	got := p.refused(http.StatusBadRequest, "required fields missing", p.post("/personal", record{})).pointers()
	if slices.Sort(got); !slices.Equal(got, want) {
		p.fail("the errors point to %v, not to %v", got, want)
	}
}

func typesDiffer(p *probe) {
	titles := map[string]string{}
	for _, got := range []response{
		p.post("/personal", record{}), p.post("/product", record{"lineOfBusiness": 0}),
		p.post("/pet", record{"petKind": "dog"}),
		p.post("/receipt", record{}), p.post("/claim", record{"policyNumber": "POL-NONE"}),
		p.get("/vehicle/" + unknownIDs[0]),
	} {
		problem := p.refused(got.status, "", got)
		if other, has := titles[problem.text("type")]; has && other != problem.text("title") {
			p.fail("%q and %q have the type %s", other, problem.text("title"), problem.text("type"))
		}
		titles[problem.text("type")] = problem.text("title")
	}
}

// unlisted are refusals that the errors table does not list.
var unlisted = []struct {
	name   string
	status int
	send   func(*probe) response
}{
	{"no token", http.StatusUnauthorized, func(p *probe) response { return p.get("/vehicle", "Authorization", none) }},
	{"a token that is none", http.StatusUnauthorized, func(p *probe) response {
		return p.get("/vehicle", "Authorization", "Bearer none")
	}},
	{"an unknown path", http.StatusNotFound, func(p *probe) response { return p.get("/boat") }},
	{"an unknown id", http.StatusNotFound, func(p *probe) response { return p.get("/vehicle/" + unknownIDs[0]) }},
	{"another method", http.StatusMethodNotAllowed, func(p *probe) response {
		return p.do(http.MethodDelete, "/vehicle", nil)
	}},
	{"another media type", http.StatusUnsupportedMediaType, func(p *probe) response {
		return p.post("/vehicle", record{}, "Content-Type", "text/plain")
	}},
	{"a large body", http.StatusRequestEntityTooLarge, func(p *probe) response {
		return p.post("/vehicle", strings.Repeat(" ", maxBody+1))
	}},
	{"a malformed body", http.StatusBadRequest, func(p *probe) response { return p.post("/vehicle", "{") }},
	{"an unknown parameter", http.StatusBadRequest, func(p *probe) response { return p.get("/vehicle?colour=blue") }},
	{"a member of a wrong type", http.StatusBadRequest, func(p *probe) response {
		return p.post("/vehicle", record{"vin": 7})
	}},
	{"a state that forbids the action", http.StatusConflict, func(p *probe) response {
		return p.post("/claim/"+p.claim().text("id")+":reopen", nil)
	}},
	{"a second refund", http.StatusConflict, func(p *probe) response {
		path := "/receipt/" + p.create("receipt", p.body("receipt", 0)).text("id") + ":refund"
		p.action(http.StatusCreated, path, refund)
		return p.post(path, refund)
	}},
	{"a stale If-Match", http.StatusPreconditionFailed, func(p *probe) response {
		return p.put("/vehicle/"+p.id("vehicle"), record{}, "If-Match", `"stale"`)
	}},
	{"a key with another request", http.StatusUnprocessableEntity, func(p *probe) response {
		key := p.fresh("key")
		p.create("vehicle", record{"vin": "1"}, "Idempotency-Key", key)
		return p.post("/vehicle", record{"vin": "2"}, "Idempotency-Key", key)
	}},
}
