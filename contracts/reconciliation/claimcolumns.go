package reconciliation

// The meanings of columns. Amounts are of the indemnity and in the settlement currency; TotalIncurredColumn has the
// fees too.
const (
	ClaimNumberColumn      = "claimNumber"
	PaidColumn             = "paid"
	PreviouslyPaidColumn   = "previouslyPaid"
	OutstandingColumn      = "outstanding"
	IncurredColumn         = "incurred"
	ChangeOfIncurredColumn = "changeOfIncurred"
	TotalIncurredColumn    = "totalIncurred"
)

// ByClaimNumber is the key of a row and a claim with the same number.
const ByClaimNumber = "claimNumber"
