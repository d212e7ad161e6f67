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
	Status         *string         `json:"status,omitzero" issued:"PolicyStatus"`
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

// CyberLiability covers a business. ClaimsOccurrence is kept as sent.
type CyberLiability struct {
	Policy
	BusinessID           scalar.ID   `json:"businessId,omitzero"`
	IndemnityLimitPolicy *scalar.Int `json:"indemnityLimitPolicy,omitzero"`
	ClaimsOccurrence     scalar.JSON `json:"claimsOccurrence,omitzero"`
	Scope                []string    `json:"scope,omitzero" set:"CyberCoverageCategory"`
}

// Travel covers one or more travellers. Length is in days; Destination is an ISO 3166-1 numeric code.
type Travel struct {
	Policy
	TravellerIDs     []scalar.ID    `json:"travellerIds,omitzero"`
	IsAnnualPolicy   *bool          `json:"isAnnualPolicy,omitzero"`
	IsGroup          *bool          `json:"isGroup,omitzero"`
	Length           *scalar.Int    `json:"length,omitzero"`
	Destination      *scalar.Int    `json:"destination,omitzero"`
	EmergencyMedical scalar.Decimal `json:"emergencyMedical,omitzero"`
	TripCancellation scalar.Decimal `json:"tripCancellation,omitzero"`
}

// Property insures one property (PropertyID) or several (PropertyIDs). The deductibles may be sent together as
// deductibles on create. ClaimsOccurrence is kept as sent.
type Property struct {
	Policy
	PropertyID               scalar.ID   `json:"propertyId,omitzero"`
	PropertyIDs              []scalar.ID `json:"propertyIds,omitzero"`
	IndemnityLimitPolicy     *scalar.Int `json:"indemnityLimitPolicy,omitzero"`
	IsAgreedValue            *bool       `json:"isAgreedValue,omitzero"`
	Perils                   []string    `json:"perils,omitzero" set:"PropertyPeril"`
	DeductibleAmountBuilding *scalar.Int `json:"deductibleAmountBuilding,omitzero"`
	DeductibleAmountContent  *scalar.Int `json:"deductibleAmountContent,omitzero"`
	ClaimsOccurrence         scalar.JSON `json:"claimsOccurrence,omitzero"`
}

// TradeCredit covers a debtor. WaitingPeriod is in days, from the loss to its notification.
type TradeCredit struct {
	Policy
	DebtorID            scalar.ID   `json:"debtorId,omitzero"`
	TradeCreditType     *string     `json:"tradeCreditType,omitzero" set:"TradeCreditType"`
	Perils              []string    `json:"perils,omitzero" set:"TradeCreditPeril"`
	CreditLimit         *scalar.Int `json:"creditLimit,omitzero"`
	CreditLimitUtilized *scalar.Int `json:"creditLimitUtilized,omitzero"`
	MaxCreditPeriod     *scalar.Int `json:"maxCreditPeriod,omitzero"`
	WaitingPeriod       *scalar.Int `json:"waitingPeriod,omitzero"`
}

// BusinessInterruption attaches to a property. PropertyRef is sent as propertyId on create; IndemnityPeriod has a capital
// I as the interface writes it.
type BusinessInterruption struct {
	Policy
	PropertyRef          scalar.ID   `json:"propertyRef,omitzero"`
	Type                 *string     `json:"type,omitzero" set:"TypeBusinessInterruption"`
	Perils               []string    `json:"perils,omitzero" set:"PropertyPeril"`
	GrossAnnualProfit    *scalar.Int `json:"grossAnnualProfit,omitzero"`
	ICWLimit             *scalar.Int `json:"icwLimit,omitzero"`
	ContingencyLossLimit *scalar.Int `json:"contingencyLossLimit,omitzero"`
	IndemnityPeriod      *scalar.Int `json:"IndemnityPeriod,omitzero"`
	Deductible           *scalar.Int `json:"deductible,omitzero"`
}

// Pet covers a pet. WaitingPeriod is in days from inceptionDate.
type Pet struct {
	Policy
	PetID                    scalar.ID   `json:"petId,omitzero"`
	AnnualReimbursementLimit *scalar.Int `json:"annualReimbursementLimit,omitzero"`
	WaitingPeriod            *scalar.Int `json:"waitingPeriod,omitzero"`
	PreexistingConditions    *bool       `json:"preexistingConditions,omitzero"`
	Benefits                 []string    `json:"benefits,omitzero" set:"PetBenefit"`
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
