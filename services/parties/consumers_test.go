package parties_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"insurance.example/exchange/pkg/servicetest/consumercontract"
)

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	s := start(t)
	made := 0
	id := func(id string) map[string]string { return map[string]string{"id": id} }
	// logged returns a state in which the log begins with a party.
	logged := func(resource, body string) func(*testing.T) map[string]string {
		return consumercontract.LoggedBy(s, func(*testing.T) any { return nil },
			func(*testing.T, any) { s.Create(resource, body) })
	}
	consumercontract.Replay(t, s, nil, filepath.Join("..", "..", "contracts", "consumers", "parties"),
		consumercontract.Logged(s, consumercontract.States{
			"an individual": func(*testing.T) map[string]string {
				made++
				return id(s.Create("personal", person("X"+strconv.Itoa(made), "")))
			},
			"an individual in its log": logged("personal", person("IN-LOG", "")),
			"a company in its log":     logged("commercial", `{"name":"B","address":{"country":"FR"}}`),
			"an insurer in its log": logged("insuranceEntity",
				`{"name":"I","registeredAddress":{"country":"FR"}}`),
			"a company": func(*testing.T) map[string]string {
				return id(s.Create("commercial", `{"name":"A"}`))
			},
			"an insurer": func(*testing.T) map[string]string {
				return id(s.Create("insuranceEntity", `{"name":"A"}`))
			},
			"an individual, by its id": func(*testing.T) map[string]string {
				made++
				return map[string]string{"names": s.Create("personal", person("X"+strconv.Itoa(made), ""))}
			},
			"an individual with an address, by its id": func(*testing.T) map[string]string {
				made++
				id := s.Create("personal", `{"firstName":"A","lastName":"B","dob":"1990-01-01","idType":"passport",`+
					`"idNumber":"X`+strconv.Itoa(made)+`","address":{"building":"3","streetName":"High Street",`+
					`"city":"London","country":"GB","postalCode":"N1"}}`)
				return map[string]string{"at": "2100-01-01T00:00:00Z", "names": id}
			},
			"an individual with a reference": func(*testing.T) map[string]string {
				made++
				reference := "R" + strconv.Itoa(made)
				s.Create("personal", person("X"+strconv.Itoa(made), `,"externalReference":"`+reference+`"`))
				return map[string]string{"resources": "personal,commercial,insuranceEntity,beneficiary",
					"reference": reference}
			},
			"an individual that can be created": func(*testing.T) map[string]string { return nil },
			"an individual that is created":     func(*testing.T) map[string]string { return nil },
			"no party with the id": func(*testing.T) map[string]string {
				return id("00000000-0000-7000-8000-000000000000")
			},
		}, func(*testing.T) { s.Create("personal", person("LOGGED", "")) }))
}
