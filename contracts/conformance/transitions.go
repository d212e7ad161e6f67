package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// transitionRules try every operation on a record in every state: the listed move happens, and everything else is 409.
func transitionRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, line := range policyLines {
		for _, s := range policyStates {
			if s.reach == nil {
				add(line+" "+s.state, func(p *probe) { p.skip("no public operation makes a policy " + s.state) })
				continue
			}
			add(line+" "+s.state+s.how+": reads as "+s.state, func(p *probe) {
				p.holds(p.read("/"+line+"/"+s.reach(p, line).text("id")), record{"status": s.state})
			})
			for _, kind := range valueSets["EndorsementType"] {
				add(moveName(line, s.state, s.how, "endorse", kind), func(p *probe) {
					moves(p, line, s.state, s.reach(p, line), "endorse", kind)
				})
			}
			for _, operation := range []string{"cancel", "renew"} {
				if operation != "renew" || line != "travelCoverage" {
					add(moveName(line, s.state, s.how, operation, ""), func(p *probe) {
						moves(p, line, s.state, s.reach(p, line), operation, "")
					})
				}
			}
			add(line+" "+s.state+s.how+": PUT may change neither status nor policyNumber (409)", func(p *probe) {
				putMovesNothing(p, line, s.state, s.reach(p, line))
			})
		}
	}
	add("travelCoverage :renew is an unknown path (404)", func(p *probe) {
		p.refused(http.StatusNotFound, "", p.post("/travelCoverage/"+p.id("travelCoverage")+":renew", nil))
	})
	return append(append(rules, claimMoveRules()...), termRules()...)
}

func moveName(line, state, how, operation, kind string) string {
	name := fmt.Sprintf("%s %s%s :%s", line, state, how, operation)
	if kind != "" {
		name += " " + kind
	}
	if to, ok := listed(movesOf(line), state, operation, kind); ok {
		return name + " -> " + to
	}
	return name + " is 409"
}

// moves tries an operation on a policy in a state.
func moves(p *probe, line, state string, policy record, operation, kind string) {
	path := "/" + line + "/" + policy.text("id")
	var body any
	if operation == "endorse" {
		changes := record{"endorsementType": kind, "x-endorsed": p.name}
		if kind == extension {
			changes["expiryDate"] = p.instant(400)
		}
		body = changes
	}
	got := p.post(path+":"+operation, body)
	to, ok := listed(movesOf(line), state, operation, kind)
	if !ok {
		p.refused(http.StatusConflict, "", got)
		p.unchanged(path, policy)
		return
	}
	if operation == "renew" {
		p.renews(path, policy, p.wants(http.StatusCreated, got))
		return
	}
	if kind == extension && p.policyOver(policy) {
		to = "in force" // the extension term begins at the expiryDate before, which is past
	}
	response, read := p.wants(http.StatusOK, got), p.read(path)
	for _, is := range []record{response, read} {
		p.holds(is, record{"status": to, "id": policy["id"], "policyNumber": policy["policyNumber"]})
	}
	if endorsed, is := body.(record); is {
		p.holds(read, endorsed.without("endorsementType"))
	}
}

// policyOver reports whether the expiryDate of a policy is past.
func (p *probe) policyOver(policy record) bool {
	expiry, err := time.Parse(time.RFC3339, policy.text("expiryDate"))
	return err == nil && expiry.Before(p.now())
}

// unchanged fails the rule if a record has changed.
func (p *probe) unchanged(path string, was record) {
	read := p.read(path)
	if !same(read, was.without("warnings")) {
		p.fail("the refused request changed the record from %v to %v", was, read)
	}
}

// renews fails the rule unless a renewal has created a second policy for the next term and left the first unchanged.
func (p *probe) renews(path string, policy, renewed record) {
	if renewed["id"] == policy["id"] || renewed["policyNumber"] == policy["policyNumber"] ||
		renewed.text("policyNumber") == "" {
		p.fail("the new policy has the id %v and the policyNumber %v of the old one", renewed["id"],
			renewed["policyNumber"])
	}
	p.holds(renewed, record{"status": "in force", "inceptionDate": policy["expiryDate"],
		"policyholderId": policy["policyholderId"]})
	from, to := p.time(policy, "inceptionDate").In(p.zone), p.time(policy, "expiryDate").In(p.zone)
	if everyMonth := 28; from.Day() <= everyMonth && to.Day() <= everyMonth {
		p.holds(renewed, record{"expiryDate": renewedTo(from, to).UTC().Format(time.RFC3339)})
	}
	p.unchanged(path, policy)
}

// time returns a DateTime of a record.
func (p *probe) time(r record, member string) time.Time {
	t, err := time.Parse(time.RFC3339, r.text(member))
	if err != nil {
		p.fail("%s is %q, which is no instant", member, r.text(member))
	}
	return t
}

func putMovesNothing(p *probe, line, state string, policy record) {
	path := "/" + line + "/" + policy.text("id")
	for _, status := range valueSets["PolicyStatus"] {
		if status != state {
			p.refused(http.StatusConflict, "", p.put(path, policy.with("status", status)))
		}
	}
	p.refused(http.StatusConflict, "", p.put(path, policy.with("policyNumber", p.one("motorCoverage")["policyNumber"])))
	p.unchanged(path, policy)
	p.holds(p.wants(http.StatusOK, p.put(path, policy)),
		record{"status": state, "policyNumber": policy["policyNumber"]})
}

// claimStates are the states of a claim, and how each is reached.
var claimStates = []struct {
	state string
	reach func(*probe) record
}{
	{"open", (*probe).claim},
	{"closed", func(p *probe) record { return p.settle(p.claim()) }},
	{"reopened", func(p *probe) record { return p.reopened(p.settle(p.claim())) }},
}

func (p *probe) reopened(claim record) record {
	return p.action(http.StatusOK, "/claim/"+claim.text("id")+":reopen", nil)
}

func claimMoveRules() []Rule {
	var rules []Rule
	for _, s := range claimStates {
		for _, operation := range []string{"settle", "reopen", "documents", "PUT"} {
			name := "claim " + s.state + " " + operation + " is 409"
			if to, ok := listed(claimMoves, s.state, operation, ""); ok {
				name = "claim " + s.state + " " + operation + " -> " + to
			}
			rules = append(rules, Rule{Name: name, try: func(p *probe) {
				claimMoved(p, s.state, s.reach(p), operation)
			}})
		}
		rules = append(rules, Rule{Name: "claim " + s.state +
			": PUT may change neither claimStatus, claimNumber nor policyNumber (409)", try: func(p *probe) {
			claim, policy := s.reach(p), p.policy("motorCoverage", 265)
			path := "/claim/" + claim.text("id")
			was := p.read(path)
			for _, status := range valueSets["ClaimStatus"] {
				if status != s.state {
					p.refused(http.StatusConflict, "", p.put(path, record{"claimStatus": status}))
				}
			}
			p.refused(http.StatusConflict, "", p.put(path, record{"claimNumber": p.claim()["claimNumber"]}))
			p.refused(http.StatusConflict, "", p.put(path, record{"policyNumber": policy["policyNumber"]}))
			p.unchanged(path, was)
			p.wants(http.StatusOK, p.put(path, record{"claimStatus": s.state, "claimNumber": was["claimNumber"],
				"policyNumber": was["policyNumber"]}))
		}})
	}
	return rules
}

func claimMoved(p *probe, state string, claim record, operation string) {
	path := "/claim/" + claim.text("id")
	p.holds(p.read(path), record{"claimStatus": state})
	var got response
	switch operation {
	case "settle":
		got = p.post(path+":settle", settlement)
	case "reopen":
		got = p.post(path+":reopen", nil)
	case "documents":
		got = p.post(path+"/documents", record{"url": "https://files.example/" + p.name, "type": "photograph"})
	case "PUT":
		got = p.put(path, record{"reserve": 900})
	}
	to, ok := listed(claimMoves, state, operation, "")
	if !ok {
		p.refused(http.StatusConflict, "", got)
		p.holds(p.read(path), record{"claimStatus": state})
		return
	}
	p.holds(p.wants(http.StatusOK, got), record{"claimStatus": to, "id": claim["id"]})
	p.holds(p.read(path), record{"claimStatus": to})
}

// policyLines are the coverage resources.
var policyLines = []string{
	"motorCoverage", "cyberLiabilityCoverage", "travelCoverage", "propertyCoverage", "tradeCreditCoverage",
	"businessInterruptionCoverage", "petCoverage",
}

// move is a row of a table of transitions: what an operation does to a record in a state. An operation that is in no
// row is refused with 409.
type move struct {
	from, operation string
	// kind is an endorsementType, or other for any type except the policy extension.
	kind string
	to   string
}

const (
	extension = "policy extension"
	other     = "any other type"
)

// policyMoves are the transitions of a policy that callers can make. :renew does not change the state.
var policyMoves = []move{
	{"in force", "endorse", other, "in force"},
	{"in force", "endorse", extension, "extended"},
	{"in force", "cancel", "", "cancelled"},
	{"in force", "renew", "", "in force"},
	{"extended", "renew", "", "extended"},
}

// travelMoves are the transitions of a travel policy. The interface has no move from in force to in force for it.
var travelMoves = []move{
	{"in force", "endorse", extension, "extended"},
	{"in force", "cancel", "", "cancelled"},
}

// claimMoves are the transitions of a claim. documents and PUT are allowed in every state and do not change it.
var claimMoves = []move{
	{"open", "settle", "", "closed"},
	{"closed", "reopen", "", "reopened"},
	{"reopened", "settle", "", "closed"},
	{"open", "documents", "", "open"},
	{"closed", "documents", "", "closed"},
	{"reopened", "documents", "", "reopened"},
	{"open", "PUT", "", "open"},
	{"closed", "PUT", "", "closed"},
	{"reopened", "PUT", "", "reopened"},
}

func movesOf(line string) []move {
	if line == "travelCoverage" {
		return travelMoves
	}
	return policyMoves
}

// listed returns the state to which a table moves a record in a state for an operation, and whether the table has
// such a row.
func listed(moves []move, state, operation, kind string) (to string, ok bool) {
	if kind != "" && kind != extension {
		kind = other
	}
	for _, m := range moves {
		if m.from == state && m.operation == operation && m.kind == kind {
			return m.to, true
		}
	}
	return "", false
}

// policyStates are the states of a policy that callers can reach, and how. Two of them read as in force, because an
// extended policy is in force again once its extension term has begun.
var policyStates = []struct {
	state, how string
	reach      func(p *probe, line string) record
}{
	{"in force", "", func(p *probe, line string) record { return p.policy(line, 265) }},
	{"extended", "", func(p *probe, line string) record { return p.extended(p.policy(line, 265), line, 300) }},
	{"in force", " again, its extension term begun", func(p *probe, line string) record {
		return p.extended(p.policy(line, -1), line, 265)
	}},
	{"in force", ", its expiryDate past", func(p *probe, line string) record { return p.policy(line, -1) }},
	{"cancelled", "", func(p *probe, line string) record {
		policy := p.policy(line, 265)
		return p.action(http.StatusOK, "/"+line+"/"+policy.text("id")+":cancel", nil)
	}},
	{"lapsed", "", nil},
}

// extended moves the end of a policy to a number of days from now.
func (p *probe) extended(policy record, line string, ends int) record {
	return p.action(http.StatusOK, "/"+line+"/"+policy.text("id")+":endorse",
		record{"endorsementType": extension, "expiryDate": p.instant(ends)})
}

// pairsByHand pairs a row and a receipt that no key brings together, and parts them.
func pairsByHand(p *probe) {
	const contract = deskContract + "-8"
	got := p.wants(http.StatusOK, p.reportedUnder(contract, record{"inception": "1908-01-01", "expiry": "1908-01-02"}))
	policy := p.policy("motorCoverage", 265).text("policyNumber")
	p.wants(http.StatusOK, p.put("/x/contract/"+contract+"/policy/"+policy, nil))
	p.create("receipt", record{"policyNumber": policy, "receiptType": "new policy", "paymentAmount": 100})
	sent := p.statement("Policy;Type;Premium\n" + p.name + ";NB;101\n")
	compare := func() string {
		return "/x/reconciliation/run/" + p.wants(http.StatusCreated, p.post("/x/reconciliation/run", record{
			"statement": sent.text("id"), "against": record{"contract": contract, "kind": "premium",
				"period": got.text("setAt")[:len("2000-01")], "receipts": true},
		})).text("id")
	}
	former, path := compare(), compare()
	two := record{"items": []int{1, 2}, "reason": p.name}
	paired := p.post(path+":pair", two)
	if paired.status == http.StatusNotFound {
		p.skip("the implementation pairs nothing by hand")
	}
	if item := p.wants(http.StatusOK, paired); item.text("outcome") != "mismatch" || len(item.list("cells")) == 0 {
		p.fail("a row and a receipt with other amounts that are paired by hand are %v", item)
	}
	if fmt.Sprint(p.read(path)["items"]) != "1" {
		p.fail("a row and a receipt that are paired are not one item")
	}
	p.refused(http.StatusBadRequest, "", p.post(path+":pair", record{"items": []int{1}, "reason": p.name}))
	p.wants(http.StatusOK, p.post(path+":unpair", two))
	p.wants(http.StatusOK, p.post(path+"/items/1:dispute", record{"reason": p.name}))
	p.refused(http.StatusConflict, "", p.post(path+":pair", two))
	differences := p.get(path+"/items", "Accept", "text/csv")
	if of := differences.header.Get("Content-Type"); !strings.HasPrefix(of, "text/csv") {
		p.fail("the differences of a run as text/csv are %s", of)
	}
	many := record{"where": record{"outcome": "missingThere"}, "reason": p.name}
	for _, want := range []string{"1", "0"} { // what is decided on is left
		if decided := fmt.Sprint(p.wants(http.StatusOK, p.post(path+":accept", many))["decided"]); decided != want {
			p.fail("of the items that nobody has decided on, %s are, and not %s", decided, want)
		}
	}
	p.refused(http.StatusBadRequest, "", p.post(path+":dispute", record{"where": record{}, "reason": p.name}))
	if by := p.read(former).text("replacedBy"); !strings.HasSuffix(path, "/"+by) || by == "" {
		p.fail("a run whose place %s has taken says that %q has", path, by)
	}
	p.refused(http.StatusConflict, "", p.post(former+"/items/1:dispute", record{"reason": p.name}))
}

// replacedStatements sends a file in place of another one.
func replacedStatements(p *probe) {
	first := p.statement("Policy;Type;Premium\n" + p.name + ";NB;1\n")
	path := "/x/reconciliation/statement?profile=" + deskContract + "&replaces=" + first.text("id")
	send := func(file string) response {
		return p.post(path, "Policy;Type;Premium\n"+p.name+";NB;"+file+"\n", "Content-Type", "text/csv")
	}
	sent := send("2")
	if sent.status == http.StatusBadRequest {
		p.skip("the implementation knows no statement that takes the place of another one")
	}
	next := p.wants(http.StatusOK, sent)
	if next.text("replaces") != first.text("id") {
		p.fail("a statement that replaces %s says that it replaces %q", first.text("id"), next.text("replaces"))
	}
	if by := p.read("/x/reconciliation/statement/" + first.text("id")).text("replacedBy"); by != next.text("id") {
		p.fail("a statement that %s replaces says that %q does", next.text("id"), by)
	}
	p.wants(http.StatusOK, send("2"))
	p.refused(http.StatusConflict, "", send("3"))
	const statement = "/x/reconciliation/statement/"
	// Releases before do not know it.
	if a := p.get(statement + next.text("id") + "/changes"); a.status != http.StatusNotFound {
		changes := p.wants(http.StatusOK, a).list("changes")
		if len(changes) != 1 || record(changes[0].(map[string]any)).text("kind") != "changed" {
			p.fail("of a row whose amount was corrected, the changes are %v", changes)
		}
	}
	p.refused(http.StatusNotFound, "", p.get(statement+first.text("id")+"/changes"))
}
