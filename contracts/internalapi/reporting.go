package internalapi

import (
	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
)

// The operations. Each is a path to which the parameter is added.
const (
	ReceiptsPath    = "/internal/receipts/"    // GET {after}?limit=: Receipts
	AttachmentsPath = "/internal/attachments/" // GET {policyNumbers}: Attachments
	ClaimsPath      = "/internal/claims/"      // GET {after}?at=&limit=: Claims
	RecordsAtPath   = "/internal/records-at/"  // GET {names}?at=: PastRecords

	StatedPath        = "/internal/stated-premium/"  // GET {ids}: StatedPremium
	ToDatePath        = "/internal/premium-to-date/" // GET {policyNumbers}?at=: PremiumToDate
	ClaimPaymentsPath = "/internal/claim-payments/"  // GET {claimNumbers}?at=: ClaimPayments
)

// Oldest is the place before the first receipt or claim.
const Oldest = "oldest"

// Receipts is a page of receipts.
//
// Receipts in the order of their ids. No receipt will ever appear before the last one of a page.
type Receipts struct {
	// The receipts. There may be fewer than asked for while more are still to come.
	Receipts []ReportedReceipt `json:"receipts"`
	// Whether there may be more at present.
	More bool `json:"more"`
}

// ReportedReceipt is a receipt of a page.
//
// A receipt.
type ReportedReceipt struct {
	// The receipt as its readers see it.
	Record premium.Receipt `json:"record"`
	// The number of the policy that it belongs to: the one that it names, or that of the claim that it names. Absent
	// from releases before 1.3.0.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The day from which on counts what the receipt is for. Absent where none was sent.
	EffectiveDate scalar.Date `json:"effectiveDate,omitzero"`
	// Whether the row of the premium bordereau that it counts in may still lack it.
	Awaited bool `json:"awaited,omitzero"`
}

// Attachments says when policies attached.
//
// The policies that some numbers name, in the order of the numbers. A number that names nothing has none.
type Attachments struct {
	// The policies.
	Policies []Attachment `json:"policies"`
}

// Attachment says when a policy attached.
//
// By what a policy belongs to a contract.
type Attachment struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The coverage resource to which the policy belongs, such as motorCoverage.
	Line string `json:"line"`
	// The inceptionDate with which the policy was first recorded. Absent where it had none.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
}

// Claims is a page of claims.
//
// Claims in the order of their ids, each as it was at an instant. No claim will ever appear before the last one of a
// page.
type Claims struct {
	// The claims that were there at the instant. There may be fewer than asked for, or none, while more are to come.
	Claims []ReportedClaim `json:"claims"`
	// The id of the last claim that was looked at. Absent where none was.
	Last string `json:"last,omitzero"`
	// Whether there may be more at present.
	More bool `json:"more"`
}

// ReportedClaim is a claim of a page.
//
// A claim as it was at an instant.
type ReportedClaim struct {
	// The claim as its readers saw it then.
	Record claims.Claim `json:"record"`
	// The instant at which it was recorded.
	RecordedAt scalar.DateTime `json:"recordedAt"`
	// How many of its payments had been made when its reserve was last changed. The reserve is for what is paid after
	// them.
	ReservedAfter int `json:"reservedAfter,omitzero"`
}

// PastRecords is the response to a look-up of records by their names as they were at an instant. It is as large as a
// look-up of records as they are.
//
// The records that some names name as they were at an instant, in the order of the names.
type PastRecords struct {
	// The records. A name that names nothing, or what was not there yet, has none, and neither has a record of which it
	// was not kept what it was then.
	Records []PastRecord `json:"records"`
	// How many of the names were looked up, from the first. The others are left out because of the size of the
	// response.
	Looked int `json:"looked"`
}

// PastRecord is a record as it was at an instant, with the name by which it was asked for.
//
// A record as it was at an instant, under a name.
type PastRecord struct {
	// The id or number that was asked for.
	Name string `json:"name"`
	// The resource of the record.
	Resource string `json:"resource"`
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The number of its version then.
	Version int64 `json:"version"`
	// The record itself.
	Record scalar.JSON `json:"record"`
}

// StatedPremium is what callers have written into rows of the premium bordereau.
//
// The rows of the premium bordereau in which some receipts count and of which somebody has stated the netPremium, each
// once.
type StatedPremium struct {
	// The rows.
	Rows []StatedRow `json:"rows"`
}

// StatedRow is a row of the premium bordereau with a netPremium.
//
// A row of the premium bordereau. The interface does not say the currency or unit of its amounts.
type StatedRow struct {
	// The month (2026-11) or quarter (2026-Q4) in which its receipts were recorded.
	Period string `json:"period"`
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The type of its receipts.
	TransactionType string `json:"transactionType"`
	// The sum of its receipts less the refunds.
	GrossWrittenPremium scalar.Integer `json:"grossWrittenPremium"`
	// What somebody has stated.
	NetPremium scalar.Int `json:"netPremium"`
}

// PremiumToDate is what was received for policies.
//
// What was received for some policies until an instant: receipts less refunds, as far as they count in rows of the
// premium bordereau. A policy without such a row has none.
type PremiumToDate struct {
	// The sums.
	Sums []PremiumSum `json:"sums"`
}

// PremiumSum is what was received for a policy by receipts of a type.
//
// The sum of the receipts of a policy and type less the refunds. The interface does not say its currency or unit.
type PremiumSum struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The type of the receipts.
	TransactionType string `json:"transactionType"`
	// The sum.
	Gross scalar.Integer `json:"gross"`
}

// ClaimPayments is what was paid for claims, as receipts say.
//
// What was paid for some claims until an instant: receipts of the type claim payment that name the claim, less the
// refunds. A claim without such a receipt has none.
type ClaimPayments struct {
	// The claims.
	Claims []ClaimPayment `json:"claims"`
}

// ClaimPayment is what was paid for a claim, as receipts say.
//
// The sum of the receipts of a claim. The interface does not say its currency or unit.
type ClaimPayment struct {
	// The number of the claim.
	ClaimNumber string `json:"claimNumber"`
	// The sum.
	Paid scalar.Integer `json:"paid"`
}
