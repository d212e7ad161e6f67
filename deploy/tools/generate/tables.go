package main

import (
	"net/http"
	"slices"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/testclock"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// declarations returns the services and what else the OpenAPI document describes: the test clock.
func declarations() []rest.Service {
	return append(allinone.Services(), testclock.Service(new(testclock.Clock)))
}

// routingTable returns the routing table that follows from the declarations.
func routingTable() (routes.Table, error) {
	var table routes.Table
	for _, s := range declarations() {
		resources, extensions, err := s.Routes()
		if err != nil {
			return table, err
		}
		for _, r := range resources {
			table.Resources = append(table.Resources, routes.Route{
				Service: s.Name, Resource: r.Resource, Collection: r.Collection, Item: r.Item,
				Actions: r.Actions, Subs: r.Subs,
			})
		}
		for _, x := range extensions {
			table.Extensions = append(table.Extensions,
				routes.Extension{Service: s.Name, Path: x.Path, Method: x.Method, Writes: x.Writes,
					Largest: x.Largest, Optional: x.Optional})
		}
	}
	return table, nil
}

// searchTable returns what can be searched, as the declarations say.
func searchTable() (beyond.SearchTable, error) {
	var table beyond.SearchTable
	for _, s := range allinone.Services() {
		tables, err := s.Searches()
		if err != nil {
			return table, err
		}
		resources, _, err := s.Routes()
		if err != nil {
			return table, err
		}
		for _, r := range resources {
			searched := slices.ContainsFunc(tables, func(t *search.Table) bool { return t.Resource == r.Resource })
			if slices.Contains(r.Collection, http.MethodPost) && !searched {
				table.Unsearched = append(table.Unsearched, r.Resource)
			}
		}
		for _, t := range tables {
			of := beyond.SearchedResource{Resource: t.Resource, Members: t.Members, Expand: t.Expansions()}
			for i := range t.Fields {
				f := &t.Fields[i]
				of.Fields = append(of.Fields, beyond.SearchField{
					Name: f.Name, Kind: string(f.Kind), Parameters: f.Parameters(), Leads: f.Index != "",
				})
			}
			table.Resources = append(table.Resources, of)
		}
	}
	return table, nil
}
