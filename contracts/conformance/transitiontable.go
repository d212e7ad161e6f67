package conformance

import "net/http"

// policyLines are the coverage resources.
var policyLines = []string{
	"motorCoverage", "cyberLiabilityCoverage", "travelCoverage", "propertyCoverage", "tradeCreditCoverage",
	"businessInterruptionCoverage", "petCoverage",
}

// move is a row of a table of transitions: what an operation does to a record in a state. Any operation that is in no
// row is refused with 409.
type move struct {
	from, operation string
	// kind is the endorsementType: one of them, or other for any that is no policy extension.
	kind string
	to   string
}

const (
	extension = "policy extension"
	other     = "any other type"
)

// policyMoves are the transitions of a policy that callers make. :renew leaves the state as it is.
var policyMoves = []move{
	{"in force", "endorse", other, "in force"},
	{"in force", "endorse", extension, "extended"},
	{"in force", "cancel", "", "cancelled"},
	{"in force", "renew", "", "in force"},
	{"extended", "renew", "", "extended"},
}

// travelMoves are those of a travel policy, for which no in force to in force move is drawn.
var travelMoves = []move{
	{"in force", "endorse", extension, "extended"},
	{"in force", "cancel", "", "cancelled"},
}

// claimMoves are the transitions of a claim. documents and PUT are allowed in any state and leave it as it is.
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

// listed returns the move that a table has for an operation on a record in a state.
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

// policyStates are the states that a policy can be brought into from outside, each with how. Their number of reads as in
// force is two: one whose extension term has begun is one in force again, by time.
var policyStates = []struct {
	state, how string
	reach      func(p *probe, line string) record
}{
	{"in force", "", func(p *probe, line string) record { return p.policy(line, 265) }},
	{"extended", "", func(p *probe, line string) record { return p.extended(p.policy(line, 265), line, 300) }},
	{"in force", " again, its extension term begun", func(p *probe, line string) record { return p.extended(p.policy(line, -1), line, 265) }},
	{"in force", ", its expiryDate past", func(p *probe, line string) record { return p.policy(line, -1) }},
	{"cancelled", "", func(p *probe, line string) record {
		policy := p.policy(line, 265)
		return p.action(http.StatusOK, "/"+line+"/"+policy.text("id")+":cancel", nil)
	}},
	{"lapsed", "", nil},
}

// extended moves the end of a policy to some days from now.
func (p *probe) extended(policy record, line string, ends int) record {
	return p.action(http.StatusOK, "/"+line+"/"+policy.text("id")+":endorse", record{"endorsementType": extension, "expiryDate": p.instant(ends)})
}
