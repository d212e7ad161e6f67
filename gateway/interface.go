package gateway

import (
	"net/http"
	"slices"
)

// Interface is the routing table of the exchange's interface: its standard operations, exceptions and actions.
func Interface() []Route {
	routes := []Route{
		{Resource: "productCatalog", Service: "products", Collection: []string{http.MethodGet}},
		standard("product", "products"),
		standard("policyWording", "products"),
		standard("premiumBordereau", "premium"),
		standard("receipt", "premium", "refund"),
		standard("travelCoverage", "coverage", "endorse", "cancel"),
	}
	for _, resource := range []string{"insuranceEntity", "personal", "commercial", "beneficiary"} {
		routes = append(routes, standard(resource, "parties"))
	}
	for _, resource := range []string{"vehicle", "driver", "business", "property", "traveller", "debtor", "pet"} {
		routes = append(routes, standard(resource, "coverage"))
	}
	for _, resource := range []string{
		"motorCoverage", "cyberLiabilityCoverage", "propertyCoverage", "tradeCreditCoverage",
		"businessInterruptionCoverage", "petCoverage",
	} {
		routes = append(routes, standard(resource, "coverage", "endorse", "cancel", "renew"))
	}
	claim := standard("claim", "claims", "settle", "reopen")
	claim.Subs = map[string][]string{"documents": {http.MethodPost}}
	claimsBordereau := standard("claimsBordereau", "claims")
	claimsBordereau.Item = []string{http.MethodGet}
	return slices.Concat(routes, []Route{claim, claimsBordereau})
}

// standard is a resource with the four standard operations.
func standard(resource, service string, actions ...string) Route {
	return Route{
		Resource: resource, Service: service, Actions: actions,
		Collection: []string{http.MethodGet, http.MethodPost}, Item: []string{http.MethodGet, http.MethodPut},
	}
}
