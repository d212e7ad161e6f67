// Package parties holds the party resources.
//
// Who insures, is insured, or is paid. Parties are never deleted.
package parties

import (
	"insurance.example/exchange/contracts/scalar"
)

// Personal is the record of the resource personal.
//
// An individual. Two individuals never have the same idType and idNumber.
type Personal struct {
	scalar.Record
	// The first name.
	FirstName *string `json:"firstName,omitzero"`
	// The last name.
	LastName *string `json:"lastName,omitzero"`
	// The day of birth.
	DOB scalar.Date `json:"dob,omitzero"`
	// Where the individual lives.
	Address *Address `json:"address,omitzero"`
	// The kind of identity document.
	IDType *string `json:"idType,omitzero" set:"IdType"`
	// The number of the identity document.
	IDNumber *string `json:"idNumber,omitzero" identity:""`
}

// InsuranceEntity is the record of the resource insuranceEntity.
//
// An insurer, broker or agent.
type InsuranceEntity struct {
	scalar.Record
	// The registered name.
	Name *string `json:"name,omitzero"`
	// The name under which the entity trades.
	TradeName *string `json:"tradeName,omitzero"`
	// The type of entity.
	Type *string `json:"type,omitzero" set:"EntityType"`
	// The classification of the entity.
	Classification *string `json:"classification,omitzero" set:"EntityClassification"`
	// The number under which the entity is registered.
	RegistrationNumber *string `json:"registrationNumber,omitzero" identity:""`
	// Where the entity is.
	Address *Address `json:"address,omitzero"`
}

// Commercial is the record of the resource commercial.
//
// A corporate party.
type Commercial struct {
	scalar.Record
	// The registered name.
	Name *string `json:"name,omitzero"`
	// The registered address.
	RegisteredAddress *Address `json:"registeredAddress,omitzero"`
	// The number under which the company is registered.
	RegistrationNumber *string `json:"registrationNumber,omitzero" identity:""`
}

// Beneficiary is the record of the resource beneficiary.
//
// A party that is paid.
type Beneficiary struct {
	scalar.Record
	// The name of the beneficiary.
	Name *string `json:"name,omitzero"`
	// Where the beneficiary is.
	Address *Address `json:"address,omitzero"`
	// The share of what is paid. The interface does not say its unit (a fraction or percent).
	Share scalar.Decimal `json:"share,omitzero"`
}
