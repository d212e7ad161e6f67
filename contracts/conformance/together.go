package conformance

import (
	"fmt"
	"net/http"
	"strings"
)

// sendBatch sends operations, each a path and a body named by its place. It skips the rule if there are no batches.
func (p *probe) sendBatch(key string, operations ...record) response {
	a := p.post("/x/batch", record{"operations": operations}, "Idempotency-Key", key)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no batches")
	}
	return a
}

// created is an operation of a batch.
func created(ref, path string, body record) record {
	return record{"ref": ref, "method": http.MethodPost, "path": path, "body": body}
}

// insuredTravel returns operations that create a traveller and a policy that covers it, which a party holds.
func (p *probe) insuredTravel(holder, traveller string) []record {
	return []record{
		created("t", "/traveller", record{"firstName": p.name}),
		created("c", "/travelCoverage", record{
			"policyholderId": holder, "travellerIds": []string{traveller}, "destination": 826,
			"inceptionDate": p.instant(-100), "expiryDate": p.instant(265),
		}),
	}
}

func batch(p *probe) {
	holder := p.policy("motorCoverage", 265).text("policyholderId")
	operations := p.insuredTravel(holder, "@t.id")
	made := p.wants(http.StatusOK, p.sendBatch(p.name, operations...)).list("completed")
	again := p.wants(http.StatusOK, p.sendBatch(p.name, operations...)).list("completed")
	if len(made) != 2 || len(again) != 2 {
		p.fail("the batch names %d and then %d records, not 2", len(made), len(again))
	}
	var ids []string
	for i := range made {
		one, _ := made[i].(map[string]any)
		same, _ := again[i].(map[string]any)
		if id := record(one).text("id"); id == "" || id != record(same).text("id") {
			p.fail("operation %d has made %q, and then %q", i, id, record(same).text("id"))
		}
		ids = append(ids, record(one).text("id"))
	}
	p.holds(p.read("/travelCoverage/"+ids[1]), record{"travellerIds": []any{ids[0]}})
	p.refused(http.StatusBadRequest, "", p.post("/x/batch", record{"operations": operations}))
}

func refusedBatch(p *probe) {
	holder := p.policy("motorCoverage", 265).text("policyholderId")
	right := p.insuredTravel(holder, "@t.id")
	for _, wrong := range [][]record{
		p.insuredTravel(holder, "@c.id"), p.insuredTravel(holder, "@later.id"), p.insuredTravel(unknownIDs[0], "@t.id"),
	} {
		p.refused(http.StatusUnprocessableEntity, "", p.sendBatch(p.name+" refused", wrong...))
	}
	var many []record
	for range 51 {
		many = append(many, record{"method": http.MethodPost, "path": "/traveller", "body": record{}})
	}
	p.refused(http.StatusBadRequest, "", p.sendBatch(p.name+" refused", many...))
	// No key is used up, so that nothing can have been made with one.
	for _, one := range p.wants(http.StatusOK, p.sendBatch(p.name+" refused", right...)).list("completed") {
		made, _ := one.(map[string]any)
		if status := fmt.Sprint(made["status"]); status != "201" {
			p.fail("an operation of the batch that is right has the status %s, not 201", status)
		}
	}
}

func policyView(p *probe) {
	policy := p.policy("motorCoverage", 265)
	claim := p.create("claim", p.loss("motorCoverage", policy, -2))
	path := "/x/policy/" + policy.text("policyNumber")
	a := p.get(path)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no view of a policy")
	}
	view := p.wants(http.StatusOK, a)
	of, _ := view["coverage"].(map[string]any)
	p.holds(of, record{"link": "/motorCoverage/" + policy.text("id")})
	p.shows(view, "insured", policy.text("vehicleId"))
	p.shows(view, "claims", claim.text("id"))
	p.refused(http.StatusNotFound, "", p.get("/x/policy/POL-NONE"))
	p.refused(http.StatusBadRequest, "", p.get(path+"?part=nothing"))
}

// shows fails unless a part of a view has a record, with a link to it.
func (p *probe) shows(view record, part, id string) {
	shown, _ := view[part].(map[string]any)
	for _, one := range record(shown).list("records") {
		entry, _ := one.(map[string]any)
		inner, _ := entry["record"].(map[string]any)
		if record(inner).text("id") == id && strings.HasSuffix(record(entry).text("link"), "/"+id) {
			return
		}
	}
	p.fail("%s has no record %s with a link to it", part, id)
}

func claimRowsInView(p *probe) {
	policy := p.policy("motorCoverage", 265)
	path := "/x/policy/" + policy.text("policyNumber")
	a := p.get(path)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no view of a policy")
	}
	row := p.create("claimsBordereau", record{"policyNumber": policy.text("policyNumber"), "treatyReference": p.name})
	p.create("claimsBordereau", record{"policyNumber": p.policy("motorCoverage", 265).text("policyNumber")})
	p.shows(p.wants(http.StatusOK, p.get(path)), "claimRows", row.text("id"))
	alone := p.wants(http.StatusOK, p.get(path+"?part=claimRows"))
	p.shows(alone, "claimRows", row.text("id"))
	of, _ := alone["claimRows"].(map[string]any)
	if n := len(record(of).list("records")); n != 1 || alone["claims"] != nil {
		p.fail("the part claimRows alone is %v, with %d rows", alone, n)
	}
}
