// Package local runs the whole exchange in one process: the gateway, the services, and a broker that speaks Kafka's
// protocol, with the data in files of one folder.
package allinone

import (
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/claims"
	"insurance.example/exchange/services/coverage"
	"insurance.example/exchange/services/parties"
	"insurance.example/exchange/services/premium"
	"insurance.example/exchange/services/products"
)

// Services answers the services of the exchange, each after those that it calls.
func Services() []rest.Service {
	return []rest.Service{parties.Service(), products.Service(), coverage.Service(), claims.Service(), premium.Service()}
}

// Routes answers the routing table, from the declarations of the services.
func Routes() (routes.Table, error) {
	var table routes.Table
	for _, s := range Services() {
		resources, extensions, err := s.Routes()
		if err != nil {
			return table, err
		}
		for _, r := range resources {
			table.Resources = append(table.Resources, routes.Route{
				Service: s.Name, Resource: r.Resource, Collection: r.Collection, Item: r.Item, Actions: r.Actions, Subs: r.Subs,
			})
		}
		for _, x := range extensions {
			table.Extensions = append(table.Extensions, routes.Extension{Service: s.Name, Path: x.Path, Method: x.Method})
		}
	}
	return table, nil
}
