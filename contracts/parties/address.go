package parties

import "github.com/go-json-experiment/json/jsontext"

// Address is the address of a party or a property.
//
// The address of a party or a property. It is part of the record that carries it, in every request and response.
type Address struct {
	// The name or number of the building.
	Building *string `json:"building,omitzero"`
	// The name of the street.
	StreetName *string `json:"streetName,omitzero"`
	// The city, town or village.
	City *string `json:"city,omitzero"`
	// The state, province or region.
	State *string `json:"state,omitzero"`
	// The country, as its ISO 3166-1 alpha-2 code.
	Country *string `json:"country,omitzero" set:"Country"`
	// The postal code. The interface does not say its form.
	PostalCode *string `json:"postalCode,omitzero"`
	// Three words that stand for a place. The interface does not say by which scheme.
	ThreeWordAddress *string `json:"threeWordAddress,omitzero"`
	// Extensions are the members that the interface does not name.
	Extensions jsontext.Value `json:",embed"`
}
