// Package address holds the address, which is embedded in records and is no resource of its own.
package address

import "github.com/go-json-experiment/json/jsontext"

// Address is where a party or a property is. Country is an ISO 3166-1 alpha-2 code.
type Address struct {
	Building         *string        `json:"building,omitzero"`
	StreetName       *string        `json:"streetName,omitzero"`
	City             *string        `json:"city,omitzero"`
	State            *string        `json:"state,omitzero"`
	Country          *string        `json:"country,omitzero" set:"Country"`
	PostalCode       *string        `json:"postalCode,omitzero"`
	ThreeWordAddress *string        `json:"threeWordAddress,omitzero"`
	Extensions       jsontext.Value `json:",embed"`
}
