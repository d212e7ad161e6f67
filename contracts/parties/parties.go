// Package parties holds the party resources: who insures, is insured, or is paid.
package parties

import (
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/scalar"
)

// Address is embedded in records and is no resource of its own. Country is an ISO 3166-1 alpha-2 code.
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

// Personal is an individual. IDType and IDNumber together belong to one individual only.
type Personal struct {
	scalar.Record
	FirstName *string     `json:"firstName,omitzero"`
	LastName  *string     `json:"lastName,omitzero"`
	DOB       scalar.Date `json:"dob,omitzero"`
	Address   *Address    `json:"address,omitzero"`
	IDType    *string     `json:"idType,omitzero" set:"IdType"`
	IDNumber  *string     `json:"idNumber,omitzero"`
}
