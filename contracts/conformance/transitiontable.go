package conformance

import "net/http"

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
	{"in force", " again, its extension term begun", func(p *probe, line string) record { return p.extended(p.policy(line, -1), line, 265) }},
	{"in force", ", its expiryDate past", func(p *probe, line string) record { return p.policy(line, -1) }},
	{"cancelled", "", func(p *probe, line string) record {
		policy := p.policy(line, 265)
		return p.action(http.StatusOK, "/"+line+"/"+policy.text("id")+":cancel", nil)
	}},
	{"lapsed", "", nil},
}

// extended moves the end of a policy to a number of days from now.
func (p *probe) extended(policy record, line string, ends int) record {
	return p.action(http.StatusOK, "/"+line+"/"+policy.text("id")+":endorse", record{"endorsementType": extension, "expiryDate": p.instant(ends)})
}
