// Package coverage is the service that owns the policies of every line, and the objects they insure or cover.
package coverage

import (
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/service"
)

// Service answers the service.
func Service() rest.Service {
	return rest.Service{
		Name: "coverage", Summary: "The policies of the Insurance Exchange Service, and what they insure",
		Foreign: settings.All(), Peers: []string{"parties"},
		Sets:    func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Declare: declareAll,
	}
}

// exchange is what the lines need of the rest of the exchange.
type exchange struct {
	sets    rest.Sets
	parties *peer.Client
	// lines are the declared lines, by resource name; all keep their records in the collection that policies answers.
	lines    map[string]opened
	policies func() docstore.Collection
}

func declareAll(s *rest.Server, deps service.Deps) (rest.Beside, error) {
	e := &exchange{sets: s.Sets, parties: deps.Peer("parties"), lines: map[string]opened{}}
	vehicles := rest.Add(s, vehicle())
	drivers := rest.Add(s, driver())
	add(s, e, motor(e, vehicles, drivers))
	return rest.Beside{Internal: e.mountInternal}, nil
}

func add[T any](s *rest.Server, e *exchange, l line[T]) {
	records := rest.Add(s, declare(l))
	e.lines[l.name] = openedLine[T]{l, records}
	e.policies = records.Stored
}
