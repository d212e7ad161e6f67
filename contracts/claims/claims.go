// Package claims holds the claim and the claims bordereau.
//
// Losses reported against policies, and the rows in which they are ceded.
package claims

import "insurance.example/exchange/contracts/scalar"

// The values of claimStatus (contracts/interface.md, claim).
const (
	Open     = "open"
	Closed   = "closed"
	Reopened = "reopened"
)

// Claim is the record of the resource claim.
//
// A loss reported against a policy of any line. The policy number alone says which line it is.
type Claim struct {
	scalar.Record
	// The number that the exchange issues to the claim. Its last character is a check character.
	ClaimNumber *string `json:"claimNumber,omitzero" issued:""`
	// The number of the policy that the claim is made against.
	PolicyNumber *string `json:"policyNumber,omitzero" refers:"policy.policyNumber" fixed:""`
	// The instant of the first notification of loss. Where none is sent it is the instant of the filing.
	FNOL scalar.DateTime `json:"fnol,omitzero"`
	// The instant of the loss.
	LossDate scalar.DateTime `json:"lossDate,omitzero"`
	// The kind of claim.
	ClaimType *string `json:"claimType,omitzero" set:"ClaimType"`
	// Where the loss happened, in words.
	Location *string `json:"location,omitzero"`
	// What caused the loss: one of the perils, the scope or the benefits of the policy. A travel policy has no such
	// list.
	LossCause *string `json:"lossCause,omitzero"`
	// What happened, in words.
	Description *string `json:"description,omitzero"`
	// The share of the liability. The interface does not say its unit.
	LiabilityShare *scalar.Int `json:"liabilityShare,omitzero"`
	// The amount set aside for the claim, 0 where none is sent. The interface does not say its currency or unit.
	Reserve *scalar.Int `json:"reserve,omitzero" amount:""`
	// The state of the claim, which only actions change.
	ClaimStatus *string `json:"claimStatus,omitzero" issued:"ClaimStatus"`
	// The day of the last replacement.
	LastUpdate scalar.Date `json:"lastUpdate,omitzero" kept:""`
	// The day of the last reopening.
	ReopenDate scalar.Date `json:"reopenDate,omitzero" kept:""`
	// The part of the loss that the policyholder bears. The interface does not say its currency or unit.
	ExcessAmount *scalar.Int `json:"excessAmount,omitzero" amount:""`
	// How the claim is paid: the method of the last settlement, where there is one.
	PaymentMethod *string `json:"paymentMethod,omitzero" set:"PaymentMethod"`
	// The addresses (URLs) of the documents of the claim.
	Documents []string `json:"documents,omitzero"`
	// The type of each of the documents, in their order; empty where none was sent.
	DocumentTypes []string `json:"documentTypes,omitzero" kept:""`
	// The payments for the claim, oldest first: interim ones, and the settlements.
	Payments []Payment `json:"payments,omitzero" kept:""`
	// The instant at which the claim was closed without a payment. Absent where a payment closed it, at its paidAt, and
	// once it is open again.
	ClosedAt scalar.Since[scalar.DateTime] `json:"closedAt,omitzero" kept:""`
}

// Paid returns the sum of payments, in the units of the record.
func Paid(payments []Payment) (units int64) {
	for _, p := range payments {
		units += int64(p.PaymentAmount)
	}
	return units
}

// Outstanding returns what is still to be paid for the claim, in the units of the record: 0 once it is closed, and else
// its reserve less what was paid since that was set. A settlement leaves the reserve as it is, so that it would count
// twice. reservedAfter is how many of its payments had been made when the reserve was last set.
func (c *Claim) Outstanding(reservedAfter int) int64 {
	if c.ClaimStatus != nil && *c.ClaimStatus == Closed || c.Reserve == nil {
		return 0
	}
	return max(0, int64(*c.Reserve)-Paid(c.Payments[min(reservedAfter, len(c.Payments)):]))
}

// Bordereau is the record of the resource claimsBordereau.
//
// A row of the claims bordereau: a claim ceded under a treaty. Callers make the rows; there is no replace operation.
type Bordereau struct {
	scalar.Record
	// The reference of the treaty under which the claim is ceded.
	TreatyReference *string `json:"treatyReference,omitzero"`
	// The number of the policy that the claim is made against.
	PolicyNumber *string `json:"policyNumber,omitzero"`
	// The instant of the first notification of loss.
	FNOL scalar.DateTime `json:"fnol,omitzero"`
	// The gross loss reserve, in the spelling of the interface. The interface does not say its currency or unit.
	GrosslLossReserve scalar.Decimal `json:"GrosslLossReserve,omitzero" amount:""`
	// The amount paid. The interface does not say its currency or unit.
	Paid scalar.Decimal `json:"paid,omitzero" amount:""`
	// The amount expected back. The interface does not say its currency or unit.
	ExpectedRecovery scalar.Decimal `json:"expectedRecovery,omitzero" amount:""`
	// The state of the claim.
	ClaimStatus *string `json:"claimStatus,omitzero" set:"ClaimStatus"`
}

// Payment is an element of a claim's list of payments.
//
// One settlement of a claim, or a payment before it.
type Payment struct {
	// The amount paid. The interface does not say its currency or unit.
	PaymentAmount scalar.Int `json:"paymentAmount" amount:""`
	// How the amount was paid; empty where nothing was.
	PaymentMethod string `json:"paymentMethod"`
	// The instant of the payment; of a settlement, that at which it was recorded.
	PaidAt scalar.DateTime `json:"paidAt"`
	// The instant at which an interim payment was recorded. A settlement has none.
	RecordedAt scalar.DateTime `json:"recordedAt,omitzero"`
	// Why the claim was settled so, where that was said.
	Reason string `json:"reason,omitzero"`
}

// InterimPayment is the body of POST /x/claim/{id}:pay.
//
// What is paid for a claim before it is settled.
type InterimPayment struct {
	// The amount paid, above 0. The interface does not say its currency or unit.
	PaymentAmount *scalar.Int `json:"paymentAmount,omitzero" amount:""`
	// How the amount is paid.
	PaymentMethod *string `json:"paymentMethod,omitzero" set:"PaymentMethod"`
	// The instant of the payment, from lossDate until now; now where none is sent.
	PaidAt scalar.DateTime `json:"paidAt,omitzero"`
}

// Settlement is the body of POST /claim/{id}:settle.
//
// What is paid to settle a claim, or why nothing is.
type Settlement struct {
	// The amount paid, above 0; 0 with a reason. The interface does not say its currency or unit.
	PaymentAmount *scalar.Int `json:"paymentAmount,omitzero" amount:""`
	// How the amount is paid. Needed unless the amount is 0.
	PaymentMethod *string `json:"paymentMethod,omitzero" set:"PaymentMethod" notNull:""`
	// Why the claim is settled so. Needed where the amount is 0: the claim is closed without a payment.
	Reason *string `json:"reason,omitzero"`
}

// Reopening is the optional body of POST /claim/{id}:reopen.
//
// Why a claim is opened again, and what is set aside for it. The interface does not show this body.
type Reopening struct {
	// Why the claim is opened again. It is in the history of the claim.
	Reason *string `json:"reason,omitzero"`
	// The amount set aside for the claim from now on; what it was where none is sent. The interface does not say its
	// currency or unit.
	Reserve *scalar.Int `json:"reserve,omitzero" amount:""`
}

// Document is the body of POST /claim/{id}/documents.
//
// A document of a claim, which the exchange refers to and does not store.
type Document struct {
	// Where the document is.
	URL *string `json:"url,omitzero"`
	// The type of the document. The interface does not say which types there are.
	Type *string `json:"type,omitzero"`
}
