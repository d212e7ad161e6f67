package premium

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
)

// TestEveryPolicyAndClaimThatIsReliedOn records receipts for each policy of the contract with coverage and each claim
// of that with claims, and has them aggregated.
func TestEveryPolicyAndClaimThatIsReliedOn(t *testing.T) {
	contract := func(provider string) *consumercontract.Stub {
		return consumercontract.NewStub(t,
			filepath.Join("..", "..", "contracts", "consumers", provider, "premium.json"))
	}
	coverage, claims := contract("coverage"), contract("claims")
	s, e := startWith(t, map[string]http.Handler{"coverage": coverage, "claims": claims},
		servicetest.At(t, "2026-06-01T00:00:00Z"), rules{period: "month"})
	for of, status := range map[string]int{
		`"policyNumber":"P1"`: 201, `"policyNumber":"P2"`: 201, `"policyNumber":"P3"`: 404, `"claimNumber":"C1"`: 201,
		`"claimNumber":"C2"`:                             404,
		`"policyNumber":"ref:R1","claimNumber":"ref:C1"`: 201,
		`"policyNumber":"P1","claimNumber":"C1"`:         201, `"policyNumber":"P2","claimNumber":"C1"`: 400,
	} {
		s.Must(status, "POST", "/receipt", `{"receiptType":"new policy","paymentAmount":5,`+of+`}`)
	}
	for expand, embedded := range map[string]string{
		"policyNumber=P1&claimNumber=C1&expand=policy":         `"policy":{"policyNumber":"P1"}`,
		"policyNumber=P1&claimNumber=C1&expand=claim,reversed": `"claim":{"claimNumber":"C1"}`,
	} {
		if a := s.Must(200, "GET", "/x/search/receipt?limit=1&fields=paymentAmount&"+expand, ""); a.Text !=
			`[{"paymentAmount":5,`+embedded+`}]` {
			t.Errorf("%s: %s", expand, a.Text)
		}
	}
	deliver(t, e, 1)
	rows := s.Must(200, "GET", "/premiumBordereau", "").Text
	const ofHolder = `"policyholder":"01930000-0000-7000-8000-000000000001",`
	for _, row := range []string{
		ofHolder + `"policyNumber":"P1","inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z",` +
			`"indemnityLimitPolicy":9,"grossWrittenPremium":20`,
		ofHolder + `"policyNumber":"P2","inceptionDate":"2026-01-01T00:00:00Z","grossWrittenPremium":5`,
	} {
		if !strings.Contains(rows, row) {
			t.Errorf("no row is as\n%s\nin\n%s", row, rows)
		}
	}
	coverage.WantAllAsked()
	claims.WantAllAsked()
}

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	peers := map[string]http.Handler{}
	for _, provider := range []string{"coverage", "claims"} {
		peers[provider] = consumercontract.NewStub(t,
			filepath.Join("..", "..", "contracts", "consumers", provider, "premium.json"))
	}
	s, e := startWith(t, peers, servicetest.At(t, "2026-06-01T00:00:00Z"), rules{period: "month"})
	refunded := func(t *testing.T) (id, refund string) {
		id = s.Create("receipt", `{"receiptType":"new policy","paymentAmount":5,"policyNumber":"P1"}`)
		return id, s.Must(201, "POST", "/receipt/"+id+":refund", `{"receiptType":"other"}`).Member("id")
	}
	pay := func() {
		s.Create("receipt", `{"receiptType":"claim payment","paymentAmount":5,"policyNumber":"P1","claimNumber":"C1"}`)
	}
	record := func(*testing.T) {
		s.Create("receipt", `{"receiptType":"new policy","paymentAmount":5,"policyNumber":"P1"}`)
	}
	nothing := func(*testing.T) any { return nil }
	consumercontract.Replay(t, s, nil, filepath.Join("..", "..", "contracts", "consumers", "premium"),
		consumercontract.Logged(s, consumercontract.States{
			"a receipt that can be recorded for the policy P1": func(*testing.T) map[string]string { return nil },
			"a receipt that is recorded for the policy P1":     func(*testing.T) map[string]string { return nil },
			"a receipt and its refund, and what was paid for a claim": func(t *testing.T) map[string]string {
				id, _ := refunded(t)
				pay()
				return map[string]string{"after": consumercontract.Before(id)}
			},
			"a receipt and its refund in a row with a netPremium": func(t *testing.T) map[string]string {
				id, refund := refunded(t)
				deliver(t, e, 1)
				row := rowsOf(t, s, "?policyNumber=P1")[0].ID
				s.Must(200, "PUT", "/premiumBordereau/"+row, `{"netPremium":42}`)
				return map[string]string{"id": id, "refund": refund}
			},
			"what was received for the policy P1": func(t *testing.T) map[string]string {
				record(t)
				deliver(t, e, 1)
				return map[string]string{"policyNumbers": "P1", "at": "2026-07-01T00:00:00Z"}
			},
			"what was paid for the claim C1": func(*testing.T) map[string]string {
				pay()
				return map[string]string{"claimNumbers": "C1", "at": "2026-07-01T00:00:00Z"}
			},
			"a refund, by its id": func(t *testing.T) map[string]string {
				_, refund := refunded(t)
				return map[string]string{"at": "2026-07-01T00:00:00Z", "names": refund}
			},
			"a receipt, by its id": func(t *testing.T) map[string]string {
				return map[string]string{
					"at":    "2026-07-01T00:00:00Z",
					"names": s.Create("receipt", `{"receiptType":"new policy","paymentAmount":5,"policyNumber":"P1"}`),
				}
			},
			"a receipt in its log": consumercontract.LoggedBy(s, nothing, func(t *testing.T, _ any) { record(t) }),
			"a refund in its log": consumercontract.LoggedBy(s, func(*testing.T) string {
				return s.Create("receipt", `{"receiptType":"new policy","paymentAmount":5,"policyNumber":"P1"}`)
			}, func(_ *testing.T, id string) {
				s.Must(201, "POST", "/receipt/"+id+":refund", `{"receiptType":"other"}`)
			}),
			"what was paid for the claim C1, in its log": consumercontract.LoggedBy(s, nothing,
				func(*testing.T, any) { pay() }),
			"receipts of the policy P1": func(t *testing.T) map[string]string {
				record(t)
				return nil
			},
		}, record))
}
