// Package coverage holds the policies: a coverage record of each line of insurance.
package coverage

import "insurance.example/exchange/contracts/scalar"

// The policy status values (interface.md, States and transitions).
const (
	InForce   = "in force"
	Cancelled = "cancelled"
	Lapsed    = "lapsed"
	Extended  = "extended"
)

// Policy is what the coverage records of every line share. PolicyNumber is unique over all lines; it and Status are
// issued by the exchange. PolicyholderID refers to a party.
type Policy struct {
	scalar.Record
	PolicyNumber   *string         `json:"policyNumber,omitzero"`
	PolicyholderID scalar.ID       `json:"policyholderId,omitzero"`
	InceptionDate  scalar.DateTime `json:"inceptionDate,omitzero"`
	ExpiryDate     scalar.DateTime `json:"expiryDate,omitzero"`
	Status         *string         `json:"status,omitzero"`
}

// Shared answers the part that every line has.
func (p *Policy) Shared() *Policy { return p }

// Motor insures a vehicle and covers a driver. GrossWrittenPremium is sent as premium on create.
type Motor struct {
	Policy
	VehicleID            scalar.ID      `json:"vehicleId,omitzero"`
	DriverID             scalar.ID      `json:"driverId,omitzero"`
	GrossWrittenPremium  scalar.Decimal `json:"grossWrittenPremium,omitzero"`
	IndemnityLimitPolicy *scalar.Int    `json:"indemnityLimitPolicy,omitzero"`
	Perils               []string       `json:"perils,omitzero" set:"MotorPeril"`
}

// Endorsement is the body of :endorse: its type, and the changed fields of the record beside it.
type Endorsement struct {
	EndorsementType *string `json:"endorsementType,omitzero" set:"EndorsementType"`
}

// PolicyExtension is the one endorsement type that moves the term and the state.
const PolicyExtension = "policy extension"

// Cancellation is the optional body of :cancel.
type Cancellation struct {
	Reason *string `json:"reason,omitzero"`
}
