package internalapi

import (
	"insurance.example/exchange/contracts/scalar"
)

// The operations that return what belongs to a policy. Each is a path to which the id or number is added.
const (
	PolicyRecordsPath = Prefix + "/policy-records/" // GET {policyNumber}?part=&skip=: PolicyRecords
	PartyRecordPath   = Prefix + "/party-record/"   // GET {id}: ShownRecord
	PolicyClaimsPath  = Prefix + "/policy-claims/"  // GET {policyNumber}?part=&skip=: PolicyClaims
	PolicyPremiumPath = Prefix + "/policy-premium/" // GET {policyNumber}?part=&skip=: PolicyPremium
)

// The parts that belong to a policy.
const (
	InsuredPart        = "insured"
	RenewalsBeforePart = "renewalsBefore"
	RenewalsAfterPart  = "renewalsAfter"
	ClaimsPart         = "claims"
	ClaimRowsPart      = "claimRows"
	ReceiptsPart       = "receipts"
	RowsPart           = "rows"
)

// LengthOfPart is how many records a part has at most.
const LengthOfPart = 50

// MostSkipped is how many records of a part may be left out before it.
const MostSkipped = 10_000

// ShownRecord is a record as its readers see it.
//
// A record.
type ShownRecord struct {
	// The resource of the record.
	Resource string `json:"resource"`
	// The id of the record.
	ID scalar.ID `json:"id"`
	// What is left of a receipt, of which refunds may have given back a part. Absent for refunds and other records.
	Left *scalar.Int `json:"left,omitzero"`
	// The record itself.
	Record scalar.JSON `json:"record"`
}

// RecordPart is some records.
//
// Some of the records that belong to a policy, 50 at most.
type RecordPart struct {
	// The records.
	Records []ShownRecord `json:"records"`
	// Whether there are others after them.
	More bool `json:"more"`
}

// PolicyRecords is the response of coverage about a policy.
//
// A policy, what it insures or covers, and its renewals.
type PolicyRecords struct {
	// The coverage record.
	Coverage ShownRecord `json:"coverage"`
	// The organisation that owns the policy. Absent where organisations do not share the exchange.
	Owner string `json:"owner,omitzero"`
	// The id of the policyholder. It is absent for a policy without one.
	PolicyholderID scalar.ID `json:"policyholderId,omitzero"`
	// The instant from which on what was written last counts. Absent where no endorsement has said it.
	EffectiveDate scalar.DateTime `json:"effectiveDate,omitzero"`
	// The instant at which cover ends. Absent where no cancellation or lapse has said it.
	CoverEnds scalar.DateTime `json:"coverEnds,omitzero"`
	// The number of the policy that this one replaces. Absent where it replaces none.
	Replaces string `json:"replaces,omitzero"`
	// The numbers of the policies that replace this one, 50 at most.
	ReplacedBy []string `json:"replacedBy,omitempty"`
	// What the policy insures or covers.
	Insured *RecordPart `json:"insured,omitzero"`
	// The policies that this one renews, the last one first.
	RenewalsBefore *RecordPart `json:"renewalsBefore,omitzero"`
	// The policies that renew this one: its renewals, then theirs.
	RenewalsAfter *RecordPart `json:"renewalsAfter,omitzero"`
}

// PolicyClaims is the response of claims about a policy.
//
// The claims against a policy, and what the claims bordereau says about it.
type PolicyClaims struct {
	// The claims, in order of creation.
	Claims *RecordPart `json:"claims,omitzero"`
	// The rows of the claims bordereau, in order of creation.
	ClaimRows *RecordPart `json:"claimRows,omitzero"`
}

// PolicyPremium is the response of premium about a policy.
//
// What was paid for a policy.
type PolicyPremium struct {
	// The receipts and refunds that name the policy, in order of creation.
	Receipts *RecordPart `json:"receipts,omitzero"`
	// The rows of the premium bordereau, in order of creation.
	Rows *RecordPart `json:"rows,omitzero"`
}
