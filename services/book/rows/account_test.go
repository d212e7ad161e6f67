package rows_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/services/book/rows"
)

// TestWhatAPolicyNamesIsAsItIsNow changes the names of a broker and an agent, and renews a policy twice: rows that were
// computed before follow.
func TestWhatAPolicyNamesIsAsItIsNow(t *testing.T) {
	const broker, agent = "01930000-0000-7000-8000-0000000000b1", "01930000-0000-7000-8000-0000000000a1"
	b := open(t, filepath.Join(t.TempDir(), "book.db"))
	named := func(id string, version int64, name string) internalapi.Change {
		return change("insuranceEntity", id, version, fmt.Sprintf(`{"name":%q}`, name))
	}
	policy := func(number, id, more string) internalapi.Change {
		return change("motorCoverage", id, 1, `{"policyNumber":"`+number+`","status":"in force"`+more+`}`)
	}
	renewal := func(number, id, of string) internalapi.Change {
		c := policy(number, id, `,"brokerId":"B-17","agentId":7`)
		c.MadeOf = scalar.ID(of)
		return c
	}
	wants := func(when string, want ...string) {
		t.Helper()
		for i, row := range list[book.PolicyRow](t, b, rows.Policies, rows.Query{Sight: acme, Limit: 10, Now: now}) {
			is := fmt.Sprintf("%s %s/%s %s/%s %s-%s", row.PolicyNumber, row.BrokerID, row.Broker, row.AgentID,
				row.Agent, row.RenewedFrom, row.RenewedTo)
			if is != want[i] {
				t.Errorf("%s: %s, want %s", when, is, want[i])
			}
		}
	}
	fill(t, b, []internalapi.Change{policy("P1", "1", `,"brokerId":"`+broker+`","agentId":"`+agent+`"`)})
	wants("nobody is known", "P1 "+broker+"/ "+agent+"/ -")
	fill(t, b, []internalapi.Change{named(broker, 1, "Brokers"), named(agent, 1, "Agents")})
	wants("both are known", "P1 "+broker+"/Brokers "+agent+"/Agents -")
	fill(t, b, []internalapi.Change{named(agent, 2, "Others")})
	wants("the agent has another name", "P1 "+broker+"/Brokers "+agent+"/Others -")
	fill(t, b, []internalapi.Change{named(broker, 2, "Placers")})
	wants("both have other names", "P1 "+broker+"/Placers "+agent+"/Others -")
	first := "P1 " + broker + "/Placers " + agent + "/Others -"
	fill(t, b, []internalapi.Change{renewal("P2", "2", "1")})
	wants("renewed", first+"P2", "P2 / / P1-")
	fill(t, b, []internalapi.Change{renewal("P3", "3", "1")})
	wants("renewed again", first+"P3", "P2 / / P1-", "P3 / / P1-")
}
