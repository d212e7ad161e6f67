// Package problems holds the problem types of the interface's errors table: one for each row, with the words of the
// table as its title.
package problems

// Type is a problem type. Its name is stable: the type member of a problem document is "/problems/<slug>".
type Type struct {
	slug, title string
	status      int
	// Row is the row of the interface it comes from.
	Row string
}

// Slug is the stable name.
func (t *Type) Slug() string { return t.slug }

// Title is the words of the errors table.
func (t *Type) Title() string { return t.title }

// Status is the HTTP status.
func (t *Type) Status() int { return t.status }

// References that name nothing.
var (
	PolicyholderNotFound = &Type{"policyholder-not-found", "policyholder not found", 404, "POST /motorCoverage 1"}
	VehicleNotFound      = &Type{"vehicle-not-found", "vehicle not found", 404, "POST /motorCoverage 2"}
	DriverNotFound       = &Type{"driver-not-found", "driver not found", 404, "POST /motorCoverage 3"}
	BusinessNotFound     = &Type{"business-not-found", "business not found", 404, "POST /cyberLiabilityCoverage 1"}
	PropertyNotFound     = &Type{"property-not-found", "property not found", 404, "POST /propertyCoverage 1"}
	UnderlyingNotFound   = &Type{"underlying-property-not-found", "underlying property not found", 404, "POST /businessInterruptionCoverage 1"}
	DebtorNotFound       = &Type{"debtor-not-found", "debtor not found", 404, "POST /tradeCreditCoverage 1"}
	PetNotFound          = &Type{"pet-not-found", "pet not found", 404, "POST /petCoverage 1"}
	TravellerNotFound    = &Type{"traveller-not-found", "traveller not found", 404, "decisions: Small print"}
	WordingNotFound      = &Type{"policy-wording-not-found", "policy wording not found", 404, "POST /product 2"}
	PolicyNotFound       = &Type{"policy-not-found", "policy not found", 404, "decisions: Claims"}
	ClaimNotFound        = &Type{"claim-not-found", "claim not found", 404, "decisions: Receipts and bordereaux"}
)

// What a record describes wrongly.
var (
	LicenceExpired       = &Type{"driver-licence-expired-or-missing", "driver licence expired or missing", 400, "POST /motorCoverage 3"}
	InvalidTerm          = &Type{"invalid-policy-term", "invalid policy term", 400, "POST /motorCoverage 4"}
	UnknownPerilCode     = &Type{"unknown-peril-code", "unknown peril code", 400, "POST /motorCoverage 5"}
	UnknownPeril         = &Type{"unknown-peril", "unknown peril", 400, "POST /propertyCoverage 3"}
	UnknownCategory      = &Type{"unknown-category", "unknown category", 400, "POST /cyberLiabilityCoverage 2"}
	InvalidLimit         = &Type{"invalid-indemnity-limit", "invalid indemnity limit", 400, "POST /cyberLiabilityCoverage 3"}
	GroupFlagRequired    = &Type{"group-flag-required", "group flag required", 400, "POST /travelCoverage 1"}
	InvalidDestination   = &Type{"invalid-destination", "invalid destination", 400, "POST /travelCoverage 2"}
	LengthOutOfRange     = &Type{"length-out-of-range", "length out of range for policy type", 400, "POST /travelCoverage 3"}
	UnknownPropertyType  = &Type{"unknown-property-type", "unknown propertyType", 400, "POST /propertyCoverage 2"}
	UnknownCreditType    = &Type{"unknown-trade-credit-type", "unknown trade credit type", 400, "POST /tradeCreditCoverage 2"}
	InvalidCreditLimit   = &Type{"invalid-credit-limit", "invalid credit limit", 400, "POST /tradeCreditCoverage 3"}
	UnknownBIType        = &Type{"unknown-bi-type", "unknown BI type", 400, "POST /businessInterruptionCoverage 2"}
	InvalidPeriod        = &Type{"invalid-indemnity-period", "invalid indemnity period", 400, "POST /businessInterruptionCoverage 3"}
	UnknownPetKind       = &Type{"unknown-pet-kind", "unknown petKind", 400, "POST /petCoverage 2"}
	DogBreedRequired     = &Type{"dog-breed-required", "dog breed required", 400, "POST /petCoverage 3"}
	UnknownBenefit       = &Type{"unknown-benefit", "unknown benefit", 400, "POST /petCoverage 4"}
	UnknownClaimType     = &Type{"unknown-claim-type", "unknown claim type", 400, "POST /claim 3"}
	ReferenceRequired    = &Type{"reference-required", "reference required", 400, "POST /receipt 1"}
	UnknownReceiptType   = &Type{"unknown-receipt-type", "unknown receipt type", 400, "POST /receipt 2"}
	InvalidPaymentAmount = &Type{"invalid-payment-amount", "invalid payment amount", 400, "POST /receipt 3"}
	UnknownCatalogCode   = &Type{"unknown-product-catalog-code", "unknown productCatalog code", 400, "POST /product 1"}
	UnsupportedCurrency  = &Type{"unsupported-currency", "unsupported currency", 400, "POST /product 3"}
	ReferencesDiffer     = &Type{"references-do-not-belong-together", "policyNumber and claimNumber do not belong together", 400, "decisions: Receipts and bordereaux"}
)

// What the state of things forbids.
var (
	NotInForceAtLoss = &Type{"policy-not-in-force-at-loss-date", "policy not in force at lossDate", 409, "POST /claim 1"}
	PerilNotCovered  = &Type{"peril-not-covered", "peril not covered", 422, "POST /claim 2"}
	PartyExists      = &Type{"party-exists", "a party with this idType and idNumber exists", 409, "POST /personal 3"}
	IssuedMember     = &Type{"issued-member", "a member that the exchange issues cannot be changed", 409, "decisions: Terms and status"}
	ReceiptImmutable = &Type{"receipt-immutable", "a receipt is immutable once recorded", 409, "States and transitions: Receipt"}
	AlreadyReversed  = &Type{"receipt-already-reversed", "the receipt is reversed", 409, "States and transitions: Receipt"}
	AggregatedMember = &Type{"aggregated-member", "the aggregation owns this member of the row", 409, "decisions: Receipts and bordereaux"}
)
