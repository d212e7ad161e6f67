package conformance

import (
	"fmt"
	"net/http"
	"sync"
)

// posting is an operation that happens once for each Idempotency-Key.
type posting struct {
	name string
	// prepare creates the records that the operation needs, and returns its path and body.
	prepare func(p *probe) (path string, body record)
	// status is the status of the first response.
	status int
	// other are members that turn the body into another request; nil for an operation that has no members.
	other record
}

// postings returns all POST operations of the interface: the creations and the actions.
func postings() []posting {
	var all []posting
	for _, r := range resources {
		all = append(all, posting{
			name: "POST /" + r.name, status: http.StatusCreated, other: record{"x-other": true},
			prepare: func(p *probe) (string, record) { return "/" + r.name, p.body(r.name, 0) },
		})
	}
	action := func(status int, path, suffix string, body, other record, reach func(*probe) record) {
		all = append(all, posting{name: "POST " + path + "/{id}" + suffix, status: status, other: other,
			prepare: func(p *probe) (string, record) {
				return path + "/" + reach(p).text("id") + suffix, body
			}})
	}
	for _, line := range policyLines {
		reach := func(p *probe) record { return p.policy(line, 265) }
		all = append(all, posting{
			name: "POST /" + line + "/{id}:endorse", status: http.StatusOK, other: record{"x-other": true},
			prepare: func(p *probe) (string, record) {
				return "/" + line + "/" + reach(p).text("id") + ":endorse", record{
					"endorsementType": extension, "expiryDate": p.instant(300),
				}
			},
		})
		action(http.StatusOK, "/"+line, ":cancel", record{"reason": "sold"}, record{"reason": "lost"}, reach)
		if line != "travelCoverage" {
			action(http.StatusCreated, "/"+line, ":renew", record{"x-term": 2}, record{"x-term": 3}, reach)
		}
	}
	action(http.StatusCreated, "/receipt", ":refund", refund, record{"receiptType": "brokerage payment"},
		func(p *probe) record {
			return p.create("receipt", p.body("receipt", 0))
		})
	action(http.StatusOK, "/claim", ":settle", settlement, record{"paymentAmount": 1}, (*probe).claim)
	action(http.StatusOK, "/claim", ":reopen", record{}, record{"reason": "another"}, func(p *probe) record {
		return p.settle(p.claim())
	})
	action(http.StatusOK, "/claim", "/documents", record{"url": "https://files.example/1", "type": "photograph"},
		record{"type": "estimate"}, (*probe).claim)
	return all
}

// callers is the number of callers that send one request at the same moment.
const callers = 20

func idempotencyRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, o := range postings() {
		add(o.name+": the same key and request again is 200 with the record, and says that it is a replay",
			func(p *probe) {
				replays(p, o)
			})
		if o.other != nil {
			add(o.name+": the same key with another request is 422", func(p *probe) { keyReused(p, o) })
		}
		add(fmt.Sprintf("%s: one key from %d callers at once does it once", o.name, callers), func(p *probe) {
			atOnce(p, o)
		})
	}
	add("the same request is the same JSON value, however it is written, and null is absent", sameValue)
	add("a refused request does not use its key up", func(p *probe) {
		key, body := p.fresh("key"), p.body("product", 0)
		p.refused(http.StatusBadRequest, "", p.post("/product", body.with("lineOfBusiness", 0), "Idempotency-Key", key))
		p.create("product", body, "Idempotency-Key", key)
	})
	add("a key belongs to one operation: with another operation it is a new key", func(p *probe) {
		key := p.fresh("key")
		p.create("vehicle", record{"vin": "1"}, "Idempotency-Key", key)
		p.create("debtor", record{"name": "1"}, "Idempotency-Key", key)
	})
	add("a replay returns the record as it is now", func(p *probe) {
		key, body := p.fresh("key"), p.body("vehicle", 0)
		got := p.create("vehicle", body, "Idempotency-Key", key)
		p.wants(http.StatusOK, p.put("/vehicle/"+got.text("id"), body.with("vin", p.name)))
		p.holds(p.wants(http.StatusOK, p.post("/vehicle", body, "Idempotency-Key", key)),
			record{"id": got["id"], "vin": p.name})
	})
	add("without a key each request makes a record", func(p *probe) {
		body := p.body("vehicle", 0)
		if p.create("vehicle", body)["id"] == p.create("vehicle", body)["id"] {
			p.fail("two requests made one record")
		}
	})
	return rules
}

func replays(p *probe, o posting) {
	path, body := o.prepare(p)
	key := p.fresh("key")
	first := p.wants(o.status, p.post(path, body, "Idempotency-Key", key))
	for range 2 {
		again := p.post(path, body, "Idempotency-Key", key)
		p.holds(p.wants(http.StatusOK, again), record{"id": first["id"]})
		if again.header.Get("Idempotency-Replayed") != "true" {
			p.fail("the replay has no Idempotency-Replayed: true")
		}
	}
}

func keyReused(p *probe, o posting) {
	path, body := o.prepare(p)
	key := p.fresh("key")
	p.wants(o.status, p.post(path, body, "Idempotency-Key", key))
	p.refused(http.StatusUnprocessableEntity, "", p.post(path, body.with(pairs(o.other)...), "Idempotency-Key", key))
}

// atOnce sends one request from several callers at the same moment. One response must be the first, the others must be
// replays, and all must be about one record.
func atOnce(p *probe, o posting) {
	path, body := o.prepare(p)
	key := p.fresh("key")
	responses, errs := make([]response, callers), make([]error, callers)
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i := range callers {
		group.Go(func() {
			<-begin
			responses[i], errs[i] = p.send(http.MethodPost, path, body, "Idempotency-Key", key)
		})
	}
	close(begin)
	group.Wait()
	firsts, ids := 0, map[string]bool{}
	for i, a := range responses {
		p.must(errs[i])
		if a.header.Get("Idempotency-Replayed") == "true" {
			ids[p.wants(http.StatusOK, a).text("id")] = true
			continue
		}
		firsts++
		ids[p.wants(o.status, a).text("id")] = true
	}
	if firsts != 1 || len(ids) != 1 {
		p.fail("%d responses are no replays, and they are about %d records", firsts, len(ids))
	}
}

func sameValue(p *probe) {
	key := p.fresh("key")
	got := p.create("vehicle", `{"vin":"1","x-rate":1.50,"x-text":"é"}`, "Idempotency-Key", key)
	again := p.post("/vehicle", " {\"x-text\":\"\\u00e9\", \"x-rate\":15e-1,\n\"vin\":\"1\"}", "Idempotency-Key", key)
	p.holds(p.wants(http.StatusOK, again), record{"id": got["id"]})
	p.holds(p.wants(http.StatusOK, p.post("/vehicle", `{"vin":"1","plateNumber":null,"x-rate":1.5,"x-text":"é"}`,
		"Idempotency-Key", key)), record{"id": got["id"]})
	for _, another := range []string{`{"vin":"1","x-rate":"1.50","x-text":"é"}`,
		`{"vin":"1","x-rate":1.5000000000000000001,"x-text":"é"}`, `{"vin":"1","x-text":"é"}`} {
		p.refused(http.StatusUnprocessableEntity, "", p.post("/vehicle", another, "Idempotency-Key", key))
	}
}
