package allinone

import (
	"fmt"
	"slices"
	"strings"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/book"
	"insurance.example/exchange/services/claims"
	"insurance.example/exchange/services/composite"
	"insurance.example/exchange/services/coverage"
	"insurance.example/exchange/services/desk"
	"insurance.example/exchange/services/feed"
	"insurance.example/exchange/services/parties"
	"insurance.example/exchange/services/premium"
	"insurance.example/exchange/services/products"
)

// Services returns the services of the exchange, in the order in which the documentation lists them.
func Services() []rest.Service {
	return []rest.Service{
		parties.Service(), products.Service(), coverage.Service(), claims.Service(), premium.Service(),
		feed.Service(), desk.Service(), book.Service(), composite.Service(),
	}
}

// CallersFirst returns the services that keep records, each before those that it calls. A record names only records
// that were there before it, in its own service or in one that its service calls. So what is read of the services in
// this order names no record that is missing.
func CallersFirst() ([]rest.Service, error) {
	declared := map[string]rest.Service{}
	var definitions []process.Definition
	for _, s := range Services() {
		declared[s.Name] = s
		definitions = append(definitions, process.Definition{Name: s.Name, Peers: s.Peers})
	}
	ordered, err := startOrder(definitions)
	var services []rest.Service
	for _, d := range slices.Backward(ordered) {
		if !declared[d.Name].Storeless {
			services = append(services, declared[d.Name])
		}
	}
	return services, err
}

// startOrder returns the services in the order in which they start: each after its peers. It fails if a peer is not
// among them, or if services call each other in a circle.
func startOrder(services []process.Definition) ([]process.Definition, error) {
	var ordered []process.Definition
	var started []string
	waiting := slices.Clone(services)
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(d process.Definition) bool {
			return !slices.ContainsFunc(d.Peers, func(peer string) bool { return !slices.Contains(started, peer) })
		})
		if next < 0 {
			return nil, unordered(waiting, started)
		}
		ordered, started = append(ordered, waiting[next]), append(started, waiting[next].Name)
		waiting = slices.Delete(waiting, next, next+1)
	}
	return ordered, nil
}

// unordered returns the error for services of which each waits for another.
func unordered(waiting []process.Definition, started []string) error {
	var calls []string
	for _, d := range waiting {
		for _, peer := range d.Peers {
			missing := !slices.Contains(started, peer)
			if missing && !slices.ContainsFunc(waiting, func(w process.Definition) bool { return w.Name == peer }) {
				return fmt.Errorf("service %s calls %s, which is not a service of the exchange", d.Name, peer)
			}
			if missing {
				calls = append(calls, d.Name+" calls "+peer)
			}
		}
	}
	return fmt.Errorf("services call each other in a circle, so that none can start first: %s",
		strings.Join(calls, ", "))
}
