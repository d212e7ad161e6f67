// Package claims holds losses reported against policies.
package claims

import "insurance.example/exchange/contracts/scalar"

// The claim status values (interface.md, States and transitions).
const (
	Open     = "open"
	Closed   = "closed"
	Reopened = "reopened"
)

// Claim is a loss reported against a policy of any line; PolicyNumber alone tells which. FNOL is the instant of the first
// notification of loss. The exchange issues ClaimNumber, ClaimStatus, LastUpdate, ReopenDate, Payments and
// DocumentTypes. DocumentTypes holds the type of each member of Documents, "" where none was sent.
type Claim struct {
	scalar.Record
	ClaimNumber    *string         `json:"claimNumber,omitzero"`
	PolicyNumber   *string         `json:"policyNumber,omitzero"`
	FNOL           scalar.DateTime `json:"fnol,omitzero"`
	LossDate       scalar.DateTime `json:"lossDate,omitzero"`
	ClaimType      *string         `json:"claimType,omitzero" set:"ClaimType"`
	Location       *string         `json:"location,omitzero"`
	LossCause      *string         `json:"lossCause,omitzero"`
	Description    *string         `json:"description,omitzero"`
	LiabilityShare *scalar.Int     `json:"liabilityShare,omitzero"`
	Reserve        *scalar.Int     `json:"reserve,omitzero"`
	ClaimStatus    *string         `json:"claimStatus,omitzero" issued:"ClaimStatus"`
	LastUpdate     scalar.Date     `json:"lastUpdate,omitzero"`
	ReopenDate     scalar.Date     `json:"reopenDate,omitzero"`
	ExcessAmount   *scalar.Int     `json:"excessAmount,omitzero"`
	PaymentMethod  *string         `json:"paymentMethod,omitzero" set:"PaymentMethod"`
	Documents      []string        `json:"documents,omitzero"`
	DocumentTypes  []string        `json:"documentTypes,omitzero"`
	Payments       []Payment       `json:"payments,omitzero"`
}

// Bordereau is a row of the claims bordereau: a claim ceded under a treaty. GrosslLossReserve is spelled as the interface
// spells it.
type Bordereau struct {
	scalar.Record
	TreatyReference   *string         `json:"treatyReference,omitzero"`
	PolicyNumber      *string         `json:"policyNumber,omitzero"`
	FNOL              scalar.DateTime `json:"fnol,omitzero"`
	GrosslLossReserve scalar.Decimal  `json:"GrosslLossReserve,omitzero"`
	Paid              scalar.Decimal  `json:"paid,omitzero"`
	ExpectedRecovery  scalar.Decimal  `json:"expectedRecovery,omitzero"`
	ClaimStatus       *string         `json:"claimStatus,omitzero" set:"ClaimStatus"`
}

// Payment is one settlement of a claim.
type Payment struct {
	PaymentAmount scalar.Int      `json:"paymentAmount"`
	PaymentMethod string          `json:"paymentMethod"`
	PaidAt        scalar.DateTime `json:"paidAt"`
}

// Settlement is the body of :settle.
type Settlement struct {
	PaymentAmount *scalar.Int `json:"paymentAmount,omitzero"`
	PaymentMethod *string     `json:"paymentMethod,omitzero" set:"PaymentMethod"`
}

// Document is the body of POST /claim/{id}/documents.
type Document struct {
	URL  *string `json:"url,omitzero"`
	Type *string `json:"type,omitzero"`
}
