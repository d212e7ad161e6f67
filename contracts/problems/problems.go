// Package problems holds the problem types of the interface's errors table: one for each row, with the words of the
// table as its title.
package problems

import "slices"

// Type is a problem type. Its name is stable: the type member of a problem document is "/problems/<slug>".
type Type struct {
	slug, title string
	status      int
	// Row is the row of the interface that the problem comes from.
	Row string
}

// Slug returns the stable name.
func (t *Type) Slug() string { return t.slug }

// Title returns the words of the errors table.
func (t *Type) Title() string { return t.title }

// Status returns the HTTP status.
func (t *Type) Status() int { return t.status }

// types are all that are declared, in their order.
var types []*Type

func declare(slug, title string, status int, row string) *Type {
	t := &Type{slug, title, status, row}
	types = append(types, t)
	return t
}

// All returns every problem type of the interface, in the order of declaration.
func All() []*Type { return slices.Clone(types) }

// References that name nothing.
var (
	PolicyholderNotFound = declare("policyholder-not-found", "policyholder not found", 404, "POST /motorCoverage 1")
	VehicleNotFound      = declare("vehicle-not-found", "vehicle not found", 404, "POST /motorCoverage 2")
	DriverNotFound       = declare("driver-not-found", "driver not found", 404, "POST /motorCoverage 3")
	BusinessNotFound     = declare("business-not-found", "business not found", 404, "POST /cyberLiabilityCoverage 1")
	PropertyNotFound     = declare("property-not-found", "property not found", 404, "POST /propertyCoverage 1")
	UnderlyingNotFound   = declare("underlying-property-not-found", "underlying property not found", 404,
		"POST /businessInterruptionCoverage 1")
	DebtorNotFound    = declare("debtor-not-found", "debtor not found", 404, "POST /tradeCreditCoverage 1")
	PetNotFound       = declare("pet-not-found", "pet not found", 404, "POST /petCoverage 1")
	TravellerNotFound = declare("traveller-not-found", "traveller not found", 404, "register: Small print")
	WordingNotFound   = declare("policy-wording-not-found", "policy wording not found", 404, "POST /product 2")
	EntityNotFound    = declare("insurance-entity-not-found", "insurance entity not found", 404, "register: The book")
	PolicyNotFound    = declare("policy-not-found", "policy not found", 404, "register: Claims")
	ClaimNotFound     = declare("claim-not-found", "claim not found", 404, "register: Receipts and bordereaux")
)

// Problems of the values in a record.
var (
	LicenceExpired = declare("driver-licence-expired-or-missing", "driver licence expired or missing", 400,
		"POST /motorCoverage 3")
	InvalidTerm      = declare("invalid-policy-term", "invalid policy term", 400, "POST /motorCoverage 4")
	UnknownPerilCode = declare("unknown-peril-code", "unknown peril code", 400, "POST /motorCoverage 5")
	UnknownPeril     = declare("unknown-peril", "unknown peril", 400, "POST /propertyCoverage 3")
	UnknownCategory  = declare("unknown-category", "unknown category", 400, "POST /cyberLiabilityCoverage 2")
	InvalidLimit     = declare("invalid-indemnity-limit", "invalid indemnity limit", 400,
		"POST /cyberLiabilityCoverage 3")
	GroupFlagRequired  = declare("group-flag-required", "group flag required", 400, "POST /travelCoverage 1")
	InvalidDestination = declare("invalid-destination", "invalid destination", 400, "POST /travelCoverage 2")
	LengthOutOfRange   = declare("length-out-of-range", "length out of range for policy type", 400,
		"POST /travelCoverage 3")
	UnknownPropertyType = declare("unknown-property-type", "unknown propertyType", 400, "POST /propertyCoverage 2")
	UnknownCreditType   = declare("unknown-trade-credit-type", "unknown trade credit type", 400,
		"POST /tradeCreditCoverage 2")
	InvalidCreditLimit = declare("invalid-credit-limit", "invalid credit limit", 400, "POST /tradeCreditCoverage 3")
	UnknownBIType      = declare("unknown-bi-type", "unknown BI type", 400, "POST /businessInterruptionCoverage 2")
	InvalidPeriod      = declare("invalid-indemnity-period", "invalid indemnity period", 400,
		"POST /businessInterruptionCoverage 3")
	UnknownPetKind       = declare("unknown-pet-kind", "unknown petKind", 400, "POST /petCoverage 2")
	DogBreedRequired     = declare("dog-breed-required", "dog breed required", 400, "POST /petCoverage 3")
	UnknownBenefit       = declare("unknown-benefit", "unknown benefit", 400, "POST /petCoverage 4")
	UnknownClaimType     = declare("unknown-claim-type", "unknown claim type", 400, "POST /claim 3")
	ReferenceRequired    = declare("reference-required", "reference required", 400, "POST /receipt 1")
	UnknownReceiptType   = declare("unknown-receipt-type", "unknown receipt type", 400, "POST /receipt 2")
	InvalidPaymentAmount = declare("invalid-payment-amount", "invalid payment amount", 400, "POST /receipt 3")
	UnknownCatalogCode   = declare("unknown-product-catalog-code", "unknown productCatalog code", 400,
		"POST /product 1")
	UnsupportedCurrency = declare("unsupported-currency", "unsupported currency", 400, "POST /product 3")
	ReferencesDiffer    = declare("references-do-not-belong-together",
		"policyNumber and claimNumber do not belong together", 400, "register: Receipts and bordereaux")
)

// What the state of things forbids.
var (
	NotInForceAtLoss = declare("policy-not-in-force-at-loss-date", "policy not in force at lossDate", 409,
		"POST /claim 1")
	PerilNotCovered  = declare("peril-not-covered", "peril not covered", 422, "POST /claim 2")
	PartyExists      = declare("party-exists", "a party with this idType and idNumber exists", 409, "POST /personal 3")
	ReceiptImmutable = declare("receipt-immutable", "a receipt is immutable once recorded", 409,
		"States and transitions: Receipt")
	AlreadyReversed = declare("receipt-already-reversed", "the receipt is reversed", 409,
		"States and transitions: Receipt")
	OutOfSequence = declare("out-of-sequence", "the endorsement counts from before the last one", 409,
		"register: Effective dates")
	RefundAboveRest = declare("refund-above-what-is-left", "less is left of the receipt", 409,
		"register: Receipts and bordereaux")
	BatchRefused = declare("batch-refused", "operations of the batch would be refused", 422,
		"register: A batch of creations")
	WebhookRefused = declare("webhook-not-accepted", "the receiver of the webhook did not accept a test", 422,
		"register: Webhooks")
	TooManyWebhooks = declare("too-many-webhooks", "there are as many webhooks as there may be", 409,
		"register: Webhooks")
	AggregatedMember = declare("aggregated-member", "the aggregation owns this member of the row", 409,
		"register: Receipts and bordereaux")
)

// What the desk refuses.
var (
	ContractOverlap = declare("contract-overlap", "a policy could belong to two contracts", 409, "register: The desk")
	ContractInUse   = declare("contract-in-use", "a bordereau depends on what the request changes", 409,
		"register: The desk")
	TooManyContracts = declare("too-many-contracts", "there are as many contracts as there may be", 409,
		"register: The desk")
	PeriodNotReady = declare("period-not-ready", "the period cannot be prepared yet", 409, "register: The desk")
	VersionMisfit  = declare("version-does-not-fit", "the versions that there are do not allow this one", 409,
		"register: The desk")
	NotPending    = declare("not-pending", "the version is not pending", 409, "register: The desk")
	FindingsOpen  = declare("findings-open", "errors of the version are not waived", 409, "register: The desk")
	SamePerson    = declare("same-person", "two persons must sign off", 409, "register: The desk")
	DigestDiffers = declare("digest-differs", "the version has another digest", 409, "register: The desk")
)
