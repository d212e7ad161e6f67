package desk_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/services/desk"
)

var contracts = filepath.Join("..", "..", "contracts", "consumers")

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	w := newWorld(t, "2026-02-01T12:00:00Z")
	s := w.start()
	s.Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR"}`)
	record := func(*testing.T) { s.Must(201, "POST", "/x/bordereau/C/premium/2026-01:prepare", `{"type":"nil"}`) }
	shared := servicetest.Start(t, desk.Service().Definition(),
		servicetest.Options{Clock: w.clock, Peers: w.peers(), Flags: []string{"--org-claim", "org"}})
	// contract returns a state in which an organisation has a contract with a counterparty.
	contract := func(owner, counterparty string) func(*testing.T) map[string]string {
		return func(*testing.T) map[string]string {
			reference := "with-" + counterparty
			shared.As(owner).Must(200, "PUT", "/x/contract/"+reference,
				`{`+terms+`,"currency":"EUR","preview":true,"counterparty":"`+counterparty+`"}`)
			return map[string]string{"reference": reference}
		}
	}
	consumercontract.Replay(t, s, shared, filepath.Join(contracts, "desk"), consumercontract.Logged(s,
		consumercontract.States{
			"a contract whose counterparty asks":         contract("acme", "zenith"),
			"a contract whose counterparty does not ask": contract("vega", "orion"),
			"a contract, and one that takes policies of its last day": func(*testing.T) map[string]string {
				s.Must(200, "PUT", "/x/contract/D", ofYear(2027, "Europe/Paris"))
				return nil
			},
			"a policy that was assigned": func(*testing.T) map[string]string {
				w.policies["Q"] = policy{"petCoverage", "2020-01-01T00:00:00Z", "Bo", "in force"}
				s.Must(200, "PUT", "/x/contract/C/policy/Q", "")
				return map[string]string{"after": "oldest"}
			},
		}, record))
}

// TestEverythingThatIsReliedOn prepares a period from the receipts of the contracts with the other services, and
// imports a file of each.
func TestEverythingThatIsReliedOn(t *testing.T) {
	peers := map[string]http.Handler{}
	var stubs []*consumercontract.Stub
	for _, name := range []string{"premium", "coverage", "claims", "parties", "products"} {
		stub := consumercontract.NewStub(t, filepath.Join(contracts, name, "desk.json"))
		peers[name], stubs = stub, append(stubs, stub)
	}
	s := servicetest.Start(t, desk.Service().Definition(),
		servicetest.Options{Peers: peers, Clock: servicetest.At(t, "2026-03-01T00:00:00Z")})
	s.Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR","risksBefore":"2026-01-02"}`)
	v := s.Must(201, "POST", "/x/bordereau/C/premium/2026-01:prepare", `{"type":"original"}`)
	if total := v.Body["totals"].([]any)[0].(map[string]any); total["gross"] != 50.0 || total["lines"] != 2.0 {
		t.Error(v.Text)
	}
	s.Must(200, "PUT", "/x/supplement/claim/01930000-0000-7000-8000-000000000006", `{"denied":false}`)
	c := s.Must(201, "POST", "/x/bordereau/C/claims/2026-01:prepare", `{"type":"original"}`)
	if total := c.Body["claims"].([]any)[0].(map[string]any); total["lines"] != 1.0 ||
		total["indemnity"].(map[string]any)["outstanding"] != 600.0 {
		t.Error(c.Text)
	}
	const refund = "/x/bordereau/C/premium/2026-01/versions/1/lines/01930000-0000-7000-8000-000000000004/source"
	if a := s.Must(200, "GET", refund, ""); !strings.Contains(a.Text, `"reversed":{"href":"/x/asof/receipt/`) {
		t.Error(a.Text)
	}
	const claim = "/x/bordereau/C/claims/2026-01/versions/1/lines/01930000-0000-7000-8000-000000000006/source"
	if a := s.Must(200, "GET", claim, ""); !strings.Contains(a.Text, `"supplement":{"claimId"`) {
		t.Error(a.Text)
	}
	// A contract keeps what it reports, so that its rule leaves a policy out only after the versions are rejected.
	for _, kind := range []string{"premium", "claims"} {
		s.Must(200, "POST", "/x/bordereau/C/"+kind+"/2026-01/versions/1:reject", `{"reason":"not so"}`)
	}
	s.Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR","risksFrom":"2026-01-02"}`)
	if a := s.Must(200, "GET", "/x/bordereau/unassigned", ""); len(a.Body["policies"].([]any)) != 1 {
		t.Error(a.Text)
	}
	// Where organisations share the exchange, a participant needs a right to add to a claim.
	participant := servicetest.Start(t, desk.Service().Definition(), servicetest.Options{
		Peers: peers, Clock: servicetest.At(t, "2026-03-01T00:00:00Z"), Flags: []string{"--org-claim", "org"},
	}).As("zenith")
	if a := participant.Must(403, "PUT", "/x/supplement/claim/01930000-0000-7000-8000-000000000006",
		`{"denied":true}`); a.Member("right") != "claims" {
		t.Error(a.Text)
	}
	importsOfEach(t, s)
	for _, stub := range stubs {
		stub.WantAllAsked()
	}
}

// importsOfEach imports a file of each service.
func importsOfEach(t *testing.T, s *servicetest.Service) {
	t.Helper()
	for resource, file := range map[string]string{
		"personal":      "firstName,lastName,dob,idType,idNumber,address.city\nA,B,1990-01-01,passport,DESK-1,London\n",
		"policyWording": "name\nStandard\n", "vehicle": "vin\nV\n",
		"claim":   "policyNumber,lossDate,claimType\nP1,2026-04-01T00:00:00Z,other\n",
		"receipt": "policyNumber,receiptType,paymentAmount\nP1,new policy,5\n",
	} {
		sent := s.Must(200, "POST", "/x/import?resource="+resource, file, "Content-Type", "text/csv")
		if !strings.Contains(sent.Text, `"state":"checked"`) || !strings.Contains(sent.Text, `"outcomes":{"ready":1}`) {
			t.Errorf("%s: %s", resource, sent.Text)
		}
		done := s.Must(200, "POST", "/x/import/"+sent.Member("id")+":apply", `{"digest":"`+sent.Member("digest")+`"}`)
		if !strings.Contains(done.Text, `"state":"applied"`) || !strings.Contains(done.Text, `"outcomes":{"made":1}`) {
			t.Errorf("%s: %s", resource, done.Text)
		}
	}
}
