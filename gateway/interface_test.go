package gateway_test

import (
	"slices"
	"testing"

	"insurance.example/exchange/gateway"
)

// TestInterfaceIsWhole counts the operations of the interface: 23 resources with four, claimsBordereau with three,
// productCatalog with one; endorse and cancel of seven lines, renew of six, refund, settle, reopen and documents.
func TestInterfaceIsWhole(t *testing.T) {
	resources, operations, actions, subs := 0, 0, 0, 0
	services := map[string]int{}
	for _, route := range gateway.Interface() {
		resources++
		services[route.Service]++
		operations += len(route.Collection) + len(route.Item)
		actions += len(route.Actions)
		subs += len(route.Subs)
		if route.Resource == "travelCoverage" && slices.Contains(route.Actions, "renew") {
			t.Error("travelCoverage has no renew")
		}
	}
	if resources != 25 || operations != 23*4+3+1 || actions != 7*2+6+3 || subs != 1 {
		t.Errorf("%d resources, %d operations, %d actions, %d sub-paths", resources, operations, actions, subs)
	}
	for name, want := range map[string]int{"parties": 4, "products": 3, "coverage": 14, "claims": 2, "premium": 2} {
		if services[name] != want {
			t.Errorf("%s has %d resources, want %d", name, services[name], want)
		}
	}
}
