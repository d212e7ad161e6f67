// Package premium holds the receipt and the premium bordereau.
//
// Receipts, and the premium bordereau that they are aggregated into.
package premium

import "insurance.example/exchange/contracts/scalar"

// Receipt is the record of the resource receipt.
//
// A payment recorded against a policy, a claim, or both. It never changes once it is recorded.
type Receipt struct {
	scalar.Record
	// The type of receipt.
	ReceiptType *string `json:"receiptType,omitzero" set:"ReceiptType"`
	// The day of the receipt; the day of its recording where none is sent.
	ReceiptDate scalar.Date `json:"receiptDate,omitzero"`
	// The day from which on counts what the amount is for, such as that of an endorsement. Lines of bordereaux have it
	// in place of receiptDate.
	EffectiveDate scalar.Since[scalar.Date] `json:"effectiveDate,omitzero"`
	// The amount paid, above 0. The interface does not say its currency or unit.
	PaymentAmount *scalar.Int `json:"paymentAmount,omitzero" amount:""`
	// How the amount was calculated. The interface does not show its members; it is kept and returned as sent.
	ReceiptCalculation scalar.JSON `json:"receiptCalculation,omitzero"`
	// How the amount was paid.
	PremiumPaymentMethod *string `json:"premiumPaymentMethod,omitzero" set:"PaymentMethod"`
	// The number of the policy. A receipt needs this or claimNumber. Where organisations share the exchange, a receipt
	// that is sent with claimNumber alone gets the number of the claim's policy.
	PolicyNumber *string `json:"policyNumber,omitzero" refers:"policy.policyNumber"`
	// The number of the claim. A receipt needs this or policyNumber.
	ClaimNumber *string `json:"claimNumber,omitzero" refers:"claim.claimNumber"`
	// The id of the receipt that this one reverses. Only a refund has it.
	Reverses scalar.ID `json:"reverses,omitzero" refers:"receipt" issued:""`
	// The number of the refund among those of the receipt that it reverses, from 1. Absent where one refund gave back
	// the whole receipt and named no amount.
	RefundNumber scalar.Since[scalar.Int] `json:"refundNumber,omitzero" issued:""`
	// What the refunds of that receipt come to, this one included. Absent where refundNumber is absent.
	RefundedAmount scalar.Since[scalar.Int] `json:"refundedAmount,omitzero" issued:"" amount:""`
	// The instant at which the receipt was recorded. It decides in which row of the premium bordereau it counts.
	RecordedAt scalar.DateTime `json:"recordedAt,omitzero" issued:""`
	// The month (2026-11) or quarter (2026-Q4) of the row of the premium bordereau in which the receipt counts.
	// Absent where receipts are not aggregated.
	Period *string `json:"period,omitzero" issued:""`
}

// Refund is the optional body of POST /receipt/{id}:refund.
//
// The type of the reversing receipt, and how much it gives back. The interface does not show this body.
type Refund struct {
	// The type of the reversing receipt; the one that the operator has set where none is sent.
	ReceiptType *string `json:"receiptType,omitzero" set:"ReceiptType"`
	// The amount that is given back, from 1 to what is left of the receipt; all that is left where none is sent.
	PaymentAmount *scalar.Int `json:"paymentAmount,omitzero" amount:""`
}

// Bordereau is the record of the resource premiumBordereau.
//
// A row of the premium bordereau: one for each period, policy and type of transaction that receipts are recorded for.
type Bordereau struct {
	scalar.Record
	// The reference of the treaty under which the premium is ceded. The aggregation leaves it as it is.
	TreatyReference *string `json:"treatyReference,omitzero"`
	// The id of the policyholder.
	Policyholder *string `json:"policyholder,omitzero"`
	// The number of the policy.
	PolicyNumber *string `json:"policyNumber,omitzero"`
	// The instant at which the term of the policy begins.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
	// The instant at which the term of the policy ends.
	ExpiryDate scalar.DateTime `json:"expiryDate,omitzero"`
	// The most that the policy pays. The interface does not say its currency or unit.
	IndemnityLimitPolicy *scalar.Int `json:"indemnityLimitPolicy,omitzero" amount:""`
	// The premium before deductions. In a row made from receipts it is their sum less the refunds, exact without
	// bound. In a row of the type claim payment it is what was paid for claims, and no premium: whoever adds up
	// premiums leaves it out. The interface does not say its currency or unit.
	GrossWrittenPremium scalar.Integer `json:"grossWrittenPremium,omitzero" amount:""`
	// The premium after deductions. The aggregation leaves it as it is. The interface does not say its currency or
	// unit.
	NetPremium *scalar.Int `json:"netPremium,omitzero" amount:""`
	// The type of the receipts that the row sums. Rows of the type claim payment are no premium.
	TransactionType *string `json:"transactionType,omitzero" set:"ReceiptType"`
	// The month (2026-11) or quarter (2026-Q4) in which the receipts were recorded. Only a row made from
	// receipts has it.
	Period *string `json:"period,omitzero"`
}
