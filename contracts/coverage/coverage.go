// Package coverage holds the coverage records of the seven lines of insurance.
//
// Policies: a coverage record of each line of insurance.
package coverage

import "insurance.example/exchange/contracts/scalar"

// The values of the status of a policy (contracts/interface.md, motorCoverage and the other lines).
const (
	InForce   = "in force"
	Cancelled = "cancelled"
	Lapsed    = "lapsed"
	Extended  = "extended"
)

// Policy is what the coverage records of every line share.
type Policy struct {
	scalar.Record
	// The number that the exchange issues to the policy. It is unique over all lines; its last character is a check
	// character.
	PolicyNumber *string `json:"policyNumber,omitzero" issued:""`
	// The id of the party that holds the policy: a personal, commercial, insuranceEntity or beneficiary record.
	PolicyholderID scalar.ID `json:"policyholderId,omitzero" refers:"personal,commercial,insuranceEntity,beneficiary"`
	// The id of the broker that placed the policy: an insuranceEntity record.
	BrokerID scalar.Since[scalar.ID] `json:"brokerId,omitzero" refers:"insuranceEntity"`
	// The id of the agent that wrote the policy: an insuranceEntity record.
	AgentID scalar.Since[scalar.ID] `json:"agentId,omitzero" refers:"insuranceEntity"`
	// The instant at which the term begins.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
	// The instant at which the term ends; it is no longer part of the term.
	ExpiryDate scalar.DateTime `json:"expiryDate,omitzero"`
	// The number of the policy that this one replaces, such as one that was cancelled. It is given at the creation; the
	// policy that is replaced stays as it is.
	Replaces scalar.Since[string] `json:"replaces,omitzero"`
	// The state of the policy, which only actions, non-payment and time change. A policy past its expiryDate stays in
	// force.
	Status *string `json:"status,omitzero" issued:"PolicyStatus"`
}

// Shared returns the part that every line has.
func (p *Policy) Shared() *Policy { return p }

// Motor is the record of the resource motorCoverage.
//
// A motor policy. It insures a vehicle and covers a driver.
type Motor struct {
	Policy
	// The id of the vehicle that the policy insures.
	VehicleID scalar.ID `json:"vehicleId,omitzero" refers:"vehicle"`
	// The id of the driver whom the policy covers. The driver's licence must not have expired.
	DriverID scalar.ID `json:"driverId,omitzero" refers:"driver"`
	// The premium before deductions. The interface does not say its currency or unit.
	GrossWrittenPremium scalar.Decimal `json:"grossWrittenPremium,omitzero" amount:""`
	// The most that the policy pays. The interface does not say its currency or unit.
	IndemnityLimitPolicy *scalar.Int `json:"indemnityLimitPolicy,omitzero" amount:""`
	// What the policy insures against. A claim's lossCause must be one of them.
	Perils []string `json:"perils,omitzero" set:"MotorPeril"`
}

// CyberLiability is the record of the resource cyberLiabilityCoverage.
//
// A cyber liability policy. It covers a business.
type CyberLiability struct {
	Policy
	// The id of the business that the policy covers.
	BusinessID scalar.ID `json:"businessId,omitzero" refers:"business"`
	// The most that the policy pays, above 0. The interface does not say its currency or unit.
	IndemnityLimitPolicy *scalar.Int `json:"indemnityLimitPolicy,omitzero" amount:""`
	// The claims occurrence. The interface does not show its members; it is kept and returned as sent.
	ClaimsOccurrence scalar.JSON `json:"claimsOccurrence,omitzero"`
	// What the policy covers. A claim's lossCause must be one of them.
	Scope []string `json:"scope,omitzero" set:"CyberCoverageCategory"`
}

// Travel is the record of the resource travelCoverage.
//
// A travel policy. It covers one or more travellers.
type Travel struct {
	Policy
	// The ids of the travellers whom the policy covers. Several need isGroup.
	TravellerIDs []scalar.ID `json:"travellerIds,omitzero" refers:"traveller"`
	// Whether the policy is for a year of trips; false where it is not sent.
	IsAnnualPolicy *bool `json:"isAnnualPolicy,omitzero"`
	// Whether the policy covers a group; false where it is not sent.
	IsGroup *bool `json:"isGroup,omitzero"`
	// The length of the trip in days, 1 or more. The operator may set a range for single trips and one for annual
	// policies.
	Length *scalar.Int `json:"length,omitzero"`
	// The country of the trip, as its ISO 3166-1 numeric code, such as 250.
	Destination *scalar.Int `json:"destination,omitzero"`
	// The cover for medical emergencies. The interface does not say its currency or unit.
	EmergencyMedical scalar.Decimal `json:"emergencyMedical,omitzero" amount:""`
	// The cover for a cancelled trip. The interface does not say its currency or unit.
	TripCancellation scalar.Decimal `json:"tripCancellation,omitzero" amount:""`
}

// Property is the record of the resource propertyCoverage.
//
// A property policy. It insures one property or several.
type Property struct {
	Policy
	// The id of the property that the policy insures, where it is one.
	PropertyID scalar.ID `json:"propertyId,omitzero" refers:"property"`
	// The ids of the properties that the policy insures, where they are several.
	PropertyIDs []scalar.ID `json:"propertyIds,omitzero" refers:"property"`
	// The most that the policy pays. The interface does not say its currency or unit.
	IndemnityLimitPolicy *scalar.Int `json:"indemnityLimitPolicy,omitzero" amount:""`
	// Whether the sum insured is agreed in advance.
	IsAgreedValue *bool `json:"isAgreedValue,omitzero"`
	// What the policy insures against. A claim's lossCause must be one of them.
	Perils []string `json:"perils,omitzero" set:"PropertyPeril"`
	// The part of a loss to the building that the policyholder bears. The interface does not say its currency or unit.
	DeductibleAmountBuilding *scalar.Int `json:"deductibleAmountBuilding,omitzero" amount:""`
	// The part of a loss to the content that the policyholder bears. The interface does not say its currency or unit.
	DeductibleAmountContent *scalar.Int `json:"deductibleAmountContent,omitzero" amount:""`
	// The claims occurrence. The interface does not show its members; it is kept and returned as sent.
	ClaimsOccurrence scalar.JSON `json:"claimsOccurrence,omitzero"`
}

// TradeCredit is the record of the resource tradeCreditCoverage.
//
// A trade credit policy. It covers the payment of a debtor.
type TradeCredit struct {
	Policy
	// The id of the debtor whose payment the policy covers.
	DebtorID scalar.ID `json:"debtorId,omitzero" refers:"debtor"`
	// The type of trade credit.
	TradeCreditType *string `json:"tradeCreditType,omitzero" set:"TradeCreditType"`
	// What the policy insures against. A claim's lossCause must be one of them.
	Perils []string `json:"perils,omitzero" set:"TradeCreditPeril"`
	// The most credit that is covered, above 0. An endorsement raises or cuts it. The interface does not say its
	// currency or unit.
	CreditLimit *scalar.Int `json:"creditLimit,omitzero" amount:""`
	// The part of the credit limit that is in use. The interface does not say its currency or unit.
	CreditLimitUtilized *scalar.Int `json:"creditLimitUtilized,omitzero" amount:""`
	// The longest credit that may be given. The interface does not say its unit.
	MaxCreditPeriod *scalar.Int `json:"maxCreditPeriod,omitzero"`
	// The days from a loss to its notification. A claim that comes earlier carries a warning.
	WaitingPeriod *scalar.Int `json:"waitingPeriod,omitzero"`
}

// BusinessInterruption is the record of the resource businessInterruptionCoverage.
//
// A business interruption policy. It attaches to a property.
type BusinessInterruption struct {
	Policy
	// The id of the property that the policy attaches to.
	PropertyRef scalar.ID `json:"propertyRef,omitzero" refers:"property"`
	// The type of business interruption.
	Type *string `json:"type,omitzero" set:"TypeBusinessInterruption"`
	// What the policy insures against. A claim's lossCause must be one of them.
	Perils []string `json:"perils,omitzero" set:"PropertyPeril"`
	// The gross profit of a year. The interface does not say its currency or unit.
	GrossAnnualProfit *scalar.Int `json:"grossAnnualProfit,omitzero" amount:""`
	// The limit for increased cost of working. The interface does not say its currency or unit.
	ICWLimit *scalar.Int `json:"icwLimit,omitzero" amount:""`
	// The limit for contingency losses. The interface does not say its currency or unit.
	ContingencyLossLimit *scalar.Int `json:"contingencyLossLimit,omitzero" amount:""`
	// The time for which losses are paid, above 0; the name has a capital I. The interface does not say its unit.
	IndemnityPeriod *scalar.Int `json:"IndemnityPeriod,omitzero"`
	// The part of a loss that the policyholder bears. The interface does not say its currency or unit.
	Deductible *scalar.Int `json:"deductible,omitzero" amount:""`
}

// Pet is the record of the resource petCoverage.
//
// A pet policy. It covers a pet.
type Pet struct {
	Policy
	// The id of the pet that the policy covers.
	PetID scalar.ID `json:"petId,omitzero" refers:"pet"`
	// The most that is reimbursed in a year. The interface does not say its currency or unit.
	AnnualReimbursementLimit *scalar.Int `json:"annualReimbursementLimit,omitzero" amount:""`
	// The days from inceptionDate to a loss. A claim for an earlier loss carries a warning.
	WaitingPeriod *scalar.Int `json:"waitingPeriod,omitzero"`
	// Whether conditions that the pet had before are covered. The interface does not say more.
	PreexistingConditions *bool `json:"preexistingConditions,omitzero"`
	// What the policy reimburses. A claim's lossCause must be one of them.
	Benefits []string `json:"benefits,omitzero" set:"PetBenefit"`
}

// Endorsement is the body of :endorse.
//
// The type of an endorsement, with the members of the record that change.
type Endorsement struct {
	// The type of the endorsement. A policy extension moves expiryDate and the state; the other types leave both.
	EndorsementType *string `json:"endorsementType,omitzero" set:"EndorsementType"`
	// The instant from which on what changes counts, within the term, and not before that of the last endorsement.
	// Without it, it counts from where the endorsement before it does, else from inceptionDate. A policy extension
	// takes none: it counts from the expiryDate before it.
	EffectiveDate scalar.DateTime `json:"effectiveDate,omitzero"`
}

// Dated reports whether the body says from when on the endorsement counts.
func (e *Endorsement) Dated() bool { return !e.EffectiveDate.IsZero() }

// PolicyExtension is the one endorsement type that moves the term and the state. PolicyCancellation and PolicyRenewal
// are recorded as any other type: :cancel and :renew end and renew a policy.
const (
	PolicyExtension    = "policy extension"
	PolicyCancellation = "policy cancellation"
	PolicyRenewal      = "policy renewal"
)

// Renewal is what the body of :renew has besides members of the policy.
//
// What a renewal says besides the members of the new policy. The interface does not show this body.
type Renewal struct {
	// Whether the new policy has the access list of the policy that it renews. The request then needs an
	// Idempotency-Key. Once the response is a success, the list holds everywhere; after a 503 the same request
	// completes it, and until then the new policy is shown to fewer organisations. It has no effect where
	// organisations do not share the exchange.
	KeepParticipants *bool `json:"keepParticipants,omitzero"`
}

// Cancellation is the optional body of :cancel.
//
// Why a policy ends before its expiry. The interface does not show this body.
type Cancellation struct {
	// The reason, in words.
	Reason *string `json:"reason,omitzero"`
	// The instant at which cover ends, from inceptionDate, for a policy that is void from the beginning, to
	// expiryDate; now if it is left out, or the end of the term that is nearer. The policy is cancelled at once. A
	// loss from that instant on is not covered, one before it is.
	EffectiveDate scalar.DateTime `json:"effectiveDate,omitzero"`
}

// Dated reports whether the body says when cover ends.
func (c *Cancellation) Dated() bool { return !c.EffectiveDate.IsZero() }
