// Package premium holds receipts and the premium bordereau they are aggregated into.
package premium

import "insurance.example/exchange/contracts/scalar"

// Receipt is a payment recorded against a policy, a claim, or both. It is immutable. Reverses is the id of the receipt
// that this one refunds; only :refund writes it.
type Receipt struct {
	scalar.Record
	ReceiptType          *string     `json:"receiptType,omitzero" set:"ReceiptType"`
	ReceiptDate          scalar.Date `json:"receiptDate,omitzero"`
	PaymentAmount        *scalar.Int `json:"paymentAmount,omitzero"`
	ReceiptCalculation   scalar.JSON `json:"receiptCalculation,omitzero"`
	PremiumPaymentMethod *string     `json:"premiumPaymentMethod,omitzero" set:"PaymentMethod"`
	PolicyNumber         *string     `json:"policyNumber,omitzero"`
	ClaimNumber          *string     `json:"claimNumber,omitzero"`
	Reverses             scalar.ID   `json:"reverses,omitzero"`
}

// Refund is the optional body of :refund.
type Refund struct {
	ReceiptType *string `json:"receiptType,omitzero" set:"ReceiptType"`
}

// Bordereau is a row of the premium bordereau. A row that the aggregation made has a Period (2026-11, 2026-Q4), and its
// GrossWrittenPremium is the sum of its receipts less the refunds. Policyholder is the policyholder's id.
type Bordereau struct {
	scalar.Record
	TreatyReference      *string         `json:"treatyReference,omitzero"`
	Policyholder         *string         `json:"policyholder,omitzero"`
	PolicyNumber         *string         `json:"policyNumber,omitzero"`
	InceptionDate        scalar.DateTime `json:"inceptionDate,omitzero"`
	ExpiryDate           scalar.DateTime `json:"expiryDate,omitzero"`
	IndemnityLimitPolicy *scalar.Int     `json:"indemnityLimitPolicy,omitzero"`
	GrossWrittenPremium  *scalar.Int     `json:"grossWrittenPremium,omitzero"`
	NetPremium           *scalar.Int     `json:"netPremium,omitzero"`
	TransactionType      *string         `json:"transactionType,omitzero" set:"ReceiptType"`
	Period               *string         `json:"period,omitzero"`
}
