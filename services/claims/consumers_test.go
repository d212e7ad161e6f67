package claims_test

import (
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
)

// TestEveryPolicyThatIsReliedOn files a claim against each policy of the contract with coverage. What the service
// makes of their members is tested elsewhere, with the same policies.
func TestEveryPolicyThatIsReliedOn(t *testing.T) {
	policies := coverage(t)
	s := start(t, policies)
	for policy, status := range map[string]int{
		"MOTOR": 201, "LATER": 201, "ENDED": 409, "NOTHING": 422, "OPEN": 201, "CREDIT": 422, "PET": 422,
		"NO-SUCH": 404, "ref:R1": 201,
	} {
		s.Must(status, "POST", "/claim", `{"policyNumber":"`+policy+
			`","lossDate":"2026-04-01T00:00:00Z","lossCause":"fire","claimType":"other"}`)
	}
	a := s.Must(200, "GET", "/x/search/claim?policyNumber=MOTOR&limit=1&expand=policy&fields=claimStatus", "")
	if a.Text != `[{"claimStatus":"open","policy":{"policyNumber":"MOTOR"}}]` {
		t.Error(a.Text)
	}
	policies.WantAllAsked()
}

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	s := start(t, policies{"P1": `{"policyNumber":"P1","inceptionDate":"2026-01-01T00:00:00Z"}`})
	file := func() servicetest.Response {
		return s.Must(201, "POST", "/claim",
			`{"policyNumber":"P1","lossDate":"2026-04-01T00:00:00Z","claimType":"other"}`)
	}
	const caused = `{"policyNumber":"P1","lossDate":"2026-04-01T00:00:00Z","lossCause":"fire","claimType":"other"}`
	const cheque = `{"paymentAmount":400,"paymentMethod":"cheque"}`
	reserved := func(*testing.T) string {
		id := s.Must(201, "POST", "/claim", caused).Member("id")
		s.Must(200, "PUT", "/claim/"+id, `{"reserve":1000}`)
		return id
	}
	settle := func(t *testing.T) string {
		id := reserved(t)
		s.Must(200, "POST", "/claim/"+id+":settle", cheque)
		return id
	}
	consumercontract.Replay(t, s, nil, filepath.Join("..", "..", "contracts", "consumers", "claims"),
		consumercontract.Logged(s, consumercontract.States{
			"a claim against the policy P1": func(*testing.T) map[string]string {
				return map[string]string{"claimNumber": file().Member("claimNumber")}
			},
			"a claim in its log": consumercontract.LoggedBy(s, func(*testing.T) any { return nil },
				func(*testing.T, any) {
					s.Must(201, "POST", "/claim", caused)
				}),
			"an interim payment of a claim in its log": consumercontract.LoggedBy(s, reserved,
				func(_ *testing.T, id string) {
					s.Must(200, "POST", "/x/claim/"+id+":pay",
						`{"paymentAmount":100,"paymentMethod":"cheque","paidAt":"2026-05-01T00:00:00Z"}`)
				}),
			"a settlement of a claim in its log": consumercontract.LoggedBy(s, reserved,
				func(_ *testing.T, id string) { s.Must(200, "POST", "/claim/"+id+":settle", cheque) }),
			"a claim that was opened again in its log": consumercontract.LoggedBy(s, settle,
				func(_ *testing.T, id string) { s.Must(200, "POST", "/claim/"+id+":reopen", "") }),
			"a claim that was opened again with a reserve": func(t *testing.T) map[string]string {
				id := settle(t)
				s.Must(200, "POST", "/claim/"+id+":reopen", `{"reason":"more","reserve":700}`)
				return map[string]string{"after": consumercontract.Before(id), "at": "2026-07-01T00:00:00Z"}
			},
			"a claim, by its number": func(*testing.T) map[string]string {
				return map[string]string{"names": file().Member("claimNumber")}
			},
			"a claim that can be made against the policy P1": func(*testing.T) map[string]string { return nil },
			"a claim that is made against the policy P1":     func(*testing.T) map[string]string { return nil },
			"claims against the policy P1": func(t *testing.T) map[string]string {
				s.Must(201, "POST", "/claim",
					`{"policyNumber":"P1","lossDate":"2026-04-01T00:00:00Z","claimType":"other"}`)
				s.Must(201, "POST", "/claimsBordereau", `{"policyNumber":"P1","treatyReference":"T1"}`)
				return nil
			},
			"a claim, by its id": func(*testing.T) map[string]string {
				return map[string]string{"names": file().Member("id")}
			},
			"a claim that was settled and opened again": func(t *testing.T) map[string]string {
				id := settle(t)
				s.Must(200, "POST", "/claim/"+id+":reopen", "")
				return map[string]string{"after": consumercontract.Before(id), "at": "2026-07-01T00:00:00Z"}
			},
			"a claim that was settled, by its number": func(*testing.T) map[string]string {
				claim := file()
				s.Must(200, "POST", "/claim/"+claim.Member("id")+":settle",
					`{"paymentAmount":400,"paymentMethod":"cheque"}`)
				return map[string]string{"names": claim.Member("claimNumber"), "at": "2026-07-01T00:00:00Z"}
			},
			"a claim with a reference": func(*testing.T) map[string]string {
				s.Must(200, "PUT", "/claim/"+file().Member("id"), `{"externalReference":"C1"}`)
				return map[string]string{"resources": "claim", "reference": "C1"}
			},
			"no claim with the number": func(*testing.T) map[string]string {
				return map[string]string{"claimNumber": "CLM-NONE"}
			},
		}, func(*testing.T) { file() }))
}
