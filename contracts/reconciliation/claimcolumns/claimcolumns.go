// Package claimcolumns holds what the columns of files about claims mean, and the key by which their rows are paired.
package claimcolumns

// The meanings of columns. Amounts are of the indemnity and in the settlement currency; TotalIncurred has the fees too.
const (
	ClaimNumber      = "claimNumber"
	Paid             = "paid"
	PreviouslyPaid   = "previouslyPaid"
	Outstanding      = "outstanding"
	Incurred         = "incurred"
	ChangeOfIncurred = "changeOfIncurred"
	TotalIncurred    = "totalIncurred"
)

// ByClaimNumber is the key of a row and a claim with the same number.
const ByClaimNumber = "claimNumber"
