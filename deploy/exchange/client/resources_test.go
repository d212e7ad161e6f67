package client_test

import (
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/resource"
)

// TestEveryResource compares the document with the routes of the gateway. Both have the same resources and operations.
func TestEveryResource(t *testing.T) {
	document, err := openapi.Document(valuesets.Published(), "", openapi.Amounts{})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := resource.Read(document)
	if err != nil {
		t.Fatal(err)
	}
	all, err := routes.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(catalog.All()) != len(all.Resources) {
		t.Errorf("the document has %d resources, the gateway %d", len(catalog.All()), len(all.Resources))
	}
	for _, route := range all.Resources {
		r, known := catalog.Find(route.Resource)
		if !known {
			t.Errorf("the document does not describe %s", route.Resource)
			continue
		}
		actions := slices.Concat(route.Actions, route.Subs)
		for _, x := range all.Extensions {
			if name, is := strings.CutPrefix(x.Path, "/x/"+route.Resource+"/{id}:"); is {
				actions = append(actions, name)
			}
		}
		slices.Sort(actions)
		offered := r.ActionNames()
		slices.Sort(offered)
		if !slices.Equal(actions, offered) || r.Creatable != slices.Contains(route.Collection, "POST") ||
			r.Readable != slices.Contains(route.Item, "GET") || r.Replaceable != slices.Contains(route.Item, "PUT") {
			t.Errorf("%s: %+v, and the gateway routes %+v", route.Resource, r, route)
		}
		if r.Creatable && r.Example == nil {
			t.Errorf("%s has no example", route.Resource)
		}
	}
}
