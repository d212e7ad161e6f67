package coverage_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/services/coverage"
)

var contracts = filepath.Join("..", "..", "contracts", "consumers")

// TestEveryPartyThatIsReliedOn makes a policy for each party of the contract with parties.
func TestEveryPartyThatIsReliedOn(t *testing.T) {
	parties := consumercontract.NewStub(t, filepath.Join(contracts, "parties", "coverage.json"))
	s := servicetest.Start(t, coverage.Service().Definition(),
		servicetest.Options{Peers: map[string]http.Handler{"parties": parties}})
	for policyholder, status := range map[string]int{
		"01930000-0000-7000-8000-000000000001": 201, "01930000-0000-7000-8000-000000000002": 201,
		"01930000-0000-7000-8000-000000000003": 404, "ref:H1": 201,
	} {
		traveller := s.Create("traveller", `{"firstName":"T"}`)
		a := s.Must(status, "POST", "/travelCoverage",
			`{"policyholderId":"`+policyholder+`","brokerId":"`+broker+
				`","travellerIds":["`+traveller+`"],"destination":826,`+term+`}`)
		if status == 404 && a.Member("type") != "/problems/policyholder-not-found" {
			t.Error(a.Text)
		}
	}
	driver, vehicle := s.Create("driver", `{"licence":{"expiryDate":"2050-01-01"}}`), s.Create("vehicle", `{"vin":"V"}`)
	s.Create("motorCoverage", `{"policyholderId":"01930000-0000-7000-8000-000000000001","vehicleId":"`+vehicle+
		`","driverId":"`+driver+`",`+term+`}`)
	a := s.Must(200, "GET", "/x/search/motorCoverage?expand=driver,policyholder,vehicle&fields=vehicleId", "")
	if a.Text != `[{"vehicleId":"`+vehicle+`","driver":{"id":"`+driver+
		`","licence":{"expiryDate":"2050-01-01"}},"policyholder":{"firstName":"A"},"vehicle":{"id":"`+vehicle+
		`","vin":"V"}}]` {
		t.Error(a.Text)
	}
	parties.WantAllAsked()
}

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	// made returns a function that makes a policy of a line, with further members of its body, and does actions on it.
	made := func(line, object, objectBody, further string, actions ...string) func(*testing.T) map[string]string {
		return func(*testing.T) map[string]string {
			driver := s.Create("driver", `{"licence":{"expiryDate":"2050-01-01"}}`)
			body := strings.NewReplacer("{object}", s.Create(object, objectBody), "{driver}", driver).Replace(further)
			a := s.Must(http.StatusCreated, http.MethodPost, "/"+line, `{"policyholderId":"`+holder+`",`+body+`}`)
			for _, action := range actions {
				name, sent, _ := strings.Cut(action, " ")
				s.Must(http.StatusOK, http.MethodPost, "/"+line+"/"+a.Member("id")+":"+name, sent)
			}
			return map[string]string{"policyNumber": a.Member("policyNumber"), "at": "2026-04-01T00:00:00Z"}
		}
	}
	const motor = `"vehicleId":"{object}","driverId":"{driver}",` + term
	endless := made("travelCoverage", "traveller", `{"firstName":"T"}`, `"travellerIds":["{object}"],"destination":826`)
	traveller := s.Create("traveller", `{"firstName":"T"}`)
	states := consumercontract.States{
		"a motor policy with perils": made("motorCoverage", "vehicle", `{"vin":"V"}`,
			`"perils":["fire","volcanic eruption"],`+motor),
		"a motor policy that was cancelled": made("motorCoverage", "vehicle", `{"vin":"V"}`,
			`"perils":["fire"],`+motor, "cancel"),
		"a motor policy with an endorsement that counts later": made("motorCoverage", "vehicle", `{"vin":"V"}`,
			`"perils":["fire"],`+motor,
			`endorse {"endorsementType":"addition","effectiveDate":"2026-05-01T00:00:00Z","perils":["fire","flood"]}`),
		"a policy with a reference": func(t *testing.T) map[string]string {
			reference := strings.ReplaceAll(t.Name(), "/", "-")
			made("motorCoverage", "vehicle", `{"vin":"V"}`, `"externalReference":"`+reference+`",`+motor)(t)
			return map[string]string{"resources": "policy", "reference": reference}
		},
		"a motor policy without perils":  made("motorCoverage", "vehicle", `{"vin":"V"}`, motor),
		"a travel policy without an end": endless,
		"a trade credit policy with a waiting period of 30 days": made("tradeCreditCoverage", "debtor", `{"name":"D"}`,
			`"debtorId":"{object}","tradeCreditType":"Single Buyer","creditLimit":1,"perils":["insolvency"],`+
				`"waitingPeriod":30,`+term),
		"a pet policy with a waiting period of 14 days": made("petCoverage", "pet", `{"petKind":"cat"}`,
			`"petId":"{object}","benefits":["Cancer"],"waitingPeriod":14,`+term),
		"a cyber policy with a limit of 9": made("cyberLiabilityCoverage", "business", `{"businessSector":"x"}`,
			`"businessId":"{object}","indemnityLimitPolicy":9,`+term),
		"a motor policy, by its number": func(t *testing.T) map[string]string {
			return map[string]string{"names": made("motorCoverage", "vehicle", `{"vin":"V"}`, motor)(t)["policyNumber"]}
		},
		"a policy that attached": func(t *testing.T) map[string]string {
			return map[string]string{
				"policyNumbers": made("motorCoverage", "vehicle", `{"vin":"V"}`, motor)(t)["policyNumber"],
			}
		},
		"a motor policy with amounts, by its number": func(t *testing.T) map[string]string {
			return map[string]string{"at": "2026-07-01T00:00:00Z", "names": made("motorCoverage", "vehicle",
				`{"vin":"V"}`, `"grossWrittenPremium":1200,"indemnityLimitPolicy":50000,`+motor)(t)["policyNumber"]}
		},
		"a vehicle that can be created": func(*testing.T) map[string]string { return nil },
		"a vehicle that is created":     func(*testing.T) map[string]string { return nil },
		"no policy with the number": func(*testing.T) map[string]string {
			return map[string]string{"policyNumber": "POL-NONE", "at": "2026-04-01T00:00:00Z"}
		},
	}
	states = consumercontract.Logged(s, states, func(*testing.T) {
		s.Create("travelCoverage", `{"policyholderId":"`+holder+`","travellerIds":["`+traveller+`"],"destination":826}`)
	})
	maps.Copy(states, loggedPolicies(s))
	shared := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"), "--org-claim", "org")
	// of returns a state in which acme has a policy that is shared with an organisation.
	of := func(participant string) func(*testing.T) map[string]string {
		return func(*testing.T) map[string]string {
			_, number := policy(t, shared.As("acme"), 0)
			const step = `{"owner":"acme",%s"participants":[{"organisation":%q,"rights":["read"]}]}`
			access := func(more string) string {
				return shared.As("acme").Must(http.StatusOK, http.MethodPut, "/internal/access/"+number,
					fmt.Sprintf(step, more, participant)).Text
			}
			var kept struct{ Sequence json.Number }
			if err := json.Unmarshal([]byte(access(`"after":0,`)), &kept); err != nil {
				t.Fatal(err)
			}
			access(`"sequence":` + kept.Sequence.String() + `,"grant":true,`)
			return map[string]string{"policyNumber": number, "after": internalapi.Oldest}
		}
	}
	states["a policy that is shared with who asks"] = of("zenith")
	states["the one policy that is shared with who asks"] = of("vega")
	states["a policy that is shared with another organisation"] = of("orion")
	consumercontract.Replay(t, s, shared, filepath.Join(contracts, "coverage"), states)
}

// loggedPolicies are the states in which the log begins with what happened to a motor policy.
func loggedPolicies(s *servicetest.Service) consumercontract.States {
	prepare := func(*testing.T) string {
		return `"vehicleId":"` + s.Create("vehicle", `{"vin":"V"}`) + `","driverId":"` +
			s.Create("driver", `{"licence":{"expiryDate":"2050-01-01"}}`) + `"`
	}
	create := func(objects string) string {
		return s.Create("motorCoverage",
			`{"policyholderId":"`+holder+`","brokerId":"`+broker+`","agentId":"`+broker+
				`","grossWrittenPremium":1200,`+objects+`,`+term+`}`)
	}
	// done returns a state in which the log begins with an action.
	done := func(action, body string) func(*testing.T) map[string]string {
		return consumercontract.LoggedBy(s, func(t *testing.T) string { return create(prepare(t)) },
			func(_ *testing.T, id string) {
				s.Must(http.StatusOK, http.MethodPost, "/motorCoverage/"+id+":"+action, body)
			})
	}
	return consumercontract.States{
		"a vehicle in its log": consumercontract.LoggedBy(s, func(*testing.T) any { return nil },
			func(*testing.T, any) { s.Create("vehicle", `{"vin":"V","plateNumber":"EX 2026","model":"Golf"}`) }),
		"a motor policy in its log": consumercontract.LoggedBy(s, prepare,
			func(_ *testing.T, objects string) { create(objects) }),
		"an endorsement of a motor policy in its log": done("endorse",
			`{"endorsementType":"addition","effectiveDate":"2026-05-01T00:00:00Z","grossWrittenPremium":1400}`),
		"a renewal of a motor policy in its log": consumercontract.LoggedBy(s,
			func(t *testing.T) string { return create(prepare(t)) },
			func(_ *testing.T, id string) {
				s.Must(http.StatusCreated, http.MethodPost, "/motorCoverage/"+id+":renew", "")
			}),
		"a cancellation of a motor policy in its log": done("cancel", `{"effectiveDate":"2026-09-01T00:00:00Z"}`),
	}
}
