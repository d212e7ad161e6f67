package coverage

import (
	"context"
	"time"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/rest/share"
)

// Service returns the service.
func Service() rest.Service {
	var r rules
	return rest.Service{
		Name: "coverage", Summary: "The policies of the Insurance Exchange Service, and what they insure",
		Told:    []string{settings.TripLength, settings.AnnualLength},
		Foreign: settings.All(), Peers: []string{"parties"},
		Sets:    func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Flags:   r.register,
		Declare: func(s *rest.Server, deps process.Deps) (rest.Parts, error) { return declareAll(s, deps, r) },
	}
}

// environment is what the declarations of the lines use: the settings and value sets of the service, the service it
// calls, and the lines that are already declared.
type environment struct {
	rules   rules
	sets    rest.Sets
	zone    *time.Location
	parties *peer.Client
	// lines are the declared lines by the names of their resources. All keep their records in the collection that
	// policies returns.
	lines    map[string]opened
	policies func() docstore.Collection
	// show returns a record of a resource of the service by its id.
	show func(ctx context.Context, resource, id string) (query.Shown, bool, error)
	// descriptions caches what other services read about policies.
	descriptions *descriptions
	// access are the access lists of the policies.
	access *share.Lists
}

func declareAll(s *rest.Server, deps process.Deps, r rules) (rest.Parts, error) {
	r.reportUnset(deps.Unset)
	descriptions, err := newDescriptions()
	if err != nil {
		return rest.Parts{}, err
	}
	e := &environment{
		rules: r, sets: s.Sets, zone: s.Zone, parties: deps.Peer("parties"), lines: map[string]opened{},
		descriptions: descriptions, show: s.Show,
	}
	e.access = share.New(deps, func() docstore.Collection { return e.policies() })
	vehicles, drivers := rest.Add(s, vehicle()), rest.Add(s, driver())
	businesses, travellers := rest.Add(s, business()), rest.Add(s, traveller())
	properties, debtors, pets := rest.Add(s, property()), rest.Add(s, debtor()), rest.Add(s, pet(s.Sets))
	add(s, e, motor(e, vehicles, drivers))
	add(s, e, cyber(e, businesses))
	add(s, e, travel(e, travellers))
	add(s, e, propertyLine(e, properties))
	add(s, e, tradeCredit(e, debtors))
	add(s, e, businessInterruption(e, properties))
	add(s, e, petLine(e, pets))
	s.SearchTogether("coverage", policyCollection)
	return rest.Parts{Internal: e.mountInternal, LookedUp: e.lookedUp, Open: e.access.Open}, nil
}

func add[T any](s *rest.Server, e *environment, l line[T]) {
	records := rest.Add(s, declare(e, l))
	e.lines[l.name] = openedLine[T]{l, records}
	e.policies = records.Stored
}
