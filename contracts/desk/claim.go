package desk

import "insurance.example/exchange/contracts/scalar"

// ClaimFigures are the amounts of a claim, or of many, in one currency.
//
// Amounts in major units.
type ClaimFigures struct {
	// What was paid in the period.
	Paid scalar.Decimal `json:"paid"`
	// What was paid before it, as it was reported then.
	PreviouslyPaid scalar.Decimal `json:"previouslyPaid"`
	// What is still to be paid.
	Outstanding scalar.Decimal `json:"outstanding"`
	// All of these together.
	Incurred scalar.Decimal `json:"incurred"`
	// How much more incurred is than it was in the period before.
	ChangeOfIncurred scalar.Decimal `json:"changeOfIncurred"`
}

// ClaimAmounts are the amounts of a claim, or of many: the loss itself, and the fees that come with it.
//
// The amounts of claims. Those of settlement currency are what the market's columns have.
type ClaimAmounts struct {
	// The original currency.
	Currency string `json:"currency"`
	// The currency that is settled in.
	SettlementCurrency string `json:"settlementCurrency"`
	// The loss, in the original currency.
	Indemnity ClaimFigures `json:"indemnity"`
	// The fees, in the original currency. They come from the supplement of the claim, and are absent without any.
	Fees ClaimFigures `json:"fees,omitzero"`
	// The loss, in the settlement currency.
	SettledIndemnity ClaimFigures `json:"settledIndemnity"`
	// The fees, in the settlement currency. Absent without any.
	SettledFees ClaimFigures `json:"settledFees,omitzero"`
	// What is incurred of both, in the settlement currency.
	SettledIncurred scalar.Decimal `json:"settledIncurred"`
}

// ClaimTotal is the sum of the lines of a claims bordereau.
//
// The sums of claims, of the same currencies.
type ClaimTotal struct {
	ClaimAmounts `json:",inline"`
	// How many lines there are.
	Lines int `json:"lines"`
}

// ClaimLine is a line of a claims bordereau: one claim. Amounts are in major units.
//
// A claim, as it is reported.
type ClaimLine struct {
	// The id of the claim.
	LineID string `json:"lineId"`
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The number of the claim.
	ClaimNumber string `json:"claimNumber"`
	// The state at the end of the period: Open, Re-opened, Closed this month (in this period) or Closed.
	ClaimStatus string `json:"claimStatus"`
	// The instant at which the claim was recorded.
	RecordedAt scalar.DateTime `json:"recordedAt"`
	// Where the claim was recorded, if that is an earlier period and it was not reported before.
	Late *BordereauLate `json:"late,omitzero"`

	ClaimAmounts `json:",inline"`

	// The rate: how many of currency are one of settlementCurrency.
	Rate scalar.Decimal `json:"rate"`
	// The reserve of the claim, in major units of the original currency. It is not changed by a settlement.
	Reserve scalar.Decimal `json:"reserve"`
	// The part of the loss that the policyholder bears, in major units. Absent where the claim has none.
	Deductible scalar.Decimal `json:"deductible,omitzero"`
	// The instant of the first notification of loss.
	FNOL scalar.DateTime `json:"fnol,omitzero"`
	// The instant of the loss.
	LossDate scalar.DateTime `json:"lossDate,omitzero"`
	// The day on which the claim was closed. Absent where it is not.
	ClosedOn scalar.Date `json:"closedOn,omitzero"`
	// The day on which the claim was reopened the last time.
	ReopenedOn scalar.Date `json:"reopenedOn,omitzero"`
	// The kind of claim.
	ClaimType string `json:"claimType,omitzero"`
	// What caused the loss.
	LossCause string `json:"lossCause,omitzero"`
	// What happened, in words.
	Description string `json:"description,omitzero"`
	// Where the loss happened, in words.
	Location string `json:"location,omitzero"`
	// The supplement of the claim, as it was when the version was prepared. Absent where there is none.
	Supplement *ClaimSupplement `json:"supplement,omitzero"`

	// The line of the policy, as a resource such as motorCoverage.
	Line string `json:"line"`
	// The instant at which the term of the policy begins.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
	// The instant at which the term of the policy ends.
	ExpiryDate scalar.DateTime `json:"expiryDate,omitzero"`
	// The most that the policy pays, in major units. Absent where the policy has none.
	SumInsured scalar.Decimal `json:"sumInsured,omitzero"`
	// The name of the policyholder.
	Insured string `json:"insured,omitzero"`
	// The country of the policyholder, as its ISO 3166-1 alpha-2 code.
	Country string `json:"country,omitzero"`
}

// ClaimSupplement is what a claims bordereau asks for and a claim does not have. What is absent is not provided.
//
// What a claims bordereau asks for beyond the claim.
type ClaimSupplement struct {
	// Whether the claim was referred to the underwriters.
	ReferredToUnderwriters *bool `json:"referredToUnderwriters,omitzero"`
	// Whether the claim was denied.
	Denied *bool `json:"denied,omitzero"`
	// The country of the loss, as its ISO 3166-1 alpha-2 code.
	LossCountry string `json:"lossCountry,omitzero"`
	// The fees that were paid by now, in major units of the original currency.
	FeesPaid scalar.Figure `json:"feesPaid,omitzero"`
	// The fees that are still to be paid, in major units of the original currency.
	FeeReserve scalar.Figure `json:"feeReserve,omitzero"`
	// What was recovered by now, in major units of the original currency.
	Recoveries scalar.Figure `json:"recoveries,omitzero"`
	// The name of who claims.
	ClaimantName string `json:"claimantName,omitzero"`
}

// ClaimSupplementVersion is a version of a supplement as its readers see it.
//
// The supplement of a claim, as it was set the last time.
type ClaimSupplementVersion struct {
	// The id of the claim.
	ClaimID string `json:"claimId"`
	// How often it was set by then.
	Version int64 `json:"version"`
	// Who set it.
	SetBy string `json:"setBy"`
	// The instant at which it was set.
	SetAt scalar.DateTime `json:"setAt"`
	// The supplement.
	Supplement ClaimSupplement `json:"supplement"`
}
