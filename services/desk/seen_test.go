package desk_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi/sharing"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// TestOfWhichContractsSomebodyIsTheCounterparty asks the desk as several organisations, and for more than it is asked
// for at a time.
func TestOfWhichContractsSomebodyIsTheCounterparty(t *testing.T) {
	w := newWorld(t, "2026-02-01T12:00:00Z")
	s := servicetest.Start(t, desk.Service().Definition(),
		servicetest.Options{Clock: w.clock, Peers: w.peers(), Flags: []string{"--org-claim", "org"}})
	put := func(owner, counterparty string) {
		t.Helper()
		s.As(owner).Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR","counterparty":"`+counterparty+`"}`)
	}
	seen := func(by, want string) {
		t.Helper()
		const asked = `{"references":["C","D","C","no reference"]}`
		if got := s.As(by).Must(200, "POST", sharing.CounterpartyPath, asked); got.Text != `{"contracts":[`+want+`]}` {
			t.Errorf("%s: %s", by, got.Text)
		}
	}
	const ofAcme = `{"reference":"C","owner":"acme"}`
	put("acme", "zenith")
	seen("zenith", ofAcme)
	seen("acme", "")
	seen("orion", "")
	put("zenith", "orion") // its own contract of the reference comes first
	seen("zenith", "")
	seen("orion", `{"reference":"C","owner":"zenith"}`)
	put("acme", "orion")
	put("zenith", "")
	seen("orion", ofAcme)
	put("acme", "")
	seen("orion", "")

	references := func(n int) string { return `{"references":["C"` + strings.Repeat(`,"C"`, n-1) + `]}` }
	s.As("orion").Must(200, "POST", sharing.CounterpartyPath, references(sharing.MostContracts))
	for _, wrong := range []string{
		references(sharing.MostContracts + 1), `{"references":"C"}`, `[`,
		`{"references":["` + strings.Repeat("C", 30_000) + `"]}`,
	} {
		s.As("orion").Must(400, "POST", sharing.CounterpartyPath, wrong)
	}
	// Where organisations do not share the exchange, there is no such operation.
	w.start().Must(404, "POST", sharing.CounterpartyPath, references(1))
}
