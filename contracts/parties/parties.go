// Package parties holds the party resources: who insures, is insured, or is paid.
package parties

import (
	"insurance.example/exchange/contracts/address"
	"insurance.example/exchange/contracts/scalar"
)

// Personal is an individual. IDType and IDNumber together belong to one individual only.
type Personal struct {
	scalar.Record
	FirstName *string          `json:"firstName,omitzero"`
	LastName  *string          `json:"lastName,omitzero"`
	DOB       scalar.Date      `json:"dob,omitzero"`
	Address   *address.Address `json:"address,omitzero"`
	IDType    *string          `json:"idType,omitzero" set:"IdType"`
	IDNumber  *string          `json:"idNumber,omitzero"`
}

// InsuranceEntity is an insurer, broker or agent.
type InsuranceEntity struct {
	scalar.Record
	Name               *string          `json:"name,omitzero"`
	TradeName          *string          `json:"tradeName,omitzero"`
	Type               *string          `json:"type,omitzero" set:"EntityType"`
	Classification     *string          `json:"classification,omitzero" set:"EntityClassification"`
	RegistrationNumber *string          `json:"registrationNumber,omitzero"`
	Address            *address.Address `json:"address,omitzero"`
}

// Commercial is a corporate party.
type Commercial struct {
	scalar.Record
	Name               *string          `json:"name,omitzero"`
	RegisteredAddress  *address.Address `json:"registeredAddress,omitzero"`
	RegistrationNumber *string          `json:"registrationNumber,omitzero"`
}

// Beneficiary is who is paid, and what share.
type Beneficiary struct {
	scalar.Record
	Name    *string          `json:"name,omitzero"`
	Address *address.Address `json:"address,omitzero"`
	Share   scalar.Decimal   `json:"share,omitzero"`
}
